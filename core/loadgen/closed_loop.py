"""The closed loop: keeps requests in flight; the next leaves when one has returned. Never looks into an answer."""

import asyncio
import contextlib
from collections import deque
from time import monotonic_ns

from core.load import Load
from core.loadgen.exchange import Exchange
from core.loadgen.flight import Flight
from core.loadgen.lanes import Lanes
from core.loadgen.restraining import Restraining
from core.loadgen.seen import Prepared
from core.loadgen.supply import Supply

WAVE = 8  # requests that leave between two looks at the sockets: together they take 0.2 ms
FAILURE_PAUSE_S = 0.05  # a lane that is turned away at once does not hammer the server


class ClosedLoop:
    """One phase of a run: warm-up, or the measured requests."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        load: Load,
        lanes: Lanes,
        flight: Flight,
        supply: Supply,
        *,
        restraining: Restraining,
    ) -> None:
        self._loop, self._load, self._lanes, self._flight, self._supply = loop, load, lanes, flight, supply
        self._restraining = restraining
        self._staged = False
        self._back: deque[tuple[asyncio.Future[Exchange], Exchange]] = deque()  # lanes whose request has returned
        self._begin_ns = 0
        self._stop_ns: int | None = None
        self._stopped = asyncio.Event()
        self.timed_out = False

    async def run(self, count: int, *, duration_s: float | None = None, warmup: bool = False) -> None:
        """Send `count` requests, fewer if the time is over before, and wait for the last to end.

        Warm-up requests have other prompts, and do not follow the load's stages.
        """
        self._supply.begin(range(count), ahead=len(self._lanes) + 1, warmup=warmup)
        self._staged = bool(self._load.stages) and not warmup
        self._begin_ns = monotonic_ns()
        if duration_s is not None:
            self._stop_ns = self._begin_ns + round(duration_s * 1e9)
        running = []
        for place in range(min(len(self._lanes), count)):
            running.append(asyncio.create_task(self._lane(place)))
            if place % WAVE == WAVE - 1:
                await asyncio.sleep(0)  # the first answers may come before the last requests have left
        await asyncio.gather(*running)

    def stop(self) -> None:
        """Send no more."""
        self._supply.stop()
        self._stopped.set()

    async def _lane(self, place: int) -> None:
        while await self._has_turn(place) and (prepared := self._take()) is not None:
            if not await self._may_leave(prepared):
                return
            exchange = await self._one(place, prepared)
            turned_away = exchange.failure is not None or exchange.refused
            if turned_away and exchange.ended_ns - exchange.sent_ns < FAILURE_PAUSE_S * 1e9:
                await asyncio.sleep(FAILURE_PAUSE_S)

    async def _has_turn(self, place: int) -> bool:
        """Whether this lane takes part now; waits for the stage in which it does."""
        if not self._staged:
            return True
        at_s = (monotonic_ns() - self._begin_ns) / 1e9
        next_s = self._load.reaches(place + 1, at_s)
        if next_s is None:
            return False
        if next_s > at_s:
            await self._rest_until(self._begin_ns + round(next_s * 1e9))
        return True

    async def _may_leave(self, prepared: Prepared) -> bool:
        """Whether it is sent; waits until the limits allow it, and as long as answers asked to wait."""
        at_ns = self._restraining.turn(monotonic_ns(), prepared.input_tokens + prepared.output_tokens)
        while (due_ns := max(at_ns, self._restraining.until_ns)) > monotonic_ns():
            await self._rest_until(due_ns)
            if self._is_over():
                return False
        return True

    async def _rest_until(self, at_ns: int) -> None:
        """Until then, or until the sending ends."""
        ends_ns = at_ns if self._stop_ns is None else min(at_ns, self._stop_ns)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0, ends_ns - monotonic_ns()) / 1e9):
                await self._stopped.wait()

    async def _one(self, place: int, prepared: Prepared) -> Exchange:
        connection = await self._lanes.connection(place)
        waiting: asyncio.Future[Exchange] = self._loop.create_future()

        def ended(exchange: Exchange) -> None:
            self._back.append((waiting, exchange))
            if len(self._back) == 1:
                self._loop.call_soon(self._wake_lanes)  # after the reads that already wait

        self._flight.send(prepared, connection, ended)
        return await waiting

    def _wake_lanes(self) -> None:
        """Many requests may end in one pass of the loop; if all lanes sent at once, what comes meanwhile would wait."""
        for _ in range(min(WAVE, len(self._back))):
            waiting, exchange = self._back.popleft()
            if not waiting.done():
                waiting.set_result(exchange)
        if self._back:
            self._loop.call_soon(self._wake_lanes)

    def _take(self) -> Prepared | None:
        return None if self._is_over() else self._supply.take()

    def _is_over(self) -> bool:
        if not self._stopped.is_set() and self._stop_ns is not None and monotonic_ns() >= self._stop_ns:
            self.timed_out = True
            self.stop()
        return self._stopped.is_set()
