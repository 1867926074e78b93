"""One run in the measuring child: warm-up, the measured requests, what comes back, and what ends it.

Knows limits and stop rules; never looks into an answer, never raises for the network. Which request leaves when is the
business of its loop: `core.loadgen.closed_loop` or `core.loadgen.open_loop`.
"""

import asyncio
import contextlib
import gc
from collections.abc import Callable
from dataclasses import replace
from time import monotonic_ns

from core.loadgen.closed_loop import ClosedLoop
from core.loadgen.decoding import IdleDecoder
from core.loadgen.dialling import Dialler
from core.loadgen.exchange import Exchange
from core.loadgen.flight import Flight
from core.loadgen.lanes import Lanes
from core.loadgen.open_loop import OpenLoop
from core.loadgen.pool import Pool
from core.loadgen.prompts import Prompts
from core.loadgen.restraining import Restraining
from core.loadgen.saturation import SaturationWatch
from core.loadgen.supply import Supply
from core.loadgen.watch import Watch
from core.plan import RunPlan
from core.records import FailureKind, Outcome, RequestRecord
from core.restraint import Restraint
from core.run import StoppedBy
from core.words import say

FEWEST_FOR_BREAKER = 20
SLICE = 128  # requests in flight that are looked at between two looks at the sockets, for the live view
DECODED_WITHIN_NS = 500_000_000  # after a cancel; records and the process's end need time within its 2 s, too
WARM_LANES = 16  # of an open loop: its warm-up is a small closed one


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
        restraint: Restraint | None = None,
    ) -> None:
        """`reuse`: connections are kept as long as the server keeps them; `measuring` is called as warm-up ends.

        `restraint`: the load's own, completed by what the endpoint told.
        """
        self._loop = asyncio.get_running_loop()
        self.plan = plan
        self._prompts = prompts
        self._keep = keep
        self._dialler = Dialler(self._loop, plan.configuration.endpoint)
        load = plan.load
        self._lanes = Lanes(self._dialler, load.concurrency or min(WARM_LANES, load.most_in_flight), reuse=reuse)
        self._pool = Pool(self._dialler, reuse=reuse)
        self._supply = Supply(self._loop, prompts)
        self._decoder = IdleDecoder(self._loop, decoded=self._decoded)
        self._flight = Flight(decode=self._decoder.add, keep_text=plan.workload.keep_text)
        self._watch = Watch(self._loop, plan.limits, in_flight=self._flying, decode=self._decoder.add)
        self._sending: ClosedLoop | OpenLoop | None = None
        self._restraining = Restraining(restraint or load.restraint)
        self._saturation = SaturationWatch(self._loop, in_flight=self._flying, stop=self._saturated)
        self._drained = asyncio.Event()
        self._measuring = measuring
        self.started_ns = monotonic_ns()
        self.warming_up = False
        self.stopped_by: StoppedBy | None = None
        self.ended = self.failed = self.output_tokens = 0
        self.reads = self.chunks_done = self.measured_chunks = 0
        self.server_name: str | None = None
        self.told_limits: dict[str, int | float] = {}

    # -- the life of a run ------------------------------------------------------------------------------------------

    async def run(self) -> StoppedBy:
        """Warm up, measure, decode what is left; say what ended the sending."""
        load = self.plan.load
        if load.concurrency is not None or load.warmup_requests:
            await self._lanes.open()
        gc.collect()
        gc.freeze()
        gc.disable()  # a collection would hold the loop; nothing in here makes cycles that matter within a run
        self._watch.start()
        try:
            if load.warmup_requests:
                self.warming_up = True
                await self._warm_up(load.warmup_requests)
                self.warming_up = False
            if self.stopped_by is None:
                await (self._measure_open() if load.concurrency is None else self._measure_closed())
        finally:
            self._watch.stop()
            self._saturation.stop()
            await self._lanes.close()
            await self._pool.close()
            await self._all_decoded()
            gc.enable()
            gc.unfreeze()
        return self.stopped_by or StoppedBy.REQUESTS  # all that were asked for, or the cap of a timed run

    def stop(self, why: StoppedBy) -> None:
        """Send no more. For the user's cancel what is in flight is cut: the server sees the connections go."""
        if self.stopped_by is None:
            self.stopped_by = why
        if self._sending is not None:
            self._sending.stop()
        if why is StoppedBy.USER:
            now = monotonic_ns()
            self._flight.cut(now)
            self._lanes.stop()
            self._pool.stop()
            self._decoder.finish_by(now + DECODED_WITHIN_NS)

    async def _warm_up(self, count: int) -> None:
        self._sending = closed = self._closed_loop()
        await closed.run(count, warmup=True)

    def _closed_loop(self) -> ClosedLoop:
        return ClosedLoop(
            self._loop, self.plan.load, self._lanes, self._flight, self._supply, restraining=self._restraining
        )

    def _measured_begin(self) -> None:
        self._restraining.measuring()
        self._measuring()

    async def _measure_closed(self) -> None:
        await self._lanes.open()  # those that a long warm-up left idle are stale by now
        if self.stopped_by is not None:
            return
        load = self.plan.load
        self._measured_begin()
        self._sending = closed = self._closed_loop()
        most = self.plan.limits.max_requests
        await closed.run(min(load.requests or most, most), duration_s=load.duration_s)
        if closed.timed_out and self.stopped_by is None:
            self.stopped_by = StoppedBy.DURATION

    async def _measure_open(self) -> None:
        await self._lanes.close()
        self._measured_begin()
        self._sending = opened = OpenLoop(
            self._loop, self.plan.load, self._pool, self._flight,
            seed=self.plan.workload.seed, prepare=self._prompts.prepare, restraining=self._restraining,
            rows=self._prompts.rows,
        )  # fmt: skip
        if self.plan.load.stop_when_saturated:
            self._saturation.start(self.started_ns)
        await opened.run(self.plan.limits.max_requests)
        if opened.timed_out and self.stopped_by is None:
            self.stopped_by = StoppedBy.DURATION

    def _saturated(self) -> None:
        self.stop(StoppedBy.SATURATION)

    # -- what comes back ----------------------------------------------------------------------------------------------

    def _flying(self) -> set[Exchange]:
        return self._flight.exchanges

    def _decoded(self, exchange: Exchange) -> None:
        record = exchange.record(self.started_ns, keep_text=self.plan.workload.keep_text)
        record = self._with_place(record)
        self.server_name = exchange.message.server_name or self.server_name
        self.told_limits.update(exchange.message.limits())
        if record.failure is not None and record.failure.retry_after_s is not None:
            self._wait_as_asked(exchange.ended_ns, record.failure.retry_after_s)
        self.reads += record.reads
        self.chunks_done += len(record.chunk_us)
        if not record.warmup:
            self.measured_chunks += len(record.chunk_us)
            self.ended += 1
            self.failed += record.outcome is Outcome.FAILED
            self.output_tokens += record.output_tokens or 0
            self._saturation.see(record)
            self._break_if_hopeless()
        if exchange.message.broken:
            exchange.distrust()
        exchange.release()
        self._keep(record)
        if not self._flight.exchanges and not self._decoder.waiting:
            self._drained.set()

    def _wait_as_asked(self, ended_ns: int, seconds: float) -> None:
        """Lanes of a closed loop look themselves; an open one has to move its schedule."""
        if self._restraining.asked_to_wait(ended_ns, seconds) and isinstance(self._sending, OpenLoop):
            self._sending.hold(self._restraining.until_ns)

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
        known = self.ended + len(self._flight.exchanges) + self._decoder.waiting
        if self.ended >= FEWEST_FOR_BREAKER and self.failed > limits.error_share * known:
            self.stop(StoppedBy.ERRORS)
        if limits.max_output_tokens is not None and self.output_tokens >= limits.max_output_tokens:
            self.stop(StoppedBy.TOKENS)

    async def _all_decoded(self) -> None:
        while self._decoder.waiting or self._flight.exchanges:
            self._drained.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.2):
                    await self._drained.wait()

    # -- for the live view ------------------------------------------------------------------------------------------

    @property
    def sent(self) -> int:
        """Measured requests that left."""
        return self._flight.sent

    @property
    def max_in_flight(self) -> int:
        """Most requests on their way at once, warm-up included."""
        return self._flight.most

    @property
    def in_flight(self) -> int:
        """Requests on their way now."""
        return len(self._flight.exchanges)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the run's start."""
        return (monotonic_ns() - self.started_ns) / 1e9

    @property
    def waiting_s(self) -> float:
        """How long nothing is sent yet, because an answer asked to wait."""
        return max(0, self._restraining.until_ns - monotonic_ns()) / 1e9

    def held_back(self) -> dict[str, float | int | None]:
        """What limits and answers that asked to wait did to the sending, as a client's health tells it."""
        restraining = self._restraining
        paced = restraining.is_paced
        return {
            "waited_s": restraining.waited_s(monotonic_ns()), "waits": restraining.waits or None,
            "held_requests": min(restraining.held, self.sent) if paced else None,
        }  # fmt: skip

    async def seen_so_far(self) -> tuple[int, set[tuple[float, float]]]:
        """Of measured requests: output chunks decoded until now, and (at_s, ttft_s) of first tokens still in flight."""
        chunks, first_tokens = self.measured_chunks, set()
        flying = [exchange for exchange in self._flight.exchanges if not exchange.prepared.warmup]
        for begin in range(0, len(flying), SLICE):
            for exchange in flying[begin : begin + SLICE]:
                chunks += exchange.message.chunks
                first_us = exchange.message.first_token_us
                if first_us is not None:
                    sent_s = (exchange.sent_ns - self.started_ns) / 1e9
                    first_tokens.add((sent_s + first_us / 1e6, first_us / 1e6))
            await asyncio.sleep(0)
        return chunks, first_tokens
