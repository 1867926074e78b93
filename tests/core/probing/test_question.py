"""The tiny request: parameters that it changes, and how a stream's arrival is told."""

import pytest

from core.probe import ProbeState, probe
from core.probing.question import rhythm
from core.records import TokenSource
from tests.core.answering_server import AnsweringServer, models, recording, reply, stream, tokens
from tests.core.probing.asking import CHAT, MODELS, endpoint, probed

REFUSED_MAX_TOKENS = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."


def test_a_refused_parameter_is_changed_and_noted():
    def picky(asked):
        if "max_tokens" in asked.json:
            return reply(400, {"error": {"message": REFUSED_MAX_TOKENS, "code": "unsupported_parameter"}})
        if "stream_options" in asked.json:
            return reply(400, {"error": {"message": "stream_options is not supported"}})
        return stream(*tokens("a", "b", "c", "d", usage=False), pause_s=0.003)(asked)

    result = probed({MODELS: models("m"), CHAT: picky})

    assert result.token_parameter == "max_completion_tokens"
    assert [note for note in result.notes if "asked to" in note] == [
        "The server asked to use max_completion_tokens; a run does so too.",
        "The server asked to drop stream_options; a run does so too.",
    ]
    assert (result.usage, result.token_source) == (False, TokenSource.NONE)
    assert "no TPOT and no tokens/s" in result.next_step
    assert "tokenizer" not in result.next_step


def test_a_server_that_refuses_whatever_is_changed_is_asked_three_times_at_most():
    with AnsweringServer({MODELS: models("m"), CHAT: reply(400, {"error": {"message": REFUSED_MAX_TOKENS}})}) as server:
        result = probe(endpoint(server))

        posts = [asked for asked in server.asked if asked.method == "POST"]
    assert len(posts) == 2
    assert result.state is ProbeState.FAULTY
    assert "“Unsupported parameter" in result.sent


def late(*events):
    """A whole stream that is held back for a while."""

    def answer(asked):
        parts = [part for part in stream(*events)(asked) if isinstance(part, bytes)]
        return [parts[0], 0.08, b"".join(parts[1:])]

    return answer


def bursts(_asked):
    yield b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    for _ in range(4):
        yield b'data: {"choices":[{"delta":{"content":"x"}}]}\n\n' * 4
        yield 0.04
    yield b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


ARRIVALS = {
    "buffered": (late(*tokens(*"abcdef")), "buffered", ProbeState.BUFFERED, "All tokens came at once"),
    "bursts": (bursts, "in bursts", ProbeState.BUFFERED, "in bursts"),
    "not streamed": (recording("vllm-0.32_chat_not_streamed"), "no", ProbeState.NOT_STREAMED, "not as a stream"),
}


@pytest.mark.parametrize("case", ARRIVALS)
def test_how_a_stream_arrives_is_told_with_what_to_do(case):
    answer, streams, state, what = ARRIVALS[case]

    result = probed({MODELS: models("m"), CHAT: answer})

    assert (result.streams, result.state) == (streams, state)
    assert what in result.what
    assert result.next_step
    assert result.ok


MS = 1000


@pytest.mark.parametrize(
    ("chunk_us", "word"),
    [
        ([50 * MS + 10 * MS * i for i in range(24)], "yes"),
        ([900 * MS + 15 * i for i in range(24)], "buffered"),
        ([900 * MS] * 24, "buffered"),
        ([5 * MS + 15 * i for i in range(24)], "yes"),  # a fast server, read late: no reason to doubt
        ([50 * MS + 71 * i for i in range(24)], "yes"),  # 14,000 tokens/s
        ([50 * MS + 40 * MS * (i // 4) + 20 * (i % 4) for i in range(24)], "in bursts"),
        ([50 * MS + 20 * MS * (i // 2) + 20 * (i % 2) for i in range(24)], "in bursts"),
        ([50 * MS + 4 * MS * (i // 4) + 20 * (i % 4) for i in range(24)], "yes"),  # this machine may do that
        ([50 * MS + 10 * MS * max(i, 10) for i in range(24)], "yes"),  # one stall of 100 ms
        ([900 * MS, 900 * MS + 1], "yes"),
        ([], "yes"),
    ],
)
def test_the_rhythm_is_told_by_arrivals(chunk_us, word):
    assert rhythm(chunk_us) == word
