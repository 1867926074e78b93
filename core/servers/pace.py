"""What a model name asks of the simulator, and the exact bytes of the answer. Knows no clock and no socket."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

WORDS = (" the", " model", " streams", " tokens", " fast", " and", " each", " one", " counts", " here")
MODELS = (
    "gt-ttft50000-itl10000",
    "gt-ttft50000-itl1333",
    "gt-ttft50000-itl10000-burst4",
    "gt-ttft50000-itl10000-serial",
)
CREATED = 1_700_000_000
MAX_TOKENS = 1_000_000
STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The times behind a model name such as `gt-ttft50000-itl10000-burst4`, integer microseconds.

    Attributes:
        ttft_us: From the request's arrival to its first token; 50,000 where the name is silent.
        itl_us: Between two tokens; 10,000 where the name is silent.
        burst: Tokens sent at a time, every `burst * itl_us`.
        grow_us: Added to `ttft_us` for each request in flight, this one included.
        serial: Requests are answered one after another.
        early: The role-only event leaves at once, not with the first token.
    """

    ttft_us: int = 50_000
    itl_us: int = 10_000
    burst: int = 1
    grow_us: int = 0
    serial: bool = False
    early: bool = False

    @classmethod
    def of(cls, model: str) -> "Pace":
        """Read the pace out of any name; what is not understood is left at its default."""

        def number(word: str, default: int) -> int:
            found = re.search(rf"{word}(\d{{1,9}})", model)
            return int(found[1]) if found else default

        return cls(
            ttft_us=number("ttft", 50_000),
            itl_us=number("itl", 10_000),
            burst=max(1, number("burst", 1)),
            grow_us=number("grow", 0),
            serial="serial" in model,
            early="early" in model,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The parts of a request body that decide the answer."""

    model: str
    tokens: int
    stream: bool
    usage: bool
    prompt_tokens: int

    @classmethod
    def of(cls, body: Any) -> "Asked":
        """Read a decoded body. Raises ValueError where it is no JSON object."""
        if not isinstance(body, dict):
            raise ValueError("The body is not a JSON object.")
        options = body.get("stream_options")
        tokens = body.get("max_completion_tokens") or body.get("max_tokens")
        return cls(
            model=str(body.get("model", "gt"))[:120],
            tokens=min(tokens, MAX_TOKENS) if isinstance(tokens, int) and tokens > 0 else 128,
            stream=body.get("stream") is True,
            usage=isinstance(options, dict) and options.get("include_usage") is True,
            prompt_tokens=_words(body.get("messages")) + _words(body.get("prompt")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """The ready bytes of one model's stream: a chunk for each word, what stands before and what ends it."""

    role: bytes
    words: tuple[bytes, ...]
    finish: bytes


@lru_cache(maxsize=256)
def events(model: str, *, chat: bool) -> Events:
    """The stream's parts, each already in HTTP chunk framing: a token then costs one lookup."""

    def part(word: str) -> dict[str, Any]:
        return {"delta": {"content": word}} if chat else {"text": word}

    return Events(
        role=_event(model, chat, {"delta": {"role": "assistant", "content": ""}}) if chat else b"",
        words=tuple(_event(model, chat, part(word)) for word in WORDS),
        finish=_event(model, chat, {"delta": {}} if chat else {"text": ""}, finish_reason="length"),
    )


def tail(asked: Asked, *, chat: bool) -> bytes:
    """What follows the last token: finish reason, usage if asked for, `[DONE]`, the end of the body."""
    parts = [events(asked.model, chat=chat).finish]
    if asked.usage:
        head = _head(asked.model, chat)
        parts.append(framed({**head, "choices": [], "usage": _usage(asked)}))
    parts.append(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
    return b"".join(parts)


def whole(asked: Asked, *, chat: bool) -> bytes:
    """The answer of a request that did not ask for a stream, with its HTTP head."""
    text = "".join(WORDS[index % len(WORDS)] for index in range(asked.tokens))
    head = {**_head(asked.model, chat), "object": "chat.completion" if chat else "text_completion"}
    choice: dict[str, Any] = {"index": 0, "finish_reason": "length"}
    choice |= {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
    return plain(200, {**head, "choices": [choice], "usage": _usage(asked)})


def plain(status: int, value: dict[str, Any]) -> bytes:
    """A JSON answer with its HTTP head."""
    body = json.dumps(value).encode()
    reason = {200: "OK", 400: "Bad Request", 404: "Not Found", 413: "Content Too Large"}[status]
    head = f"HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def refusal(status: int, message: str) -> bytes:
    """An error answer in the usual shape."""
    return plain(status, {"error": {"message": message, "type": "invalid_request_error", "code": status}})


def models() -> bytes:
    """The answer to GET /v1/models."""
    rows = [
        {"id": name, "object": "model", "owned_by": "paceline-simulated", "created": CREATED, "max_model_len": 32_768}
        for name in MODELS
    ]
    return plain(200, {"object": "list", "data": rows})


def framed(value: dict[str, Any]) -> bytes:
    """One event in HTTP chunk framing."""
    data = b"data: " + json.dumps(value, separators=(",", ":")).encode() + b"\n\n"
    return b"%x\r\n%b\r\n" % (len(data), data)


def _head(model: str, chat: bool) -> dict[str, Any]:
    name = "chatcmpl-gt" if chat else "cmpl-gt"
    return {
        "id": name,
        "object": "chat.completion.chunk" if chat else "text_completion",
        "created": CREATED,
        "model": model,
    }


def _event(model: str, chat: bool, part: dict[str, Any], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, **part, "logprobs": None, "finish_reason": finish_reason}
    return framed({**_head(model, chat), "choices": [choice]})


def _usage(asked: Asked) -> dict[str, int]:
    return {
        "prompt_tokens": asked.prompt_tokens,
        "completion_tokens": asked.tokens,
        "total_tokens": asked.prompt_tokens + asked.tokens,
    }


def _words(prompt: Any) -> int:
    """A word counts as a token, in a text, a list of messages or a list of texts."""
    if isinstance(prompt, str):
        return len(prompt.split())
    if isinstance(prompt, list):
        return sum(_words(part) for part in prompt)
    if isinstance(prompt, dict):
        return _words(prompt.get("content")) + _words(prompt.get("text"))
    return 0
