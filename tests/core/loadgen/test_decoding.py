"""Decoding happens in slices between reads, and everything is decoded in the end."""

import asyncio

from core.loadgen.decoding import IdleDecoder
from tests.core.loadgen.scripted import CHUNKED, FINISH, chunk, event
from tests.core.loadgen.test_exchange import exchange_with


def long_exchange(chunks: int):
    reads = (
        [(0, CHUNKED)] + [(at, chunk(event("x"))) for at in range(1, chunks)] + [(chunks, chunk(FINISH) + b"0\r\n\r\n")]
    )
    return exchange_with(reads, ended_ms=chunks)


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


async def test_an_exchange_in_flight_is_decoded_but_not_given_up():
    decoded = []
    decoder = IdleDecoder(asyncio.get_running_loop(), decoded=decoded.append)
    exchange = long_exchange(50)
    exchange.ended_ns = 0
    decoder.add(exchange)
    while decoder.waiting:
        await asyncio.sleep(0)

    assert decoded == []
    assert exchange.chunks_so_far == 49
    assert exchange.first_token_us == 1000
