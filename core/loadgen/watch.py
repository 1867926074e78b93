"""Gives up requests that pass a limit, and points out long ones. One timer for all; no timer a request."""

import asyncio
from collections.abc import Callable, Iterable
from time import monotonic_ns

from core.loadgen.exchange import Exchange
from core.plan import Limits
from core.records import FailureKind
from core.words import say

LONG_NS = 2_000_000_000
LONG_BYTES = 1_000_000
MOST_WAITING_BYTES = 200_000_000  # of all requests together: what comes faster than it is decoded fills the memory
LEAST_CAP_BYTES, BYTES_A_TOKEN = 64_000_000, 20_000
SLICE = 128  # requests that are looked at before the loop has its turn again
LIGHT_READS = 500  # so few that decoding them now, for the live view, costs nobody anything: 2 ms in slices
SLOWEST_TICK_S = 0.25
FASTEST_TICK_S = 0.01


def most_bytes(tokens: int) -> int:
    """How long an answer may get: generous to servers that ignore the limit, and still bounded."""
    return LEAST_CAP_BYTES + tokens * BYTES_A_TOKEN


def passed(exchange: Exchange, limits: Limits, now_ns: int) -> tuple[FailureKind, str] | None:
    """The limit that this exchange has passed at `now_ns`, as a kind and a sentence; None if none."""
    age_s = (now_ns - exchange.sent_ns) / 1e9
    if exchange.bytes_seen > most_bytes(exchange.prepared.output_tokens):
        return FailureKind.STREAM_ERROR, say(
            "Given up after {size:,} bytes: far more than an answer of {tokens:,} tokens needs.",
            size=exchange.bytes_seen,
            tokens=exchange.prepared.output_tokens,
        )
    if age_s > limits.total_s:
        return FailureKind.TOTAL_TIMEOUT, say("Not finished within {limit_s:g} s.", limit_s=limits.total_s)
    if exchange.last_read_ns is None:
        if age_s > limits.first_byte_s:
            return FailureKind.FIRST_BYTE_TIMEOUT, say("No byte within {limit_s:g} s.", limit_s=limits.first_byte_s)
    elif (now_ns - exchange.last_read_ns) / 1e9 > limits.idle_s:
        return FailureKind.IDLE_TIMEOUT, say("Nothing more came for {limit_s:g} s.", limit_s=limits.idle_s)
    return None


def flooding(exchange: Exchange, room: int) -> tuple[FailureKind, str] | None:
    """A request of which more waits to be decoded than there is room for, as a kind and a sentence; else None."""
    if exchange.undecoded <= room:
        return None
    return FailureKind.STREAM_ERROR, say(
        "Given up after {size:,} bytes: they came faster than this machine can decode them.", size=exchange.bytes_seen
    )


def is_long(exchange: Exchange, now_ns: int) -> bool:
    """Whether an answer is decoded on the way, so that memory stays bounded: after 2 s or 1 MB."""
    return now_ns - exchange.sent_ns > LONG_NS or exchange.bytes_seen > LONG_BYTES


class Watch:
    """Looks at everything in flight a few times a second: has a limit passed, is it time to decode?"""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        limits: Limits,
        *,
        in_flight: Callable[[], Iterable[Exchange]],
        decode: Callable[[Exchange], None],
    ) -> None:
        self._loop = loop
        self._limits = limits
        self._in_flight = in_flight
        self._decode = decode
        shortest = min(limits.first_byte_s, limits.idle_s, limits.total_s)
        self._tick_s = min(SLOWEST_TICK_S, max(FASTEST_TICK_S, shortest / 10))
        self._handle: asyncio.Handle | None = None

    def start(self) -> None:
        """Begin to look."""
        self._handle = self._loop.call_later(self._tick_s, self._look)

    def stop(self) -> None:
        """Look no more."""
        if self._handle is not None:
            self._handle.cancel()

    def _look(self) -> None:
        exchanges = list(self._in_flight())
        light = sum(len(exchange.reads) for exchange in exchanges) <= LIGHT_READS
        waiting = sum(exchange.undecoded for exchange in exchanges)
        room = MOST_WAITING_BYTES // len(exchanges) if waiting > MOST_WAITING_BYTES else waiting
        self._look_at(exchanges, light=light, room=room)

    def _look_at(self, exchanges: list[Exchange], *, light: bool, room: int) -> None:
        """A few at a time: a thousand would take 2 ms, in which nothing is read."""
        now = monotonic_ns()
        for exchange in exchanges[:SLICE]:
            if exchange.ended_ns:
                continue  # since they were listed
            found = passed(exchange, self._limits, now) or flooding(exchange, room)
            if found is not None:
                kind, words = found
                exchange.fail(kind, words, now_ns=now)
                if exchange.undecoded > LONG_BYTES:
                    exchange.leave_undecoded()
            elif exchange.reads and (light or is_long(exchange, now)):
                self._decode(exchange)
        if rest := exchanges[SLICE:]:
            self._handle = self._loop.call_soon(lambda: self._look_at(rest, light=light, room=room))
        else:
            self._handle = self._loop.call_later(self._tick_s, self._look)
