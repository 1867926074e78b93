"""The open loop: sends each request when it is due, whatever came back. Knows due times, the cap and the pool.

Never looks into an answer. What was due while the cap was reached, or while the loop was late, leaves later than
scheduled: its slip says so, and nothing hides it.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from time import monotonic_ns

from core.load import Load
from core.loadgen.alarm import Alarm
from core.loadgen.arrivals import due_times
from core.loadgen.closed_loop import WAVE
from core.loadgen.connection import Connection
from core.loadgen.exchange import Exchange
from core.loadgen.flight import Flight
from core.loadgen.pool import Pool
from core.loadgen.restraining import Restraining
from core.loadgen.seen import Prepared
from core.records import Failure
from core.trace import Rows

AHEAD, AHEAD_NS = 512, 1_500_000_000  # requests made ready before they are due: so many, so long before
SLICE = 8  # of them in one go: a prompt takes some 20 us
HORIZON_S = 0.25  # a request due within has a connection waiting; far servers need that long to be connected to
TICK_S = 0.1
START_NS = 5_000_000  # to make the first requests ready


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A request and its moment."""

    at_ns: int
    prepared: Prepared


class OpenLoop:
    """The measured requests of one run."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        load: Load,
        pool: Pool,
        flight: Flight,
        *,
        seed: int,
        prepare: Callable[[int], Prepared],
        restraining: Restraining,
        rows: Rows | None = None,
    ) -> None:
        """`rows` are those of the load's trace, if it has one."""
        self._restraining, self._rows = restraining, rows
        self._loop, self._load, self._pool, self._flight, self._prepare = loop, load, pool, flight, prepare
        self._seed = seed
        self._times: Iterator[float] = self._due_times()
        self._upcoming: deque[Due] = deque()
        self._waiting: deque[Due] = deque()
        self._alarm = Alarm(loop, self._ring)
        self._ended = asyncio.Event()
        self._dials: set[asyncio.Task[None]] = set()
        self._index = self._out = 0
        self._left: int = load.requests or 0
        self._exhausted = self._refilling = self._stopped = False
        self._begin_ns = self._held_until_ns = 0
        self._end_ns: int | None = None
        self._tick: asyncio.TimerHandle | None = None
        self.timed_out = False

    async def run(self, most: int) -> None:
        """Send everything that is due, at most `most` requests, and wait for the last to end."""
        self._left = min(self._load.requests or most, most)
        at_once = takewhile(lambda at_s: at_s <= HORIZON_S, self._due_times())
        self._pool.ready(sum(1 for _ in islice(at_once, min(self._left, self._load.most_in_flight))))
        await self._pool.opened()
        if self._stopped:
            return
        self._begin_ns = monotonic_ns() + START_NS
        if self._load.duration_s is not None:
            self._end_ns = self._begin_ns + round(self._load.duration_s * 1e9)
        self._refill(SLICE)
        self._keep_pool_ready()
        try:
            self._arm()
            await self._ended.wait()
        finally:
            self._alarm.close()
            if self._tick is not None:
                self._tick.cancel()

    def stop(self) -> None:
        """Send no more. What was due and still waits is kept as never sent."""
        self._exhausted = self._stopped = True
        self._upcoming.clear()
        while self._waiting:
            due = self._waiting.popleft()
            self._flight.leave_out(due.prepared, due.at_ns)
        self._look_for_end()

    def hold(self, until_ns: int) -> None:
        """Send nothing until then; all that has not left moves by that time, so that no slip and no latency holds it.

        A time at which the sending ends stays where it is.
        """
        now = monotonic_ns()
        by_ns = until_ns - max(now, self._held_until_ns)
        if by_ns <= 0 or self._stopped:
            return
        self._held_until_ns = until_ns
        self._begin_ns += by_ns
        self._restraining.delay(now, by_ns)
        for queue in (self._waiting, self._upcoming):
            moved = [replace(due, at_ns=due.at_ns + by_ns) for due in queue]
            queue.clear()
            queue.extend(moved)
        self._arm()

    def _due_times(self) -> Iterator[float]:
        return due_times(self._load, seed=self._seed, rows=self._rows)

    # -- what is due --------------------------------------------------------------------------------------------------

    def _ring(self) -> None:
        now = monotonic_ns()
        while self._upcoming and self._upcoming[0].at_ns <= now:
            self._waiting.append(self._upcoming.popleft())
        self._send_waiting()
        if self._end_ns is not None and now >= self._end_ns:
            self.timed_out = True
            self.stop()
            return
        self._refill_if_due()
        self._arm()

    def _arm(self) -> None:
        if self._held_until_ns > monotonic_ns():
            self._alarm.at(self._held_until_ns if self._end_ns is None else min(self._held_until_ns, self._end_ns))
        elif self._upcoming:
            self._alarm.at(self._upcoming[0].at_ns)
        elif self._end_ns is not None:  # the next would be due after the end, or what was due still waits
            self._alarm.at(self._end_ns)
        else:
            self._look_for_end()

    def _refill_if_due(self) -> None:
        if self._refilling or self._exhausted or len(self._upcoming) >= AHEAD:
            return
        if not self._upcoming or self._upcoming[-1].at_ns < monotonic_ns() + AHEAD_NS:
            self._refilling = True
            self._loop.call_soon(self._refill_later)

    def _refill_later(self) -> None:
        """In slices: reads of other requests go in between."""
        self._refilling = False
        self._refill(SLICE)
        self._refill_if_due()
        self._arm()

    def _refill(self, count: int) -> None:
        for _ in range(count):
            at_s = next(self._times, None)
            if self._left <= 0 or at_s is None:  # a trace has an end
                self._exhausted, self._end_ns = True, None
                return
            prepared = self._prepare(self._index)
            tokens = prepared.input_tokens + prepared.output_tokens
            at_ns = self._restraining.turn(self._begin_ns + round(at_s * 1e9), tokens)
            if self._end_ns is not None and at_ns >= self._end_ns:
                self._exhausted = True
                return
            self._upcoming.append(Due(at_ns=at_ns, prepared=prepared))
            self._index += 1
            self._left -= 1

    # -- sending ------------------------------------------------------------------------------------------------------

    def _send_waiting(self) -> None:
        """A few at a time: if all that is due left in one pass of the loop, what comes meanwhile would wait."""
        if self._held_until_ns > monotonic_ns():
            return
        for _ in range(WAVE):
            if not self._waiting or self._out >= self._load.most_in_flight:
                return
            due = self._waiting.popleft()
            self._out += 1
            connection = self._pool.take()
            if connection is None:
                dial = self._loop.create_task(self._send_on_new(due))
                self._dials.add(dial)
                dial.add_done_callback(self._dials.discard)
            else:
                self._send_on(due, connection)
        if self._waiting:
            self._loop.call_soon(self._send_waiting)

    async def _send_on_new(self, due: Due) -> None:
        self._send_on(due, await self._pool.dial())

    def _send_on(self, due: Due, connection: Connection | Failure) -> None:
        def ended(_: Exchange) -> None:
            # After the reads that already wait.
            self._loop.call_soon(self._after, connection)

        self._flight.send(due.prepared, connection, ended, scheduled_ns=due.at_ns)

    def _after(self, connection: Connection | Failure) -> None:
        self._out -= 1
        if isinstance(connection, Connection):
            self._pool.give_back(connection)
        self._send_waiting()
        self._look_for_end()

    def _look_for_end(self) -> None:
        over = self._exhausted and not self._upcoming and not self._waiting and not self._out
        if over and (self._end_ns is None or self._stopped):
            self._ended.set()

    def _keep_pool_ready(self) -> None:
        horizon_ns = monotonic_ns() + round((HORIZON_S + TICK_S) * 1e9)
        count = 0
        for due in self._upcoming:
            if due.at_ns > horizon_ns:
                break
            count += 1
        self._pool.ready(min(count, self._load.most_in_flight - self._out))
        self._refill_if_due()
        self._tick = self._loop.call_later(TICK_S, self._keep_pool_ready)
