"""The tiny request: parameters that it changes, and how a stream's arrival is told."""

import threading

import pytest

from core.probe import CheckName, CheckState, ProbeState, _ready, probe
from core.probing.attention import Attention
from core.probing.question import rhythm, withstands
from core.probing.report import Report
from core.records import TokenSource
from core.servers.paced_child import PacedServer
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


class Watch(Attention):
    """Sees what it is told."""

    def __init__(self, late_s, busy_share):
        super().__init__()
        self.told = late_s, busy_share

    def __exit__(self, *how):
        super().__exit__(*how)
        self.late_s, self.busy_share = self.told


QUIET, HELD_UP, FULL = (0.0004, 0.3), (0.3, 0.3), (0.0004, 0.97)


def watching(*seen):
    """Makes watches that see these one after the other, the last one from then on."""
    left = list(seen)
    return lambda: Watch(*(left.pop(0) if len(left) > 1 else left[0]))


def late(*events, held_s=0.08):
    """A whole stream that is held back for a while."""

    def answer(asked):
        parts = [part for part in stream(*events)(asked) if isinstance(part, bytes)]
        return [parts[0], held_s, b"".join(parts[1:])]

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

    result = probed({MODELS: models("m"), CHAT: answer}, attention=watching(QUIET))

    assert (result.streams, result.state) == (streams, state)
    assert "proxy" not in result.what + result.next_step  # none stands between us and our own machine
    assert what in result.what
    assert result.next_step
    assert result.ok


def asked_times(answers, *seen, budget_s=8.0):
    """A probe with what its attention says, one after the other, and how often it asked the model."""
    with AnsweringServer({MODELS: models("m"), CHAT: answers}) as server:
        result = probe(endpoint(server), budget_s=budget_s, attention=watching(*seen))
        return result, sum(asked.method == "POST" for asked in server.asked)


@pytest.mark.parametrize("answer", [late(*tokens(*"abcdef")), bursts], ids=["buffered", "in bursts"])
@pytest.mark.parametrize("seen", [HELD_UP, FULL], ids=["held up", "full"])
def test_a_stream_is_not_called_held_back_while_this_machine_was_held_up(answer, seen):
    result, asked = asked_times(answer, seen)

    assert (result.streams, result.state, asked) == ("unclear", ProbeState.READY, 3)
    assert result.check(CheckName.STREAMS).state is CheckState.DOUBT
    assert any("this machine was held up just then" in note for note in result.notes)
    assert "Probe again when this machine is quiet" in result.next_step


@pytest.mark.parametrize(
    ("seen", "streams", "asked"),
    [
        ((QUIET, QUIET), "buffered", 2),
        ((HELD_UP, QUIET, QUIET), "buffered", 3),
        ((QUIET, HELD_UP, QUIET), "buffered", 3),
        ((QUIET, HELD_UP, HELD_UP), "unclear", 3),
        ((HELD_UP, HELD_UP, QUIET), "unclear", 3),
    ],
)
def test_two_answers_must_show_it_while_nothing_was_held_up(seen, streams, asked):
    result, times = asked_times(late(*tokens(*"abcdef")), *seen)

    assert (result.streams, times) == (streams, asked)


def in_turn(*answers):
    """The first answer to the first request, the second to the second."""
    left = list(answers)

    def answer(asked):
        return left.pop(0)(asked)

    return answer


def test_one_even_stream_is_proof_enough():
    answers = in_turn(late(*tokens(*"abcdef")), stream(*tokens(*"abcdef"), pause_s=0.01))

    result, asked = asked_times(answers, QUIET)

    assert (result.streams, result.state, asked) == ("yes", ProbeState.READY, 2)
    assert result.notes == ()


def test_an_answer_that_fails_the_second_time_leaves_the_first_one_unclear():
    answers = in_turn(late(*tokens(*"abcdef")), lambda _: reply(500, {"error": {"message": "gone"}}))

    result, asked = asked_times(answers, QUIET)

    assert (result.streams, result.state, asked) == ("unclear", ProbeState.READY, 2)


def test_what_there_is_no_time_to_see_twice_is_not_clear():
    result, asked = asked_times(late(*tokens(*"abcdef"), held_s=1.2), QUIET, budget_s=2.5)

    assert (result.streams, asked) == ("unclear", 1)
    assert any("could not be seen a second time" in note for note in result.notes)


@pytest.mark.parametrize(
    ("streams", "what"), [("buffered", "the server, or a proxy on the way"), ("in bursts", "several at a time")]
)
def test_far_away_a_proxy_may_be_to_blame(streams, what):
    report = Report(endpoint=endpoint("https://llm.example.com/v1"), budget_s=1.0)
    report.facts |= {"model": "m", "first_token_s": 0.9, "streams": streams}

    words = _ready(report)

    assert what in words.what
    assert "nginx: proxy_buffering off" in words.next_step


def test_a_slow_first_token_is_written_as_people_write_numbers():
    report = Report(endpoint=endpoint("https://llm.example.com/v1"), budget_s=1.0)
    report.facts |= {"model": "m", "first_token_s": 2.5312, "streams": "yes"}

    assert _ready(report).what == "llm.example.com answers: first token of m after 2,531 ms."


def test_a_loop_that_is_held_makes_no_server_a_buffering_one():
    """The server is a process of its own and streams evenly; this one is kept from reading, as a busy page does."""
    over = threading.Event()

    def hold():
        while not over.is_set():
            sum(range(20_000_000))  # one call that does not let go of the interpreter

    with PacedServer() as server:
        holder = threading.Thread(target=hold)
        holder.start()
        try:
            result = probe(endpoint(server.base_url), model="gt-ttft50000-itl10000", budget_s=30.0)
        finally:
            over.set()
            holder.join()

    assert result.streams in {"yes", "unclear"}
    assert result.state is ProbeState.READY


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


ALL_AT_ONCE, BURSTS = [900 * MS + 15 * i for i in range(24)], [50 * MS + 40 * MS * (i // 4) for i in range(24)]


@pytest.mark.parametrize(
    ("chunk_us", "late_s", "stands"),
    [
        (ALL_AT_ONCE, 0.020, True),  # so late a reader folds 24 chunks of 1 ms, and not what models send
        (ALL_AT_ONCE, 0.025, False),
        (BURSTS, 0.019, True),
        (BURSTS, 0.021, False),
        ([50 * MS + 10 * MS * i for i in range(24)], 9.0, True),  # being late never made a stream even
        ([], 9.0, True),
    ],
)
def test_what_a_late_reader_may_have_made_itself_does_not_stand(chunk_us, late_s, stands):
    assert withstands(chunk_us, late_s) is stands
