"""Runs plans one after the other for the command line, and writes the run file. Ctrl-C keeps what was measured."""

import contextlib
import queue
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core import runfile
from core.command.terminal import Line, table
from core.fleet.hosting import Host, HostError, with_served
from core.fleet.local import LocalRun, opening_run
from core.plan import RunPlan
from core.records import Outcome
from core.run import Run, RunState
from core.summary import Summary, summarise
from core.words import say


class Stopper:
    """Turns Ctrl-C into a cancel of the run under way; a second one ends the command at once.

    A signal comes in the midst of whatever the main thread does, which may hold the run's lock: another thread cancels.
    """

    def __init__(self) -> None:
        self._asked = False
        self.local: LocalRun | None = None
        self._cancels: queue.SimpleQueue[bool] = queue.SimpleQueue()  # its `put` may be called from a signal

    def __call__(self, *_: object) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
        self._cancels.put(True)

    def asked(self) -> bool:
        """Whether the user wants to stop."""
        return self._asked

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Ctrl-C and a polite kill both stop the run within."""
        threading.Thread(target=self._cancel_when_asked, name="ctrl-c", daemon=True).start()
        before = {number: signal.signal(number, self) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            self._cancels.put(False)

    def _cancel_when_asked(self) -> None:
        if self._cancels.get() and self.local is not None:
            self.local.cancel()


@contextlib.contextmanager
def host_for(plans: Sequence[RunPlan]) -> Iterator[Host | None]:
    """Who starts the built-in servers that these plans need; None if they need none."""
    if not any(plan.configuration.endpoint.demo for plan in plans):
        yield None
        return
    from core.fleet.builtin_host import BuiltinHost
    from core.servers.demo import DemoServers

    servers = DemoServers()
    host = BuiltinHost(servers)
    try:
        yield host
    finally:
        host.release()
        servers.stop_all()


def measure(
    plans: Sequence[RunPlan],
    *,
    key_headers: Sequence[tuple[str, str] | None] | None = None,
    environ: dict[str, str] | None = None,
    preflight: bool = True,
) -> list[Run]:
    """The runs of these plans; fewer if the user stopped, or if a built-in server did not start (which is told).

    Raises KeyboardInterrupt if the user stopped before there was a run.
    """
    stopper = Stopper()
    runs: list[Run] = []
    with stopper.listening(), host_for(plans) as host:
        for position, (plan, key_header) in enumerate(zip(plans, key_headers or [None] * len(plans), strict=True)):
            if stopper.asked():
                break
            line = Line(plans, position)
            try:
                placed, server = _placed(plan, host, line, stopper)
            except HostError as fault:
                line.tell(str(fault))
                break
            local = LocalRun(placed, key_header=key_header, listener=line, environ=environ, preflight=preflight)
            stopper.local = local
            if stopper.asked():  # while the server was made ready
                local.cancel()
            line.stage(say("asking what the endpoint accepts") if preflight else say("connecting"))
            opening = opening_run(plan, local.run_id)
            run = local.run(replace(opening, environment={**opening.environment, **server}))
            line.clear()
            runs.append(with_served(run, host))
    if stopper.asked() and not runs:
        raise KeyboardInterrupt
    return runs


def _placed(plan: RunPlan, host: Host | None, line: Line, stopper: Stopper) -> tuple[RunPlan, dict[str, Any]]:
    """The plan with an address that answers, and what is known of a server of ours. Raises HostError."""
    if host is None or not plan.configuration.endpoint.demo:
        return plan, {}

    def tell(words: str) -> None:
        if stopper.asked():
            raise HostError(say("Stopped before the server was ready."))
        line.stage(words)

    placed, server = host.ready(plan, tell)
    line.clear()
    return placed, {"server": server}


def report(runs: Sequence[Run], out: Path | None, *, wanted: int, texts: bool = False) -> int:
    """Print the table, write the file, and say by the exit status whether requests of all `wanted` runs succeeded."""
    if not runs:
        return 1
    summaries: list[tuple[Run, Summary]] = [(run, summarise(run.requests)) for run in runs]
    written = out is None
    if out is not None:
        try:
            runfile.write(out, runs, summaries={run.id: summary for run, summary in summaries}, texts=texts)
            written = True
        except OSError as fault:
            print(say("{path} cannot be written: {fault}.", path=out, fault=fault.strerror or fault), file=sys.stderr)
    print(table(summaries))
    if out is not None and written:
        print(say("Written: {path}", path=out))
    cancelled = any(run.state is RunState.CANCELLED for run in runs)
    complete = len(runs) == wanted or cancelled
    return 0 if written and complete and all(_succeeded(run) for run in runs) else 1


def _succeeded(run: Run) -> bool:
    """Whether a measured request did; warm-up proves nothing."""
    return run.state is not RunState.FAILED and any(
        request.outcome is Outcome.OK and not request.warmup for request in run.requests
    )
