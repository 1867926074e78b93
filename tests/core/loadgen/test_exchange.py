"""One request's reads become a record: times are given, no socket is opened, nothing sleeps."""

from core.loadgen.exchange import TAIL_BYTES, TAIL_READS, Exchange
from core.loadgen.framing import Mode
from core.loadgen.seen import Prepared
from core.records import FailureKind, Outcome, TokenSource
from tests.core.loadgen.scripted import CHUNKED, DONE, FINISH, chunk, event, usage

MS = 1_000_000


def exchange_with(reads: list[tuple[int, bytes]], *, ended_ms: int, mode: Mode = Mode.CHUNKED) -> Exchange:
    """A request sent at 1000 ms whose reads came at the given milliseconds after it was sent."""
    prepared = Prepared(index=3, warmup=False, request_id="x-3", payload=b"", input_tokens=16, output_tokens=32)
    exchange = Exchange(prepared, ended=lambda _: None)
    exchange.sent_ns = 1000 * MS
    exchange.mode = mode
    exchange.reads = [(1000 * MS + at_ms * MS, data) for at_ms, data in reads]
    exchange.end(1000 * MS + ended_ms * MS)
    return exchange


def test_every_time_of_a_record_is_the_time_of_the_read_that_brought_it():
    exchange = exchange_with(
        [
            (50, CHUNKED + chunk(b'data: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n')),
            (80, chunk(event("a"))),
            (90, chunk(event("b"))),
            (110, chunk(event("c"))),
            (120, chunk(FINISH + usage(9, 3) + DONE) + b"0\r\n\r\n"),
        ],
        ended_ms=120,
    )
    exchange.decode(None)
    record = exchange.record(500 * MS, keep_text=True)

    assert record.sent_s == 0.5
    assert record.first_token_s == 0.58  # not the role of 50 ms
    assert record.first_answer_s == 0.58
    assert record.last_token_s == 0.61  # not the usage of 120 ms
    assert record.ended_s == 0.62
    assert list(record.chunk_us) == [80_000, 90_000, 110_000]
    assert (record.input_tokens, record.output_tokens, record.token_source) == (9, 3, TokenSource.USAGE)
    assert (record.requested_input_tokens, record.requested_output_tokens, record.reads) == (16, 32, 5)
    assert record.text == "abc"


def test_events_of_one_read_share_one_time():
    exchange = exchange_with(
        [(70, CHUNKED + chunk(event("a") + event("b") + FINISH + DONE) + b"0\r\n\r\n")], ended_ms=70
    )
    exchange.decode(None)

    assert list(exchange.record(0, keep_text=False).chunk_us) == [70_000, 70_000]


def test_a_redirect_is_a_failure_that_says_where_it_leads():
    head = b"HTTP/1.1 307 X\r\nLocation: https://other.example/v1/chat/completions\r\nContent-Length: 0\r\n\r\n"
    exchange = exchange_with([(70, head)], ended_ms=70, mode=Mode.LENGTH)
    exchange.decode(None)

    failure = exchange.record(0, keep_text=False).failure
    assert (failure.kind, failure.status) == (FailureKind.HTTP_4XX, 307)
    assert failure.message == "The server redirects to https://other.example/v1: use that address as base URL."


def test_a_text_is_kept_only_if_asked_for():
    exchange = exchange_with([(70, CHUNKED + chunk(event("secret") + FINISH) + b"0\r\n\r\n")], ended_ms=70)
    exchange.decode(None)

    assert exchange.record(0, keep_text=False).text is None


def test_decoding_stops_at_its_deadline_and_goes_on_where_it_stopped():
    reads = [(0, CHUNKED)] + [(at, chunk(event("x"))) for at in range(1, 101)] + [(101, chunk(FINISH) + b"0\r\n\r\n")]
    exchange = exchange_with(reads, ended_ms=101)

    slices = 1
    while not exchange.decode(0):  # a deadline long past: as little as possible each time
        slices += 1

    assert slices > 5
    assert len(exchange.record(0, keep_text=False).chunk_us) == 100


def test_each_slice_lets_go_of_what_it_decoded_and_the_count_of_reads_stays_whole():
    reads = [(0, CHUNKED)] + [(at, chunk(event("x"))) for at in range(1, 400)] + [(400, chunk(FINISH) + b"0\r\n\r\n")]
    exchange = exchange_with(reads, ended_ms=400)
    held = [len(exchange.reads)]
    while not exchange.decode(0):
        held.append(len(exchange.reads))

    assert len(held) > 5
    assert held == sorted(held, reverse=True)
    record = exchange.record(0, keep_text=False)
    assert (record.reads, len(record.chunk_us), record.chunk_us[-1]) == (401, 399, 399_000)


def test_the_tail_of_an_answer_reaches_over_its_last_reads_and_no_further():
    exchange = exchange_with([(0, b"a" * 5000), (1, b"b" * 100), (2, b"c")], ended_ms=2)

    assert exchange.tail() == b"a" * (TAIL_BYTES - 101) + b"b" * 100 + b"c"
    assert exchange_with([(0, b"ab"), (1, b"c")], ended_ms=1).tail() == b"abc"
    assert len(exchange_with([(at, b"x") for at in range(2000)], ended_ms=1).tail()) == TAIL_READS


def test_a_large_read_is_decoded_in_pieces_with_its_one_time():
    events = b"".join(event("x") for _ in range(500))
    exchange = exchange_with([(50, CHUNKED + chunk(events + FINISH + DONE) + b"0\r\n\r\n")], ended_ms=50)

    slices = 1
    while not exchange.decode(0):
        slices += 1
    record = exchange.record(0, keep_text=False)

    assert slices > 5
    assert set(record.chunk_us) == {50_000}
    assert len(record.chunk_us) == 500
    assert record.reads == 1


def test_what_is_decoded_waits_no_more():
    exchange = exchange_with([(50, CHUNKED + chunk(event("a")))], ended_ms=60)
    exchange.bytes_seen = 100
    exchange.decode(None)

    assert exchange.bytes_seen - exchange.bytes_decoded == 0


def test_a_request_given_up_keeps_what_arrived_and_its_own_failure():
    exchange = exchange_with([(50, CHUNKED + chunk(event("a")))], ended_ms=300)
    exchange.fail(FailureKind.IDLE_TIMEOUT, "Nothing more came.")
    exchange.decode(None)
    record = exchange.record(0, keep_text=True)

    assert record.failure.kind is FailureKind.IDLE_TIMEOUT
    assert record.text == "a"
    assert list(record.chunk_us) == [50_000]


def test_an_answer_with_no_output_is_empty():
    exchange = exchange_with([(50, CHUNKED + chunk(FINISH + DONE) + b"0\r\n\r\n")], ended_ms=50)
    exchange.decode(None)
    record = exchange.record(0, keep_text=False)

    assert record.outcome is Outcome.EMPTY
    assert record.first_token_s is None


def test_a_connection_that_ends_before_any_byte_is_lost():
    prepared = Prepared(index=0, warmup=False, request_id="x", payload=b"", input_tokens=1, output_tokens=1)
    exchange = Exchange(prepared, ended=lambda _: None)
    exchange.sent_ns = 10
    exchange.lose(20, ConnectionResetError("reset by peer"))

    record = exchange.record(0, keep_text=False)

    assert record.failure.kind is FailureKind.CONNECTION_LOST
    assert "reset by peer" in record.failure.message


def test_the_end_is_told_once():
    told = []
    prepared = Prepared(index=0, warmup=False, request_id="x", payload=b"", input_tokens=1, output_tokens=1)
    exchange = Exchange(prepared, ended=told.append)

    exchange.end(5)
    exchange.end(6)
    exchange.lose(7, None)

    assert told == [exchange]
    assert exchange.ended_ns == 5


def test_what_is_left_undecoded_is_told_in_bytes_whatever_else_failed():
    whole = chunk(event("a")) * 3000
    exchange = exchange_with([(50, CHUNKED), (60, whole)], ended_ms=70)
    exchange.decode(0)  # one piece
    left = len(whole) - exchange._offset
    exchange.leave_undecoded()
    record = exchange.record(0, keep_text=False)

    assert record.failure.kind is FailureKind.CANCELLED
    assert f"{left:,} bytes" in record.failure.message
    assert 0 < len(record.chunk_us) < 3000
    assert set(record.chunk_us) == {60_000}
