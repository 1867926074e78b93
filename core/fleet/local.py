"""Runs one plan in a measuring child on this machine and gives back the run. Takes no time itself.

The child's death is one more value: its exit status and the last of what it said.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import orjson

from core import trace_shelf
from core.environment import environment
from core.exit_status import how_it_ended
from core.loadgen import channel
from core.loadgen.secrecy import Secrecy
from core.plan import PlanError, RunPlan
from core.records import Outcome, RequestRecord
from core.run import Preflight, Run, RunState, StoppedBy, usual_name
from core.version import VERSION
from core.words import say

ROOT = Path(__file__).resolve().parents[2]
GRACE_S = 1.5  # a cancelled child has this long before it is killed: together with its start under 2 s
STDERR_LINES = 20
WAITING = say("Waiting for another measured run on this machine to end.")


class Listener:
    """What happens while a run is made. Called from the thread that makes it; override what matters."""

    def waiting(self) -> None:
        """Another measured run holds this machine."""

    def preflight(self, found: Preflight) -> None:
        """The endpoint was asked what it accepts."""

    def started(self, priority: str) -> None:
        """Requests begin to leave."""

    def progress(self, progress: channel.Progress) -> None:
        """Twice a second."""

    def record(self, record: RequestRecord) -> None:
        """A request ended."""


class LocalRun:
    """One measuring child: started by `run`, which returns when it has ended; `cancel` may come from any thread."""

    def __init__(
        self,
        plan: RunPlan,
        *,
        run_id: str | None = None,
        key_header: tuple[str, str] | None = None,
        listener: Listener | None = None,
        environ: Mapping[str, str] | None = None,
        preflight: bool = True,
        identify: bool = False,
        keep: bool = True,
    ) -> None:
        """`identify`: the server's own pages are asked first what answers; not without a preflight."""
        self.run_id = run_id or new_run_id()
        self._plan = plan
        self._secrecy = Secrecy(key_header)
        self._job = channel.Job(
            run_id=self.run_id, plan=plan, key_header=key_header, preflight=preflight, identify=identify
        )
        self._listener = listener or Listener()
        self._environ = dict(environ or {})
        self._keep = keep
        self._records: list[RequestRecord] = []
        self._ok = self._ended = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._cancelled = False
        self._done: dict[str, Any] | None = None
        self._preflight: Preflight | None = None
        self._server: dict[str, Any] = {}
        self._last_words: deque[str] = deque(maxlen=STDERR_LINES)

    def cancel(self) -> None:
        """End the run within 2 s; what was measured is kept."""
        with self._lock:
            self._cancelled = True
            process = self._process
        if process is None or process.stdin is None:
            return
        try:
            process.stdin.write(channel.CANCEL)
            process.stdin.flush()
        except (BrokenPipeError, ValueError):  # it has ended meanwhile
            return
        timer = threading.Timer(GRACE_S, process.kill)
        timer.daemon = True
        timer.start()

    def run(self, opening: Run | None = None) -> Run:
        """Measure; the run is `opening` with what was seen. Never raises for what the network or the child does."""
        opening = opening or opening_run(self._plan, self.run_id)
        try:
            job = self._with_rows()
        except PlanError as fault:
            opening = replace(opening, state=RunState.FAILED, stopped_by=StoppedBy.FAILURE, message=str(fault))
            return replace(opening, ended_at=datetime.now(UTC))
        with self._lock:
            if self._cancelled:
                return replace(opening, state=RunState.CANCELLED, stopped_by=StoppedBy.USER, ended_at=datetime.now(UTC))
            self._process = process = subprocess.Popen(
                [sys.executable, "-m", "core.loadgen"],
                cwd=ROOT,
                env={**os.environ, **self._environ},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        listening = threading.Thread(target=self._hear, args=(process.stderr,), daemon=True)
        listening.start()
        try:
            process.stdin.write(channel.dump_job(job))
            process.stdin.flush()
            for line in process.stdout:
                self._take(line)
        except BrokenPipeError:  # it died at once: its exit status tells
            pass
        finally:
            status = self._end(process, listening)
        return self._closing(opening, status)

    def _with_rows(self) -> channel.Job:
        """The job with the rows of the plan's trace. Raises PlanError if they are not on this machine."""
        trace = self._plan.load.trace
        return self._job if trace is None else replace(self._job, rows=trace_shelf.needed(trace))

    def _hear(self, stderr: IO[bytes]) -> None:
        for line in stderr:
            # The child cuts the key out of all it sends; an interpreter that dies says what it likes.
            self._last_words.append(self._secrecy.text(line.decode("utf-8", "replace").rstrip())[:500])

    def _end(self, process: subprocess.Popen[bytes], listening: threading.Thread) -> int:
        """Close the pipes (which ends a child that still lives) and wait."""
        with self._lock:
            self._process = None
            assert process.stdin is not None
            assert process.stdout is not None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            process.stdout.close()
        try:
            status = process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        listening.join()
        assert process.stderr is not None
        process.stderr.close()
        return status

    def _take(self, line: bytes) -> None:
        found = orjson.loads(line)
        kind = found["kind"]
        if kind == "record":
            self._count(channel.load_record(found["record"]))
        elif kind == "progress":
            self._listener.progress(channel.load_progress(found["progress"]))
        elif kind == "preflight":
            self._preflight = channel.load_preflight(found["preflight"])
            self._listener.preflight(self._preflight)
        elif kind == "server":
            self._server = found["server"]
        elif kind == "done":
            self._done = found
        elif kind == "started":
            self._listener.started(found["priority"])
        elif kind == "waiting":
            self._listener.waiting()

    def _count(self, record: RequestRecord) -> None:
        if self._keep:
            self._records.append(record)
        if not record.warmup:
            self._ended += 1
            self._ok += record.outcome is Outcome.OK
        self._listener.record(record)

    def _closing(self, opening: Run, status: int) -> Run:
        state, stopped_by, message = self._verdict(status)
        done = self._done or {}
        seen = dict(opening.environment)
        told = {"http_server": done.get("server_name"), "models": done.get("models"), **(done.get("limits") or {})}
        server = self._server | {name: value for name, value in told.items() if value or value == 0}
        if server:
            seen["server"] = {**seen.get("server", {}), **server}
        return replace(
            opening,
            ended_at=datetime.now(UTC),
            state=state,
            stopped_by=stopped_by,
            message=message,
            environment=seen,
            client=channel.load_health(done.get("client") or {}),
            preflight=self._preflight,
            requests=tuple(self._records),
        )

    def _verdict(self, status: int) -> tuple[RunState, StoppedBy, str | None]:
        if self._preflight is not None and self._preflight.failure_message is not None:
            return RunState.FAILED, StoppedBy.FAILURE, self._preflight.failure_message
        if self._done is None:
            if self._cancelled:
                return RunState.CANCELLED, StoppedBy.USER, None
            return RunState.FAILED, StoppedBy.FAILURE, _death(status, self._last_words)
        stopped_by = StoppedBy(self._done["stopped_by"])
        if stopped_by is StoppedBy.USER:
            return RunState.CANCELLED, stopped_by, None
        if stopped_by is StoppedBy.ERRORS:
            words = say(
                "Stopped because {failed} of {ended} requests failed.", failed=self._ended - self._ok, ended=self._ended
            )
            there = self._done.get("models")
            return (
                RunState.FAILED,
                stopped_by,
                words + (say(" The server has: {models}.", models=there) if there else ""),
            )
        return RunState.COMPLETED, stopped_by, None


def _death(status: int, said: Sequence[str]) -> str:
    """Why the measuring process ended that was not asked to, and what to do."""
    # A fault's last line says what it was; the lines before it quote the program.
    words = next((line.strip() for line in reversed(said) if line.strip()), "")
    how = how_it_ended(status)
    if words:
        return say("The measuring process {how}: {words}", how=how, words=words)
    do = say("Measure again; what was measured until then is kept.")
    if status == -signal.SIGKILL:
        do = say("Look whether this machine ran out of memory, or who ended it, then measure again.")
    return say("The measuring process {how}. {do}", how=how, do=do)


def new_run_id() -> str:
    """Twelve hex digits."""
    return uuid.uuid4().hex[:12]


def opening_run(plan: RunPlan, run_id: str) -> Run:
    """A run as it stands before its first request."""
    return Run(
        id=run_id,
        name=run_name(plan),
        started_at=datetime.now(UTC),
        state=RunState.RUNNING,
        producer={"tool": "paceline", "version": VERSION},
        plan=plan,
        environment=environment(),
    )


def run_name(plan: RunPlan) -> str:
    """`LABEL at N in flight`, `LABEL at N requests/s`."""
    return usual_name(plan.configuration.label, plan.load.words())


def run_once(
    plan: RunPlan,
    *,
    key_header: tuple[str, str] | None = None,
    listener: Listener | None = None,
    environ: Mapping[str, str] | None = None,
) -> Run:
    """Make one run in a child of this process, without a handle for `cancel`."""
    return LocalRun(plan, key_header=key_header, listener=listener, environ=environ).run()
