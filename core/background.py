"""Work that goes on while pages are drawn and closed: named jobs in threads, one of a name at a time.

Knows how to start work and to tell how far it is; never what the work does.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from core.words import say

Progress = Callable[[float, str], None]
Work = Callable[[Progress], Any]


class JobState(StrEnum):
    """Where a job is in its life."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is known of one piece of work.

    Attributes:
        share: How much is done, 0 to 1, as far as the work tells.
        stage: What it does now, in its own words.
        result: What it returned once done.
        message: Why it failed, one sentence.
    """

    name: str
    state: JobState
    started_at: datetime
    share: float = 0.0
    stage: str = ""
    result: Any = None
    message: str = ""

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self.state is JobState.RUNNING


class Background:
    """Jobs by name. A job's expected exceptions become its message; any other is a fault and goes to the log too."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}

    def start(self, name: str, work: Work, *, expected: tuple[type[Exception], ...] = ()) -> bool:
        """Begin `work` unless a job of this name runs; says whether it was begun."""
        with self._lock:
            known = self._jobs.get(name)
            if known is not None and known.running:
                return False
            self._jobs[name] = Job(name=name, state=JobState.RUNNING, started_at=datetime.now(UTC))
            thread = threading.Thread(target=self._run, args=(name, work, expected), name=name, daemon=True)
        thread.start()
        return True

    def find(self, name: str) -> Job | None:
        """The last job of this name."""
        with self._lock:
            return self._jobs.get(name)

    def _run(self, name: str, work: Work, expected: tuple[type[Exception], ...]) -> None:
        ended: dict[str, Any] = {
            "state": JobState.FAILED,
            "message": say("It stopped because of a fault; the log says more."),
        }
        try:
            result = work(lambda share, stage: self._change(name, share=share, stage=stage))
            ended = {"state": JobState.DONE, "result": result, "share": 1.0}
        except expected as fault:
            ended = {"state": JobState.FAILED, "message": str(fault)}
        finally:
            self._change(name, **ended)

    def _change(self, name: str, **values: Any) -> None:
        with self._lock:
            self._jobs[name] = replace(self._jobs[name], **values)
