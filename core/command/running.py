"""Runs plans one after the other for the command line, and writes the run file. Ctrl-C keeps what was measured."""

import contextlib
import queue
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core import runfile
from core.command.terminal import Line, printable, table
from core.command.tutorial_line import tutorial_line
from core.course import Done, following, found, searched, told
from core.fleet.hosting import Host, HostError, with_served
from core.fleet.local import LocalRun, opening_run
from core.plan import Experiment, RunPlan
from core.records import Outcome
from core.run import Run, RunState
from core.summary import summarise
from core.wire.rate_limits import OF_THE_MOMENT
from core.words import say

INTERRUPTED = 130  # the status of a command that Ctrl-C ended, whatever it had measured by then
OF_ONE_RUN = frozenset({"http_server", "models"}) | OF_THE_MOMENT  # told by a run's own answers


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What came of an experiment: its runs so far, and whether the user stopped it before its end."""

    done: tuple[Done, ...]
    interrupted: bool = False


def measure(
    experiment: Experiment,
    stopper: Stopper,
    *,
    key_headers: Mapping[str, tuple[str, str] | None] | None = None,
    environ: Mapping[str, str] | None = None,
    preflight: bool = True,
) -> Measured:
    """The runs of an experiment; fewer if the user stopped, or if a built-in server did not start (which is told).

    `stopper`: one that listens. `key_headers`: the header with the key, by configuration id.
    """
    done: list[Done] = []
    with host_for(experiment.plans) as host:
        while not stopper.asked() and (plan := following(experiment, done)) is not None:
            line = Line(experiment, done, plan)
            if done:
                line.rest(experiment.cooldown_s, stopper.asked)
            if stopper.asked():
                break
            try:
                placed, server = _placed(plan, host, line, stopper)
            except HostError as fault:
                line.tell(str(fault))
                break
            server = server or _known_server(done, plan)
            key_header = (key_headers or {}).get(plan.configuration.id)
            local = LocalRun(
                placed, key_header=key_header, listener=line, environ=environ, preflight=preflight, identify=not server
            )
            stopper.local = local
            if stopper.asked():  # while the server was made ready
                local.cancel()
            line.stage(say("asking what the endpoint accepts") if preflight else say("connecting"))
            opening = replace(opening_run(plan, local.run_id), experiment=told(experiment, done, plan))
            run = local.run(replace(opening, environment={**opening.environment, **server}))
            line.clear()
            done.append(Done(run=with_served(run, host), summary=summarise(run.requests, plan.slo)))
    return Measured(done=tuple(done), interrupted=stopper.asked())


def _known_server(done: Sequence[Done], plan: RunPlan) -> dict[str, Any]:
    """What an earlier run of the same configuration was told of its server: it is asked once, not before each level."""
    for one in done:
        if one.run.plan.configuration.id == plan.configuration.id and one.run.state is not RunState.FAILED:
            server = one.run.environment.get("server", {})
            return {"server": {name: value for name, value in server.items() if name not in OF_ONE_RUN}}
    return {}


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


def measure_and_report(experiment: Experiment, out: Path | None, *, texts: bool = False, **how: Any) -> int:
    """Measure, then print and write; Ctrl-C is held off until that is done, so that nothing measured is lost."""
    stopper = Stopper()
    with stopper.listening():
        measured = measure(experiment, stopper, **how)
        status = report(experiment, measured, out, texts=texts)
    return INTERRUPTED if stopper.asked() else status


def report(experiment: Experiment, measured: Measured, out: Path | None, *, texts: bool = False) -> int:
    """Print the table, write the file, and say by the exit status whether requests of all wanted runs succeeded."""
    done = measured.done
    if not done:
        if measured.interrupted:
            print(say("Stopped before anything was measured."), file=sys.stderr)
        return INTERRUPTED if measured.interrupted else 1
    written = out is None or _written(out, experiment, done, texts=texts)  # before words that nobody may read
    print(table([(one.run, one.summary) for one in done]))
    for words in filter(None, [*_verdict(experiment, done), tutorial_line(done), *_edges(experiment, done)]):
        print(printable(words))
    if out is not None and written:
        print(say("Written: {path}", path=out))
    if measured.interrupted:
        return INTERRUPTED
    # Of a search a level that is too much may fail: that is what is looked for.
    enough = any if experiment.search is not None else all
    complete = following(experiment, done) is None and not any(one.cut_short for one in searched(experiment, done))
    return 0 if written and complete and enough(_succeeded(one.run) for one in done) else 1


def _verdict(experiment: Experiment, done: Sequence[Done]) -> list[str]:
    """Of a search there is none: each configuration was measured at levels of its own."""
    if experiment.search is not None or len({one.run.plan.configuration.id for one in done}) < 2:
        return []
    from core.command.verdict_line import verdict_lines

    return verdict_lines(done)


def _edges(experiment: Experiment, done: Sequence[Done]) -> list[str]:
    several = len(experiment.plans) > 1
    return [(f"{one.configuration.label}: " if several else "") + one.sentence() for one in searched(experiment, done)]


def _written(out: Path, experiment: Experiment, done: Sequence[Done], *, texts: bool) -> bool:
    summaries = {one.run.id: one.summary for one in done}
    try:
        runfile.write(out, [one.run for one in done], found(experiment, done), summaries=summaries, texts=texts)
    except OSError as fault:
        print(say("{path} cannot be written: {fault}.", path=out, fault=fault.strerror or fault), file=sys.stderr)
        return False
    return True


def _succeeded(run: Run) -> bool:
    """Whether a measured request did; warm-up proves nothing."""
    return run.state is not RunState.FAILED and any(
        request.outcome is Outcome.OK and not request.warmup for request in run.requests
    )
