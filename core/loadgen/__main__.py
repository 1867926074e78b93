"""The measuring child. Reads one job from its standard input, runs it, writes records to its standard output.

It ends when its input closes: a parent that died leaves nobody to measure for.
"""

import asyncio
import contextlib
import dataclasses
import os
import signal
import sys
from collections import deque
from collections.abc import Callable

try:
    from uvloop import run as run_loop
except ImportError:  # it does not exist everywhere; the standard loop does, and costs more
    from asyncio import run as run_loop  # type: ignore[assignment]

from core.loadgen import channel
from core.loadgen.dialling import Dialler
from core.loadgen.engine import Engine
from core.loadgen.health import LagProbe
from core.loadgen.lookup import Lookup
from core.loadgen.machine_lock import LockUnusable, MachineLock
from core.loadgen.preflight import Preflighter
from core.loadgen.priority import raise_priority
from core.loadgen.prompts import Prompts, Shape
from core.loadgen.secrecy import Secrecy
from core.open_files import allow_many_sockets
from core.records import FailureKind, RequestRecord
from core.run import Preflight, StoppedBy
from core.several import some

PROGRESS_S = 0.5
LOCK_TRY_S = 0.1


class Parent(asyncio.Protocol):
    """The pipe from the parent: a job line, then perhaps `cancel`; its end ends the child."""

    def __init__(self, *, cancel: Callable[[], None], gone: Callable[[], None]) -> None:
        self.job: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._held = b""
        self._cancel = cancel
        self._gone = gone

    def data_received(self, data: bytes) -> None:
        """Lines may come in pieces; a job with a long extra body does."""
        *lines, self._held = (self._held + data).split(b"\n")
        for line in lines:
            if not self.job.done():
                self.job.set_result(line)
            elif line + b"\n" == channel.CANCEL:
                self._cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """The parent is gone."""
        del exc
        self._gone()


class Child:
    """One job from its line to its `done`."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._engine: Engine | None = None
        self._cancelled = asyncio.Event()
        self._out: asyncio.WriteTransport | None = None
        self._secrecy = Secrecy(None)
        self._reported: set[tuple[float, float]] = set()
        self._unknown_model = False
        self._unwritten: deque[RequestRecord] = deque()

    async def run(self) -> None:
        """The child's whole life."""
        parent = Parent(cancel=self._cancel, gone=_leave)
        await self._loop.connect_read_pipe(lambda: parent, sys.stdin)
        flushed = Flushed()
        # Written through the loop: a parent that is busy drawing must not hold the measuring loop at a full pipe.
        self._out, _ = await self._loop.connect_write_pipe(lambda: flushed, sys.stdout)
        job = channel.load_job(await parent.job)
        self._secrecy = Secrecy(job.key_header)
        with MachineLock() as lock:
            try:
                free = await self._acquire(lock)
            except LockUnusable as fault:
                self._say("preflight", preflight={"changes": [], "failure_message": str(fault)})
                free = False
            if free:
                await self._measure(job)
            else:
                self._say("done", stopped_by=StoppedBy.USER, client={})
        self._out.close()
        await flushed.closed.wait()

    async def _acquire(self, lock: MachineLock) -> bool:
        told = False
        while not lock.try_acquire():
            if not told:
                self._say("waiting")
                told = True
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._cancelled.wait(), LOCK_TRY_S)
            if self._cancelled.is_set():
                return False
        return True

    async def _measure(self, job: channel.Job) -> None:
        shape, reuse = Shape(ignore_eos=job.plan.workload.ignore_eos), True
        if job.preflight:
            asking = asyncio.create_task(self._asked(job))
            stopping = asyncio.create_task(self._cancelled.wait())
            await asyncio.wait((asking, stopping), return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            if not asking.done():
                asking.cancel()
                self._say("done", stopped_by=StoppedBy.USER, client={})
                return
            found, shape = asking.result()
            reuse = found.keeps_connection is not False
            self._say("preflight", preflight=self._secrecy.values(dataclasses.asdict(found)))
            if found.failure_message is not None:
                return
        priority = raise_priority()
        allow_many_sockets()
        prompts = Prompts(job.plan, tag=job.run_id, key_header=job.key_header, shape=shape)
        lag = LagProbe(self._loop, inject_s=float(os.environ.get("PACELINE_TEST_LAG_MS") or 0) / 1000)
        # What the loop is late for while lanes open and prompts are made delays no measured event.
        self._engine = engine = Engine(job.plan, prompts, keep=self._keep, reuse=reuse, measuring=lag.restart)
        self._say("started", priority=priority)
        lag.start()
        progress = asyncio.create_task(self._progress(engine, lag))
        if self._cancelled.is_set():
            engine.stop(StoppedBy.USER)
        stopped_by = await engine.run()
        lag.stop()
        progress.cancel()
        await self._say_progress(engine, lag)
        health = lag.health(
            max_in_flight=engine.max_in_flight, priority=priority, reads=engine.reads, chunks=engine.chunks_done
        )
        self._say(
            "done",
            stopped_by=stopped_by,
            client=dataclasses.asdict(health),
            server_name=self._secrecy.text(engine.server_name or "") or None,
            models=await self._models_there(job),
        )

    async def _asked(self, job: channel.Job) -> tuple[Preflight, Shape]:
        """Before the run: what the endpoint accepts, and what it is if that is wanted."""
        preflighter = Preflighter(job.plan, tag=job.run_id, key_header=job.key_header)
        found, shape = await preflighter.run()
        if job.identify and found.failure_message is None:
            self._say("server", server=self._secrecy.values(await preflighter.server()))
        return found, shape

    async def _models_there(self, job: channel.Job) -> str | None:
        """The models that exist, where a request was told that its own does not; asked once all have ended."""
        if not self._unknown_model or self._cancelled.is_set():
            return None
        endpoint = job.plan.configuration.endpoint
        names = await Lookup(endpoint, Dialler(self._loop, endpoint), job.key_header).model_names()
        return self._secrecy.text(some(names)) if names else None

    async def _progress(self, engine: Engine, lag: LagProbe) -> None:
        while True:
            await asyncio.sleep(PROGRESS_S)
            await self._say_progress(engine, lag)

    async def _say_progress(self, engine: Engine, lag: LagProbe) -> None:
        chunks, flying = await engine.seen_so_far()
        fresh, self._reported = sorted(flying - self._reported), flying
        self._say(
            "progress",
            progress={
                "at_s": engine.elapsed_s, "sent": engine.sent, "ended": engine.ended, "in_flight": engine.in_flight,
                "warming_up": engine.warming_up, "chunks": chunks, "first_tokens": fresh,
                "lag_p99_s": lag.so_far_p99_s(), "machine_busy_share": lag.busy_so_far(),
            },
        )  # fmt: skip

    def _keep(self, record: RequestRecord) -> None:
        self._unknown_model |= record.failure is not None and record.failure.kind is FailureKind.HTTP_404
        # Not at once: to make a record of 14,000 chunks and their text took 0.25 ms, to write it takes 0.35.
        # Each is below 0.5 ms up to 20,000 chunks with text; above that a run that keeps texts holds the loop longer.
        self._unwritten.append(record)
        self._loop.call_soon(self._write_record)

    def _write_record(self) -> None:
        assert self._out is not None
        if self._unwritten:
            self._out.write(channel.dump_record(self._secrecy.record(self._unwritten.popleft())))

    def _say(self, kind: str, **body: object) -> None:
        assert self._out is not None
        while self._unwritten:  # what comes later is told later
            self._write_record()
        self._out.write(channel.message(kind, **body))

    def _cancel(self) -> None:
        self._cancelled.set()
        if self._engine is not None:
            self._engine.stop(StoppedBy.USER)


class Flushed(asyncio.BaseProtocol):
    """Tells when everything written has left."""

    def __init__(self) -> None:
        self.closed = asyncio.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        """All is written, or nobody reads."""
        del exc
        self.closed.set()


def _leave() -> None:
    """The kernel closes every socket with the process: the server sees its streams go."""
    os._exit(3)


def main() -> None:
    """Run one job."""

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent says what it means

    async def child() -> None:
        await Child().run()

    run_loop(child())


if __name__ == "__main__":
    main()
