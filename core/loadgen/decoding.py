"""Decodes finished and long exchanges in slices between the loop's reads.

Never holds the loop for more than 0.5 ms, unless so much waits that memory would not last.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from time import monotonic_ns, process_time_ns

from core.loadgen.exchange import Exchange

IDLE_SLICE_NS = 300_000  # nothing was waiting to be read
BUSY_SLICE_NS = 60_000  # reads came meanwhile: they matter more
BUSY_GAP_NS = 100_000  # between two slices of an idle loop pass about 20 us
# Linux stops a realtime process for 50 ms once it has used 95 % of a second: no read would be stamped meanwhile.
MOST_SHARE = 0.9
CREDIT_NS = 20_000_000
PAUSE_S = 0.001
MOST_WAIT_NS = 50_000_000  # a slice at least so often: 0.3 ms of it keep answers coming on a loop that never rests
BACKLOG_BYTES = 100_000_000  # above this memory matters more: slices so long that they win, seen as loop lag
FLOODED_SLICE_NS = 5_000_000
LONG_CHUNKS = 4000  # a record of so many takes 0.1 ms, with its texts 0.2: a slice of its own, where decoding took one


class IdleDecoder:
    """A queue of exchanges whose reads wait to be decoded.

    `decoded` is called with every exchange that has ended and is decoded to its end.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, *, decoded: Callable[[Exchange], None]) -> None:
        self._loop = loop
        self._decoded = decoded
        self._waiting: deque[Exchange] = deque()
        self._scheduled = False
        self._left_ns = 0
        self._slices = 0
        self._flooded = False
        self._until_ns: int | None = None
        self._credit_ns = 0.0
        self._credit_at_ns, self._credit_cpu_ns = monotonic_ns(), process_time_ns()

    @property
    def waiting(self) -> int:
        """Exchanges that wait."""
        return len(self._waiting)

    def add(self, exchange: Exchange) -> None:
        """Queue an exchange that has ended, or one so long that it is decoded on the way."""
        if not exchange.queued:
            exchange.queued = True
            self._waiting.append(exchange)
        if not self._scheduled:
            self._scheduled = True
            self._left_ns = monotonic_ns()
            self._loop.call_soon(self._slice)

    def finish_by(self, at_ns: int) -> None:
        """The run is cancelled: what is not decoded at `at_ns` is given up, and until then all get their turn."""
        self._until_ns = at_ns

    def _slice(self) -> None:
        started = monotonic_ns()
        if self._until_ns is not None and started > self._until_ns:
            self._give_up()
            return
        self._slices += 1
        if self._slices % 64 == 0:
            self._flooded = sum(exchange.undecoded for exchange in self._waiting) > BACKLOG_BYTES
        must = self._flooded or self._until_ns is not None or started - self._left_ns > MOST_WAIT_NS
        if not (self._has_credit(started) or must):
            self._loop.call_later(PAUSE_S, self._slice)
            return
        busy = started - self._left_ns > BUSY_GAP_NS
        slice_ns = FLOODED_SLICE_NS if self._flooded else BUSY_SLICE_NS if busy else IDLE_SLICE_NS
        self._decode_until(started + slice_ns)
        self._left_ns = monotonic_ns()
        if self._waiting:
            self._loop.call_soon(self._slice)
        else:
            self._scheduled = False

    def _has_credit(self, now_ns: int) -> bool:
        """Whether this process has left some of its share unused lately."""
        cpu_ns = process_time_ns()
        self._credit_ns += MOST_SHARE * (now_ns - self._credit_at_ns) - (cpu_ns - self._credit_cpu_ns)
        # A busy past is forgotten as soon as a quiet one.
        self._credit_ns = max(-CREDIT_NS, min(self._credit_ns, CREDIT_NS))
        self._credit_at_ns, self._credit_cpu_ns = now_ns, cpu_ns
        return self._credit_ns > 0

    def _decode_until(self, deadline: int) -> None:
        while self._waiting:
            exchange = self._waiting[0]
            waited = bool(exchange.reads)
            if not exchange.decode(deadline):
                if self._until_ns is not None:
                    self._waiting.rotate(-1)
                return
            if waited and exchange.message.chunks > LONG_CHUNKS and self._until_ns is None:
                return
            self._waiting.popleft()
            exchange.queued = False
            if exchange.ended_ns:
                self._decoded(exchange)
            elif exchange.over:
                exchange.end_late()
            if monotonic_ns() > deadline:
                return

    def _give_up(self) -> None:
        self._scheduled = False
        while self._waiting:
            exchange = self._waiting.popleft()
            exchange.leave_undecoded()
            self._decoded(exchange)
