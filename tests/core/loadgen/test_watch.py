"""Which limit has passed, told by times alone."""

import asyncio

import pytest

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


async def test_many_requests_are_looked_at_in_turns_and_none_is_left_out():
    failed, turns = [], 0
    many = [sent_at_zero() for _ in range(SLICE * 3)]  # long ago by the clock: every limit has passed
    for exchange in many:
        exchange.ended = lambda _: failed.append(turns)
    watch = Watch(asyncio.get_running_loop(), LIMITS, in_flight=lambda: many, decode=lambda _: None)
    watch.start()
    async with asyncio.timeout(20):
        while len(failed) < len(many):
            await asyncio.sleep(0)
            turns += 1
    watch.stop()

    assert len(set(failed)) == 3
    assert failed.count(failed[0]) == SLICE
