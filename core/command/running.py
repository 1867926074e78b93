"""Runs plans one after the other for the command line, and writes the run file. Ctrl-C keeps what was measured."""

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from core import runfile
from core.command.terminal import Line, table
from core.fleet.local import LocalRun
from core.plan import RunPlan
from core.records import Outcome
from core.run import Run, RunState
from core.summary import Summary, summarise
from core.words import say


class Stopper:
    """Turns Ctrl-C into a cancel of the run under way; a second one ends the command at once."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.local: LocalRun | None = None

    def __call__(self, *_: object) -> None:
        if self.asked.is_set():
            raise KeyboardInterrupt
        self.asked.set()
        if self.local is not None:
            self.local.cancel()

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Ctrl-C and a polite kill both stop the run within."""
        before = {number: signal.signal(number, self) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def measure(
    plans: Sequence[RunPlan],
    *,
    key_headers: Sequence[tuple[str, str] | None] | None = None,
    environ: dict[str, str] | None = None,
    preflight: bool = True,
    stopper: Stopper | None = None,
) -> list[Run]:
    """The runs of these plans; fewer if the user stopped."""
    stopper = stopper or Stopper()
    runs: list[Run] = []
    with stopper.listening():
        for plan, key_header in zip(plans, key_headers or [None] * len(plans), strict=True):
            if stopper.asked.is_set():
                break
            line = Line(plan)
            local = LocalRun(plan, key_header=key_header, listener=line, environ=environ, preflight=preflight)
            stopper.local = local
            runs.append(local.run())
            line.clear()
    return runs


def report(runs: Sequence[Run], out: Path | None, *, texts: bool = False) -> int:
    """Print the table, write the file, and say by the exit status whether requests succeeded."""
    summaries: list[tuple[Run, Summary]] = [(run, summarise(run.requests)) for run in runs]
    if out is not None:
        try:
            runfile.write(out, runs, summaries={run.id: summary for run, summary in summaries}, texts=texts)
        except OSError as fault:
            print(say("{path} cannot be written: {fault}.", path=out, fault=fault.strerror or fault), file=sys.stderr)
            out = None
            print(table(summaries))
            return 1
    print(table(summaries))
    if out is not None:
        print(say("Written: {path}", path=out))
    succeeded = all(any(request.outcome is Outcome.OK for request in run.requests) for run in runs)
    return 0 if runs and succeeded and all(run.state is not RunState.FAILED for run in runs) else 1
