"""What each recorded answer means, read off the recordings by hand. Knows nothing of the code under test but its words.

A recording is NAME.http (the raw bytes, head included) with NAME.json (the request, and the reads as they came).
"""

from dataclasses import dataclass
from pathlib import Path

from core.records import FailureKind, Outcome

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The meaning of one answer, whatever way its bytes come in.

    Attributes:
        message: The failure's sentence; with `message_begins` only its beginning.
        whole: False where the recording ends inside the answer.
        chunks: Events with output; 0 for an answer that is not streamed.
    """

    status: int = 200
    outcome: Outcome = Outcome.OK
    kind: FailureKind | None = None
    message: str | None = None
    message_begins: bool = False
    text: str = ""
    finish_reason: str | None = None
    done: bool = False
    events: int = 0
    chunks: int = 0
    first_chunk: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    prefill_s: float | None = None
    decode_s: float | None = None
    model: str | None = None
    streamed: bool = True
    whole: bool = True


def refused(status: int, kind: FailureKind, message: str) -> Expected:
    """An answer that is no success, with the server's own sentence."""
    return Expected(status=status, outcome=Outcome.FAILED, kind=kind, message=message)


def no_completion(begins: str, **more: object) -> Expected:
    """A 200 that answers another question: these addresses are no completions."""
    return Expected(outcome=Outcome.FAILED, kind=FailureKind.MALFORMED, message=begins, message_begins=True, **more)


NOT_FOUND = refused(404, FailureKind.HTTP_404, "Not Found")
FILE_NOT_FOUND = refused(404, FailureKind.HTTP_404, "File Not Found")
INTERNAL = refused(500, FailureKind.HTTP_5XX, "500 Internal Server Error")
NO_BODY = Expected(outcome=Outcome.FAILED, kind=FailureKind.TRUNCATED, message="The answer has no body.")
JSON_BODY = "The answer's body is no completion: "
OTHER_BODY = "The answer is neither an event stream nor JSON (text/plain; version="

THREE_TIMES = "Alejandro, Alejandro, Alejandro"
WISE = "Alejandro, a wise and just soul with a"
FRIENDLY = "Alejandro, a friendly and welcoming AI."
PARIS = " Paris.\n\nThe answer is:"
SERVED = "/srv/models/smollm2"

FASTLLM = {
    "chat_plain": Expected(
        text=THREE_TIMES, finish_reason="length", done=True, events=15, chunks=12, first_chunk=1,
        input_tokens=36, output_tokens=12, cached_tokens=0, model="smollm2",
    ),
    "chat_usage": Expected(
        text=THREE_TIMES, finish_reason="length", done=True, events=15, chunks=12, first_chunk=1,
        input_tokens=36, output_tokens=12, cached_tokens=0, model="smollm2",
    ),
    "chat_ignore_eos": Expected(
        text=f"{THREE_TIMES}, Alejandro, Alejandro", finish_reason="length", done=True, events=23, chunks=20,
        first_chunk=1, input_tokens=36, output_tokens=20, cached_tokens=0, model="smollm2",
    ),
    "chat_max_completion_tokens": Expected(
        text="Alejandro,", finish_reason="length", done=True, events=8, chunks=5, first_chunk=1,
        input_tokens=36, output_tokens=5, cached_tokens=0, model="smollm2",
    ),
    "chat_not_streamed": Expected(
        text=THREE_TIMES, finish_reason="length", input_tokens=36, output_tokens=12, cached_tokens=0,
        model="smollm2", streamed=False,
    ),
    # max_tokens -3 means "for ever" here; the recording ends in the middle of its 26th event.
    "bad_param": Expected(
        outcome=Outcome.FAILED, kind=FailureKind.TRUNCATED,
        message="The stream ended without [DONE] and without a finish_reason.",
        text=f"{THREE_TIMES}, {THREE_TIMES}", events=25, chunks=24, first_chunk=1, model="smollm2", whole=False,
    ),
    # An error inside a 200, and [DONE] after it.
    "too_long": Expected(
        outcome=Outcome.FAILED, kind=FailureKind.STREAM_ERROR,
        message="上下文长度不足（prompt too long）：对话内容超过当前模型或 KV 缓存允许的长度。请新建对话，"  # noqa: RUF001 -- the server's own sentence
        "或在模型和显存允许的情况下增大上下文长度后重试。",
        done=True, events=3, model="smollm2",
    ),
    "bad_json": refused(400, FailureKind.HTTP_4XX, "Empty msg"),
    "wrong_model": refused(404, FailureKind.HTTP_404, "The model `no-such-model` does not exist."),
    **dict.fromkeys(("completions", "health", "metrics", "props", "root", "tokenize", "version"), NOT_FOUND),
}  # fmt: skip

LLAMACPP = {
    # Without usage the count is unknown, although timings would know it.
    "chat_plain": Expected(
        text=WISE, finish_reason="length", done=True, events=15, chunks=12, first_chunk=1, cached_tokens=35,
        prefill_s=0.012664, decode_s=0.144694, model="smollm2",
    ),
    "chat_usage": Expected(
        text=WISE, finish_reason="length", done=True, events=16, chunks=12, first_chunk=1,
        input_tokens=36, output_tokens=12, cached_tokens=0, prefill_s=0.209202, decode_s=0.147058, model="smollm2",
    ),
    "chat_ignore_eos": Expected(
        text=f"{WISE} heart full of kindness and compassion. A", finish_reason="length", done=True, events=24,
        chunks=20, first_chunk=1, input_tokens=36, output_tokens=20, cached_tokens=24,
        prefill_s=0.073902, decode_s=0.238991, model="smollm2",
    ),
    "chat_max_completion_tokens": Expected(
        text="Alejandro,", finish_reason="length", done=True, events=9, chunks=5, first_chunk=1,
        input_tokens=36, output_tokens=5, cached_tokens=35, prefill_s=0.012786, decode_s=0.053735, model="smollm2",
    ),
    "chat_not_streamed": Expected(
        text=WISE, finish_reason="length", input_tokens=36, output_tokens=12, cached_tokens=35,
        prefill_s=0.012843, decode_s=0.133317, model="smollm2", streamed=False,
    ),
    # It answers for any model name.
    "wrong_model": Expected(
        text="Elena", finish_reason="stop", done=True, events=6, chunks=3, first_chunk=1, cached_tokens=35,
        prefill_s=0.013649, decode_s=0.037456, model="smollm2",
    ),
    "too_long": refused(
        400, FailureKind.CONTEXT_OVERFLOW,
        "request (9031 tokens) exceeds the available context size (2048 tokens), try increasing it",
    ),
    "bad_json": refused(400, FailureKind.HTTP_4XX, "'messages' is required"),
    "bad_param": refused(
        400, FailureKind.HTTP_4XX,
        "Field 'max_tokens': Value must be between -1 <= value <= 2147483647, but got -3",
    ),
    "root": FILE_NOT_FOUND,
    "version": FILE_NOT_FOUND,
    "health": no_completion(JSON_BODY + '{"status":"ok"}', streamed=False),
    "models": no_completion(JSON_BODY + '{"models":[{"name":"smollm2",', streamed=False),
    "props": no_completion(JSON_BODY + '{"default_generation_settings":', streamed=False),
    "tokenize": no_completion(JSON_BODY + '{"tokens":[41479,43828,111,46157,3547]}', streamed=False),
    "metrics": no_completion(OTHER_BODY + "0.0.4): # HELP llamacpp:prompt_tokens_total"),
}  # fmt: skip

TRANSFORMERS = {
    # Never a [DONE]; the last chunk has finish_reason and usage together.
    "chat_plain": Expected(
        text=WISE, finish_reason="length", events=14, chunks=12, first_chunk=1, input_tokens=36, output_tokens=12,
        model=SERVED,
    ),
    "chat_usage": Expected(
        text=WISE, finish_reason="length", events=14, chunks=12, first_chunk=1, input_tokens=36, output_tokens=12,
        model=SERVED,
    ),
    "chat_max_completion_tokens": Expected(
        text="Alejandro,", finish_reason="length", events=7, chunks=5, first_chunk=1, input_tokens=36,
        output_tokens=5, model=SERVED,
    ),
    "chat_not_streamed": Expected(
        text=WISE, finish_reason="length", input_tokens=36, output_tokens=12, model=SERVED, streamed=False
    ),
    "completions": Expected(
        text=PARIS, finish_reason="length", events=9, chunks=8, first_chunk=0, input_tokens=5, output_tokens=8,
        model=SERVED,
    ),
    # An error inside a 200 that is only a string, and no end after it.
    "bad_param": Expected(
        outcome=Outcome.FAILED, kind=FailureKind.STREAM_ERROR,
        message="`max_new_tokens` must be greater than 0, but is -3.", events=2, model=SERVED,
    ),
    "chat_ignore_eos": refused(422, FailureKind.HTTP_4XX, "Unexpected fields in the request: {'ignore_eos'}"),
    "bad_json": INTERNAL,
    "wrong_model": INTERNAL,
    "health": no_completion(JSON_BODY + '{"status":"ok"}', streamed=False),
    "models": no_completion(JSON_BODY + '{"object":"list","data":[{"owned_by":"local",', streamed=False),
    **dict.fromkeys(("metrics", "props", "root", "tokenize", "version"), NOT_FOUND),
}  # fmt: skip

VLLM = {
    "chat_plain": Expected(
        text=FRIENDLY, finish_reason="stop", done=True, events=14, chunks=11, first_chunk=1, model="smollm2"
    ),
    # The end token is counted and has no text.
    "chat_usage": Expected(
        text=FRIENDLY, finish_reason="stop", done=True, events=15, chunks=11, first_chunk=1,
        input_tokens=36, output_tokens=12, model="smollm2",
    ),
    # Tokens without text come as empty deltas: 20 tokens, 15 chunks.
    "chat_ignore_eos": Expected(
        text=f"{FRIENDLY}\nsystem\n\n", finish_reason="length", done=True, events=23, chunks=15, first_chunk=1,
        input_tokens=36, output_tokens=20, model="smollm2",
    ),
    # The last token and finish_reason share a chunk.
    "chat_max_completion_tokens": Expected(
        text="Alejandro,", finish_reason="length", done=True, events=8, chunks=5, first_chunk=1,
        input_tokens=36, output_tokens=5, model="smollm2",
    ),
    "chat_not_streamed": Expected(
        text=FRIENDLY, finish_reason="stop", input_tokens=36, output_tokens=12, model="smollm2", streamed=False
    ),
    "completions": Expected(
        text=PARIS, finish_reason="length", done=True, events=10, chunks=8, first_chunk=0, input_tokens=5,
        output_tokens=8, model="smollm2",
    ),
    "too_long": refused(
        400, FailureKind.CONTEXT_OVERFLOW,
        "This model's maximum context length is 2048 tokens. However, your prompt contains at least 2049 input tokens, "
        "which exceeds this limit even without any output tokens. Please reduce the length of the input prompt. "
        "(parameter=input_tokens, value=2049)",
    ),
    "bad_json": refused(
        400, FailureKind.HTTP_4XX,
        "1 validation error: {'type': 'missing', 'loc': 'body.messages', 'msg': 'Field required', "
        "'input': '<dict of 1 items>'}",
    ),
    "bad_param": refused(
        400, FailureKind.HTTP_4XX, "max_tokens must be at least 1, got -3. (parameter=max_tokens, value=-3)"
    ),
    "wrong_model": refused(
        404, FailureKind.HTTP_404, "The model `no-such-model` does not exist. Valid aliases: smollm2."
    ),
    "props": NOT_FOUND,
    "root": NOT_FOUND,
    "health": NO_BODY,
    "models": no_completion(JSON_BODY + '{"object":"list","data":[{"id":"smollm2",', streamed=False),
    "tokenize": no_completion(JSON_BODY + '{"count":5,"max_model_len":2048,', streamed=False),
    "version": no_completion(JSON_BODY + '{"version":"0.32.0"}', streamed=False),
    "metrics": no_completion(OTHER_BODY + "1.0.0; charset=utf-8): # HELP python_gc_objects_collected_total"),
}  # fmt: skip

EXPECTED: dict[str, Expected] = {
    f"{engine}_{name}": expected
    for engine, recordings in {
        "fastllm-1.9": FASTLLM,
        "llamacpp-2026.10": LLAMACPP,
        "transformers-serve": TRANSFORMERS,
        "vllm-0.32": VLLM,
    }.items()
    for name, expected in recordings.items()
}
