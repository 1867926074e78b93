"""Decoding happens in slices between reads, and everything is decoded in the end."""

import asyncio
from time import monotonic_ns

import pytest

from core.loadgen import decoding
from core.loadgen.decoding import IdleDecoder
from core.records import FailureKind
from tests.core.loadgen.scripted import CHUNKED, FINISH, chunk, event
from tests.core.loadgen.test_exchange import exchange_with


def long_exchange(chunks: int):
    reads = (
        [(0, CHUNKED)] + [(at, chunk(event("x"))) for at in range(1, chunks)] + [(chunks, chunk(FINISH) + b"0\r\n\r\n")]
    )
    return exchange_with(reads, ended_ms=chunks)


@pytest.fixture
def all_the_processor(monkeypatch):
    """These tests spin, which is use of the processor, too; the share that is left free is tested apart."""
    monkeypatch.setattr(decoding, "MOST_SHARE", 1000.0)


@pytest.mark.usefixtures("all_the_processor")
async def test_the_loop_gets_its_turn_between_slices():
    decoded, turns = [], 0
    decoder = IdleDecoder(asyncio.get_running_loop(), decoded=decoded.append)
    for _ in range(5):
        decoder.add(long_exchange(2000))
    while decoder.waiting:
        turns += 1
        await asyncio.sleep(0)

    assert len(decoded) == 5
    assert turns > 10


@pytest.mark.usefixtures("all_the_processor")
@pytest.mark.parametrize(("chunks", "slices"), [(50, 1), (5000, 2)])
async def test_a_long_record_is_made_in_a_slice_of_its_own(chunks, slices, monkeypatch):
    monkeypatch.setattr(decoding, "IDLE_SLICE_NS", 10**12)
    monkeypatch.setattr(decoding, "BUSY_SLICE_NS", 10**12)
    turns = 0
    decoder = IdleDecoder(asyncio.get_running_loop(), decoded=lambda _: None)
    decoder.add(long_exchange(chunks))
    while decoder.waiting:
        turns += 1
        await asyncio.sleep(0)

    assert turns == slices


@pytest.mark.usefixtures("all_the_processor")
async def test_an_exchange_in_flight_is_decoded_but_not_given_up():
    decoded = []
    decoder = IdleDecoder(asyncio.get_running_loop(), decoded=decoded.append)
    exchange = long_exchange(50)
    exchange.ended_ns = 0
    decoder.add(exchange)
    while decoder.waiting:
        await asyncio.sleep(0)

    assert decoded == []
    assert exchange.message.chunks == 49
    assert exchange.message.first_token_us == 1000


async def test_what_a_cancelled_run_has_no_time_for_is_recorded_as_far_as_it_was_decoded():
    decoded = []
    decoder = IdleDecoder(asyncio.get_running_loop(), decoded=decoded.append)
    exchanges = [long_exchange(20_000) for _ in range(3)]
    for exchange in exchanges:
        decoder.add(exchange)
    decoder.finish_by(monotonic_ns() + 20_000_000)
    while decoder.waiting:
        await asyncio.sleep(0)
    records = [exchange.record(0, keep_text=False) for exchange in exchanges]

    assert sorted(decoded, key=id) == sorted(exchanges, key=id)
    assert {record.failure.kind for record in records} == {FailureKind.CANCELLED}
    assert all(0 < len(record.chunk_us) < 19_999 for record in records)  # each had its turn, none its end
    assert all(record.reads == 20_001 for record in records)


async def test_a_cancelled_run_decodes_to_its_end_what_it_has_time_for():
    decoded = []
    decoder = IdleDecoder(asyncio.get_running_loop(), decoded=decoded.append)
    decoder.add(long_exchange(50))
    decoder.finish_by(monotonic_ns() + 60_000_000_000)
    while decoder.waiting:
        await asyncio.sleep(0)

    assert decoded[0].record(0, keep_text=False).failure is None


async def test_a_process_that_has_used_its_share_decodes_later(monkeypatch):
    monkeypatch.setattr(decoding, "MOST_SHARE", 0.0)
    monkeypatch.setattr(decoding, "MOST_WAIT_NS", 60_000_000_000)
    decoded = []
    decoder = IdleDecoder(asyncio.get_running_loop(), decoded=decoded.append)
    decoder.add(long_exchange(50))
    for _ in range(20):
        await asyncio.sleep(0.001)
    waited = not decoded
    monkeypatch.setattr(decoding, "MOST_SHARE", 1000.0)
    async with asyncio.timeout(20):
        while decoder.waiting:
            await asyncio.sleep(0.001)

    assert waited
    assert len(decoded) == 1


async def test_a_loop_that_never_rests_decodes_all_the_same(monkeypatch):
    monkeypatch.setattr(decoding, "MOST_SHARE", 0.0)
    monkeypatch.setattr(decoding, "MOST_WAIT_NS", 1_000_000)
    decoder = IdleDecoder(asyncio.get_running_loop(), decoded=lambda _: None)
    decoder.add(long_exchange(2000))

    async with asyncio.timeout(20):
        while decoder.waiting:
            await asyncio.sleep(0)


async def test_memory_is_bounded_even_then(monkeypatch):
    monkeypatch.setattr(decoding, "MOST_SHARE", 0.0)
    monkeypatch.setattr(decoding, "BACKLOG_BYTES", -1)  # everything is too much
    decoder = IdleDecoder(asyncio.get_running_loop(), decoded=lambda _: None)
    decoder.add(long_exchange(50))

    async with asyncio.timeout(20):
        while decoder.waiting:
            await asyncio.sleep(0.001)
