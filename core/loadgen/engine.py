"""The closed loop: keeps a number of requests in flight until enough were sent or the time is over.

Knows lanes, limits and stop rules; never looks into an answer and never raises for the network.
"""

import asyncio
import contextlib
import gc
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import monotonic_ns

from core.loadgen.connection import Connection
from core.loadgen.decoding import IdleDecoder
from core.loadgen.dialling import Dialler
from core.loadgen.exchange import Exchange
from core.loadgen.prompts import Prompts
from core.loadgen.seen import Prepared
from core.loadgen.watch import Watch
from core.plan import RunPlan
from core.records import Failure, FailureKind, Outcome, RequestRecord
from core.run import StoppedBy
from core.words import say

DIALS_AT_ONCE = 128  # a listen queue is often 128 long
FEWEST_FOR_BREAKER = 20
FAILURE_PAUSE_S = 0.05  # a lane whose request failed at once does not hammer the server


class Engine:
    """Runs one plan against its endpoint and gives every record to `keep`, decoded, in the order of decoding."""

    def __init__(
        self, plan: RunPlan, prompts: Prompts, *, keep: Callable[[RequestRecord], None], reuse: bool = True
    ) -> None:
        """`reuse`: connections are kept for the next request, as long as the server keeps them."""
        self._loop = asyncio.get_running_loop()
        self.plan = plan
        self._prompts = prompts
        self._keep = keep
        self._reuse = reuse
        self._dialler = Dialler(self._loop, plan.configuration.endpoint)
        self._decoder = IdleDecoder(self._loop, decoded=self._decoded)
        self._watch = Watch(self._loop, plan.limits, in_flight=self._flying, decode=self._decoder.add)
        self._in_flight: set[Exchange] = set()
        self._drained = asyncio.Event()
        self._indices: Iterator[int] = iter(())
        self._ready: deque[Prepared] = deque()
        self._stop_ns: int | None = None
        self.started_ns = monotonic_ns()
        self.warming_up = False
        self.stopped_by: StoppedBy | None = None
        self.sent = self.ended = self.failed = self.output_tokens = 0
        self.max_in_flight = self.reads = self.chunks_done = 0
        self.server_name: str | None = None

    # -- the life of a run ------------------------------------------------------------------------------------------

    async def run(self) -> StoppedBy:
        """Warm up, measure, decode what is left; say what ended the sending."""
        load = self.plan.load
        lanes = await self._open_lanes(load.concurrency)
        gc.collect()
        gc.freeze()
        gc.disable()  # a collection would hold the loop; nothing in here makes cycles that matter within a run
        self._watch.start()
        try:
            if load.warmup_requests:
                self.warming_up = True
                await self._phase(lanes, range(load.warmup_requests), warmup=True)
                self.warming_up = False
            if self.stopped_by is None:
                if load.duration_s is not None:
                    self._stop_ns = monotonic_ns() + round(load.duration_s * 1e9)
                await self._phase(lanes, self._measured_indices(), warmup=False)
        finally:
            self._watch.stop()
            gc.enable()
            gc.unfreeze()
            for lane in lanes:
                if lane is not None:
                    lane.close()
        await self._all_decoded()
        if self.stopped_by is None:
            self.stopped_by = StoppedBy.DURATION if load.requests is None else StoppedBy.REQUESTS
        return self.stopped_by

    def stop(self, why: StoppedBy) -> None:
        """Send no more. For the user's cancel what is in flight is cut: the server sees the connections go."""
        if self.stopped_by is None:
            self.stopped_by = why
        self._indices = iter(())
        self._ready.clear()
        if why is StoppedBy.USER:
            now = monotonic_ns()
            for exchange in list(self._in_flight):
                exchange.fail(FailureKind.CANCELLED, say("Cancelled."), now_ns=now)

    def _measured_indices(self) -> range:
        load = self.plan.load
        return range(min(load.requests or self.plan.limits.max_requests, self.plan.limits.max_requests))

    async def _open_lanes(self, count: int) -> list[Connection | None]:
        """One connection a lane, before the first request is due. A lane that cannot open tries again when it sends."""
        gate = asyncio.Semaphore(DIALS_AT_ONCE)

        async def one() -> Connection | None:
            async with gate:
                dialled = await self._dialler.dial()
            return dialled if isinstance(dialled, Connection) else None

        first = await one()
        if first is None:  # do not dial a dead address a thousand times
            return [None] * count
        return [first, *await asyncio.gather(*(one() for _ in range(count - 1)))]

    async def _phase(self, lanes: list[Connection | None], indices: range, *, warmup: bool) -> None:
        self._indices = iter(indices)
        self._ready.clear()
        self._prepare(min(len(indices), len(lanes) + 1), warmup=warmup)
        await asyncio.gather(
            *(self._lane(lanes, place, warmup=warmup) for place in range(min(len(lanes), len(indices))))
        )

    async def _lane(self, lanes: list[Connection | None], place: int, *, warmup: bool) -> None:
        """One of the requests kept in flight: the next leaves when one has returned."""
        while (prepared := self._take(warmup=warmup)) is not None:
            exchange = await self._one(lanes, place, prepared)
            if exchange.failure is not None and not exchange.reads and not exchange.total_reads:
                await asyncio.sleep(FAILURE_PAUSE_S)

    async def _dial(self, lanes: list[Connection | None], place: int) -> Connection | Failure:
        """The lane's connection, a new one if the old is closed or stale: a request that was never sent is no retry."""
        connection = lanes[place]
        if connection is not None and self._reuse and connection.usable():
            return connection
        if connection is not None:
            self._reuse = self._reuse and not connection.closed_early
            connection.close()
        dialled = await self._dialler.dial()
        lanes[place] = dialled if isinstance(dialled, Connection) else None
        return dialled

    async def _one(self, lanes: list[Connection | None], place: int, prepared: Prepared) -> Exchange:
        connection = await self._dial(lanes, place)
        waiting = self._loop.create_future()

        def ended(exchange: Exchange) -> None:
            self._in_flight.discard(exchange)
            self._decoder.add(exchange)
            if not waiting.done():
                waiting.set_result(None)  # wakes the lane after the reads that already wait

        exchange = Exchange(prepared, ended=ended)
        if isinstance(connection, Failure):
            exchange.failure = connection
            exchange.end(monotonic_ns())
        elif self.stopped_by is StoppedBy.USER:
            exchange.fail(FailureKind.CANCELLED, say("Cancelled before it was sent."))
            exchange.end(monotonic_ns())
        else:
            self._in_flight.add(exchange)
            self.max_in_flight = max(self.max_in_flight, len(self._in_flight))
            self.sent += 1
            exchange.connect_s, connection.connect_s = connection.connect_s, None  # told once, by its first request
            connection.send(exchange)
        await waiting
        return exchange

    # -- requests made ready before they are due ----------------------------------------------------------------------

    def _prepare(self, count: int, *, warmup: bool) -> None:
        for _ in range(count):
            index = next(self._indices, None)
            if index is None:
                return
            self._ready.append(self._prompts.prepare(index, warmup=warmup))

    def _take(self, *, warmup: bool) -> Prepared | None:
        if self.stopped_by is not None:
            return None
        if self._stop_ns is not None and not warmup and monotonic_ns() >= self._stop_ns:
            self.stopped_by = StoppedBy.DURATION
            return None
        if not self._ready:
            self._prepare(1, warmup=warmup)
        if not self._ready:
            return None
        prepared = self._ready.popleft()
        self._loop.call_soon(lambda: self._prepare(1, warmup=warmup))
        return prepared

    # -- what comes back ----------------------------------------------------------------------------------------------

    def _flying(self) -> set[Exchange]:
        return self._in_flight

    def _decoded(self, exchange: Exchange) -> None:
        record = exchange.record(self.started_ns, keep_text=self.plan.workload.keep_text)
        record = self._with_place(record)
        self.server_name = exchange.server_name or self.server_name
        self.reads += record.reads
        self.chunks_done += len(record.chunk_us)
        if not record.warmup:
            self.ended += 1
            self.failed += record.outcome is Outcome.FAILED
            self.output_tokens += record.output_tokens or 0
            self._break_if_hopeless()
        self._keep(record)
        if not self._in_flight and not self._decoder.waiting:
            self._drained.set()

    def _with_place(self, record: RequestRecord) -> RequestRecord:
        """A refused key is told with its name and the host it went to."""
        failure, endpoint = record.failure, self.plan.configuration.endpoint
        if failure is None or failure.kind not in (FailureKind.HTTP_401, FailureKind.HTTP_403):
            return record
        key = say("key {name}", name=endpoint.key_name) if endpoint.key_name else say("no key")
        words = say("{sentence} (sent {key} to {place})", sentence=failure.message, key=key, place=self._dialler.place)
        return replace(record, failure=replace(failure, message=words))

    def _break_if_hopeless(self) -> None:
        limits = self.plan.limits
        if self.ended >= FEWEST_FOR_BREAKER and self.failed > limits.error_share * self.ended:
            self.stop(StoppedBy.ERRORS)
        if limits.max_output_tokens is not None and self.output_tokens >= limits.max_output_tokens:
            self.stop(StoppedBy.TOKENS)

    async def _all_decoded(self) -> None:
        while self._decoder.waiting or self._in_flight:
            self._drained.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.2):
                    await self._drained.wait()

    # -- for the live view ------------------------------------------------------------------------------------------

    @property
    def in_flight(self) -> int:
        """Requests on their way now."""
        return len(self._in_flight)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the run's start."""
        return (monotonic_ns() - self.started_ns) / 1e9

    def chunks_so_far(self) -> int:
        """Output chunks decoded until now, those of requests in flight included."""
        return self.chunks_done + sum(exchange.chunks_so_far for exchange in self._in_flight)

    def first_tokens(self) -> list[tuple[float, float]]:
        """(at_s, ttft_s) of requests in flight whose first token is decoded."""
        found = []
        for exchange in self._in_flight:
            first_us = exchange.first_token_us
            if first_us is not None:
                found.append(((exchange.sent_ns - self.started_ns) / 1e9 + first_us / 1e6, first_us / 1e6))
        return found
