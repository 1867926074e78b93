"""Which limit has passed, told by times alone."""

import asyncio
from time import monotonic_ns

import pytest

from core.loadgen import watch
from core.loadgen.exchange import Exchange
from core.loadgen.seen import Prepared
from core.loadgen.watch import LONG_BYTES, SLICE, Watch, is_long, most_bytes, passed
from core.plan import Limits
from core.records import FailureKind

S = 1_000_000_000
LIMITS = Limits(first_byte_s=5, idle_s=2, total_s=20)


def sent_at_zero(*reads_s: float) -> Exchange:
    prepared = Prepared(index=0, warmup=False, request_id="x", payload=b"", input_tokens=1, output_tokens=1)
    exchange = Exchange(prepared, ended=lambda _: None)
    exchange.reads = [(round(at * S), b"x") for at in reads_s]
    return exchange


@pytest.mark.parametrize(
    ("reads_s", "now_s", "kind"),
    [
        ((), 4.9, None),
        ((), 5.1, FailureKind.FIRST_BYTE_TIMEOUT),
        ((4.9,), 5.1, None),
        ((1.0, 3.0), 4.9, None),
        ((1.0, 3.0), 5.1, FailureKind.IDLE_TIMEOUT),
        ((1.0, 19.5), 20.1, FailureKind.TOTAL_TIMEOUT),
    ],
)
def test_each_limit_has_its_own_kind(reads_s, now_s, kind):
    found = passed(sent_at_zero(*reads_s), LIMITS, round(now_s * S))

    assert (found[0] if found else None) == kind


def test_reads_already_decoded_still_count_as_the_last_byte():
    exchange = sent_at_zero(4.0)
    exchange.decode(None)  # nonsense bytes, but they came

    assert exchange.last_read_ns == 4 * S
    assert passed(exchange, LIMITS, 5 * S) is None


def test_an_answer_is_long_after_two_seconds_or_a_megabyte():
    exchange = sent_at_zero(0.5)

    assert not is_long(exchange, 2 * S)
    assert is_long(exchange, 2 * S + 1)
    exchange.bytes_seen = LONG_BYTES + 1
    assert is_long(exchange, 1)


def test_an_answer_without_end_is_given_up_by_its_size():
    exchange = sent_at_zero(0.5)
    exchange.bytes_seen = most_bytes(1)
    assert passed(exchange, LIMITS, S) is None
    exchange.bytes_seen += 1

    kind, words = passed(exchange, LIMITS, S)
    assert kind is FailureKind.STREAM_ERROR
    assert "bytes" in words


async def test_requests_that_bring_more_than_can_be_decoded_are_given_up_and_the_others_not(monkeypatch):
    monkeypatch.setattr(watch, "MOST_WAITING_BYTES", 9_000_000)
    flood, quiet = sent_at_zero(), sent_at_zero()
    for exchange, size in ((flood, 8_000_000), (quiet, 2_000_000)):
        exchange.sent_ns = monotonic_ns()
        exchange.reads = [(exchange.sent_ns, b"x" * size)]
        exchange.bytes_seen = size
    looking = Watch(asyncio.get_running_loop(), LIMITS, in_flight=lambda: [flood, quiet], decode=lambda _: None)
    looking.start()
    async with asyncio.timeout(20):
        while not flood.ended_ns:
            await asyncio.sleep(0.01)
    looking.stop()

    assert flood.failure.kind is FailureKind.STREAM_ERROR
    assert "faster than this machine can decode" in flood.failure.message
    assert "8,000,000 bytes were left undecoded" in flood.failure.message
    assert flood.reads == []
    assert (quiet.ended_ns, len(quiet.reads)) == (0, 1)


async def test_many_requests_are_looked_at_in_turns_and_none_is_left_out():
    failed, turns = [], 0
    many = [sent_at_zero() for _ in range(SLICE * 3)]  # long ago by the clock: every limit has passed
    for exchange in many:
        exchange.ended = lambda _: failed.append(turns)
    looking = Watch(asyncio.get_running_loop(), LIMITS, in_flight=lambda: many, decode=lambda _: None)
    looking.start()
    async with asyncio.timeout(20):
        while len(failed) < len(many):
            await asyncio.sleep(0)
            turns += 1
    looking.stop()

    assert len(set(failed)) == 3
    assert failed.count(failed[0]) == SLICE
