"""The closed loop: keeps a number of requests in flight until enough were sent or the time is over.

Knows lanes, limits and stop rules; never looks into an answer and never raises for the network.
"""

import asyncio
import contextlib
import gc
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from time import monotonic_ns

from core.loadgen.decoding import IdleDecoder
from core.loadgen.dialling import Dialler
from core.loadgen.exchange import Exchange
from core.loadgen.lanes import Lanes
from core.loadgen.prompts import Prompts
from core.loadgen.seen import Prepared
from core.loadgen.supply import Supply
from core.loadgen.watch import Watch
from core.plan import RunPlan
from core.records import Failure, FailureKind, Outcome, RequestRecord
from core.run import StoppedBy
from core.words import say

WAVE = 8  # requests that leave between two looks at the sockets: together they take 0.2 ms
SLICE = 128  # requests in flight that are looked at between two looks at the sockets, for the live view
FEWEST_FOR_BREAKER = 20
DECODED_WITHIN_NS = 500_000_000  # after a cancel; records and the process's end need time within its 2 s, too
FAILURE_PAUSE_S = 0.05  # a lane that is turned away at once does not hammer the server


class Engine:
    """Runs one plan against its endpoint and gives every record to `keep`, decoded, in the order of decoding."""

    def __init__(
        self,
        plan: RunPlan,
        prompts: Prompts,
        *,
        keep: Callable[[RequestRecord], None],
        reuse: bool = True,
        measuring: Callable[[], None] = lambda: None,
    ) -> None:
        """`reuse`: connections are kept as long as the server keeps them; `measuring` is called as warm-up ends."""
        self._loop = asyncio.get_running_loop()
        self.plan = plan
        self._keep = keep
        self._dialler = Dialler(self._loop, plan.configuration.endpoint)
        self._lanes = Lanes(self._dialler, plan.load.concurrency, reuse=reuse)
        self._decoder = IdleDecoder(self._loop, decoded=self._decoded)
        self._watch = Watch(self._loop, plan.limits, in_flight=self._flying, decode=self._decoder.add)
        self._in_flight: set[Exchange] = set()
        self._drained = asyncio.Event()
        self._measuring = measuring
        self._supply = Supply(self._loop, prompts)
        self._back: deque[asyncio.Future[None]] = deque()  # of lanes whose request has returned
        self._stop_ns: int | None = None
        self.started_ns = monotonic_ns()
        self.warming_up = False
        self.stopped_by: StoppedBy | None = None
        self.sent = self.ended = self.failed = self.output_tokens = 0
        self.max_in_flight = self.reads = self.chunks_done = self.measured_chunks = 0
        self.server_name: str | None = None

    # -- the life of a run ------------------------------------------------------------------------------------------

    async def run(self) -> StoppedBy:
        """Warm up, measure, decode what is left; say what ended the sending."""
        load = self.plan.load
        await self._lanes.open()
        gc.collect()
        gc.freeze()
        gc.disable()  # a collection would hold the loop; nothing in here makes cycles that matter within a run
        self._watch.start()
        try:
            if load.warmup_requests:
                self.warming_up = True
                await self._phase(range(load.warmup_requests), warmup=True)
                await self._lanes.open()  # those that a long warm-up left idle are stale by now
                self.warming_up = False
            if self.stopped_by is None:
                await self._phase(self._measured_indices(), warmup=False)
        finally:
            self._watch.stop()
            await self._lanes.close()
            await self._all_decoded()
            gc.enable()
            gc.unfreeze()
        return self.stopped_by or StoppedBy.REQUESTS  # all that were asked for, or the cap of a timed run

    def stop(self, why: StoppedBy) -> None:
        """Send no more. For the user's cancel what is in flight is cut: the server sees the connections go."""
        if self.stopped_by is None:
            self.stopped_by = why
        self._supply.stop()
        if why is StoppedBy.USER:
            now = monotonic_ns()
            for exchange in list(self._in_flight):
                exchange.fail(FailureKind.CANCELLED, say("Cancelled."), now_ns=now)
            self._lanes.stop()
            self._decoder.finish_by(now + DECODED_WITHIN_NS)

    def _measured_indices(self) -> range:
        load = self.plan.load
        return range(min(load.requests or self.plan.limits.max_requests, self.plan.limits.max_requests))

    async def _phase(self, indices: range, *, warmup: bool) -> None:
        self._supply.begin(indices, ahead=len(self._lanes) + 1, warmup=warmup)
        if not warmup:
            self._measuring()
            if self.plan.load.duration_s is not None:
                self._stop_ns = monotonic_ns() + round(self.plan.load.duration_s * 1e9)
        running = []
        for place in range(min(len(self._lanes), len(indices))):
            running.append(asyncio.create_task(self._lane(place, warmup=warmup)))
            if place % WAVE == WAVE - 1:
                await asyncio.sleep(0)  # the first answers may come before the last requests have left
        await asyncio.gather(*running)

    async def _lane(self, place: int, *, warmup: bool) -> None:
        """One of the requests kept in flight: the next leaves when one has returned."""
        while (prepared := self._take(warmup=warmup)) is not None:
            exchange = await self._one(place, prepared)
            turned_away = exchange.failure is not None or exchange.refused
            if turned_away and exchange.ended_ns - exchange.sent_ns < FAILURE_PAUSE_S * 1e9:
                await asyncio.sleep(FAILURE_PAUSE_S)

    async def _one(self, place: int, prepared: Prepared) -> Exchange:
        connection = await self._lanes.connection(place)
        waiting = self._loop.create_future()

        def ended(exchange: Exchange) -> None:
            self._in_flight.discard(exchange)
            self._decoder.add(exchange)
            self._back.append(waiting)
            if len(self._back) == 1:
                self._loop.call_soon(self._wake_lanes)  # after the reads that already wait

        exchange = Exchange(prepared, ended=ended, keep_text=self.plan.workload.keep_text)
        if isinstance(connection, Failure):
            exchange.failure = connection
            exchange.end(monotonic_ns())
        elif self.stopped_by is StoppedBy.USER:
            exchange.fail(FailureKind.CANCELLED, say("Cancelled before it was sent."))
            exchange.end(monotonic_ns())
        else:
            self._in_flight.add(exchange)
            self.max_in_flight = max(self.max_in_flight, len(self._in_flight))
            self.sent += not prepared.warmup
            exchange.connect_s, connection.connect_s = connection.connect_s, None  # told once, by its first request
            connection.send(exchange)
        await waiting
        return exchange

    def _take(self, *, warmup: bool) -> Prepared | None:
        if self.stopped_by is not None:
            return None
        if self._stop_ns is not None and not warmup and monotonic_ns() >= self._stop_ns:
            self.stopped_by = StoppedBy.DURATION
            return None
        return self._supply.take()

    def _wake_lanes(self) -> None:
        """Many requests may end in one pass of the loop; if all lanes sent at once, what comes meanwhile would wait."""
        for _ in range(min(WAVE, len(self._back))):
            waiting = self._back.popleft()
            if not waiting.done():
                waiting.set_result(None)
        if self._back:
            self._loop.call_soon(self._wake_lanes)

    # -- what comes back ----------------------------------------------------------------------------------------------

    def _flying(self) -> set[Exchange]:
        return self._in_flight

    def _decoded(self, exchange: Exchange) -> None:
        record = exchange.record(self.started_ns, keep_text=self.plan.workload.keep_text)
        record = self._with_place(record)
        self.server_name = exchange.message.server_name or self.server_name
        self.reads += record.reads
        self.chunks_done += len(record.chunk_us)
        if not record.warmup:
            self.measured_chunks += len(record.chunk_us)
            self.ended += 1
            self.failed += record.outcome is Outcome.FAILED
            self.output_tokens += record.output_tokens or 0
            self._break_if_hopeless()
        if exchange.message.broken:
            exchange.distrust()
        exchange.release()
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
        # Fast failures end before slow successes: what is on its way, or not decoded yet, may have succeeded.
        known = self.ended + len(self._in_flight) + self._decoder.waiting
        if self.ended >= FEWEST_FOR_BREAKER and self.failed > limits.error_share * known:
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

    async def seen_so_far(self) -> tuple[int, set[tuple[float, float]]]:
        """Of measured requests: output chunks decoded until now, and (at_s, ttft_s) of first tokens still in flight."""
        chunks, first_tokens = self.measured_chunks, set()
        flying = [exchange for exchange in self._in_flight if not exchange.prepared.warmup]
        for begin in range(0, len(flying), SLICE):
            for exchange in flying[begin : begin + SLICE]:
                chunks += exchange.message.chunks
                first_us = exchange.message.first_token_us
                if first_us is not None:
                    sent_s = (exchange.sent_ns - self.started_ns) / 1e9
                    first_tokens.add((sent_s + first_us / 1e6, first_us / 1e6))
            await asyncio.sleep(0)
        return chunks, first_tokens
