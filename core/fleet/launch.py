"""One launch on its way: its runs' tallies, what it was launched with, and the batches that go to the recorder."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import Protocol

from core.fleet.live import LiveExperiment, Tally
from core.fleet.local import LocalRun
from core.loadgen.channel import Progress
from core.plan import Endpoint, Experiment, RunPlan
from core.records import RequestRecord
from core.run import Run, RunState

FLUSH_S = 0.25  # records wait this long at most before the recorder gets them
KeyHeader = Callable[[Endpoint], tuple[str, str] | None]  # the header with the key; raises KeyProblem


class Recorder(Protocol):
    """Who keeps runs; storage implements it."""

    def run_started(self, run: Run) -> None:
        """A run begins."""

    def requests(self, run_id: str, records: Sequence[RequestRecord]) -> None:
        """Requests ended."""

    def run_ended(self, run: Run) -> None:
        """A run has ended; its `requests` are empty here."""


class Keeping(Tally):
    """A tally that also hands records on in batches."""

    def __init__(self, run_id: str, plan: RunPlan, *, lock: threading.RLock, recorder: Recorder) -> None:
        super().__init__(run_id, plan)
        self._lock = lock
        self._recorder = recorder
        self._batch: list[RequestRecord] = []
        self._flushed_s = monotonic()

    def record(self, record: RequestRecord) -> None:
        self._batch.append(record)
        with self._lock:
            super().record(record)
        self.flush_if_due()

    def progress(self, progress: Progress) -> None:
        with self._lock:
            super().progress(progress)
        self.flush_if_due()

    def flush_if_due(self) -> None:
        if monotonic() - self._flushed_s > FLUSH_S:
            self.flush()

    def flush(self) -> None:
        """Hand on what waits."""
        self._flushed_s = monotonic()
        if self._batch:
            batch, self._batch = self._batch, []
            self._recorder.requests(self.run_id, batch)


@dataclass(slots=True)
class Launch:
    experiment: Experiment
    tallies: list[Keeping]
    queued_at: datetime
    key_header: KeyHeader = field(repr=False)
    started_at: datetime | None = None
    ended_at: datetime | None = None
    state: RunState = RunState.QUEUED
    message: str | None = None
    stage: str = ""
    cancelled: bool = False
    local: LocalRun | None = field(default=None, repr=False)
    opening: Run | None = field(default=None, repr=False)  # of the run that is recorded as begun and not as ended

    def repeat(self, position: int) -> int:
        """How many runs of the same plan come before the one at this position."""
        plans = self.experiment.plans
        return plans[:position].count(plans[position])

    def snapshot(self) -> LiveExperiment:
        return LiveExperiment(
            id=self.experiment.id, name=self.experiment.name, state=self.state, queued_at=self.queued_at,
            started_at=self.started_at, ended_at=self.ended_at, message=self.message, stage=self.stage,
            runs=tuple(tally.snapshot() for tally in self.tallies),
        )  # fmt: skip
