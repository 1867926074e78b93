"""One launch on its way: its runs' tallies, what it was launched with, and the batches that go to the recorder."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import monotonic
from typing import Any, Protocol

from core.course import Done, expected_runs, following, searched
from core.fleet.live import LiveExperiment
from core.fleet.local import LocalRun
from core.fleet.tally import Tally
from core.loadgen.channel import Progress
from core.plan import Endpoint, Experiment, RunPlan
from core.records import RequestRecord
from core.run import ENDED_STATES, Preflight, Run, RunState
from core.summary import Summary, summarise
from core.words import say

FLUSH_S = 0.25  # records wait this long at most before the recorder gets them
HEALTH_S = 2.0  # how the client fares is stored so often: an update costs the writer as much as a batch of records
KeyHeader = Callable[[Endpoint], tuple[str, str] | None]  # the header with the key; raises KeyProblem


class Recorder(Protocol):
    """Who keeps runs; storage implements it."""

    def run_started(self, run: Run) -> None:
        """A run begins."""

    def run_goes_on(self, run: Run) -> None:
        """More is known of a run that has not ended; its `requests` are empty here."""

    def requests(self, run_id: str, records: Sequence[RequestRecord]) -> None:
        """Requests ended."""

    def run_ended(self, run: Run) -> None:
        """A run has ended; its `requests` are empty here. What cannot be kept now is tried again, and raises."""


class Keeping(Tally):
    """A tally that also hands records on in batches, and what becomes known of its run.

    Attributes:
        run: The run as it is recorded by now; None before it is recorded as begun, and after its end.
    """

    def __init__(
        self, run_id: str, plan: RunPlan, *, lock: threading.RLock, recorder: Recorder, summed_up: bool = False
    ) -> None:
        """`summed_up`: `summary` is asked for once the run has ended."""
        super().__init__(run_id, plan)
        self._lock = lock
        self._recorder = recorder
        self._batch: list[RequestRecord] = []
        self._light: list[RequestRecord] | None = [] if summed_up else None
        self._flushed_s = monotonic()
        self._health_due_s = 0.0
        self.run: Run | None = None
        self._ending: Run | None = None

    def begin(self, run: Run) -> None:
        """Record its run as begun."""
        self._recorder.run_started(run)
        self.run = run

    def learn(self, **more: Any) -> Run | None:
        """Record what is known by now: a run that is cut off has no other word of it."""
        if self.run is not None:
            self.run = replace(self.run, **more)
            self._recorder.run_goes_on(self.run)
        return self.run

    def end(self, run: Run) -> None:
        """Record how its run ended; the first end that it is told to have is the one it had."""
        self._ending = self._ending or replace(run, requests=())
        self._recorder.run_ended(self._ending)
        self.run = None

    def preflight(self, found: Preflight) -> None:
        super().preflight(found)
        self.learn(preflight=found)

    def started(self, priority: str) -> None:
        super().started(priority)
        self.learn(client=self.client)

    def record(self, record: RequestRecord) -> None:
        self._batch.append(record)
        if self._light is not None:  # without texts and chunk times: what no limit of an SLO looks at
            self._light.append(replace(record, text=None, reasoning_text=None, chunk_us=range(len(record.chunk_us))))
        with self._lock:
            super().record(record)
        self.flush_if_due()

    def progress(self, progress: Progress) -> None:
        with self._lock:
            super().progress(progress)
        if progress.lag_p99_s is not None and monotonic() >= self._health_due_s:
            self._health_due_s = monotonic() + HEALTH_S
            self.learn(client=self.client)
        self.flush_if_due()

    def summary(self) -> Summary:
        """What the run's requests amount to; gaps between chunks are left out."""
        return summarise(self._light or (), self.plan.slo)

    def flush_if_due(self) -> None:
        if monotonic() - self._flushed_s > FLUSH_S:
            self.flush()

    def flush(self) -> None:
        """Hand on what waits."""
        self._flushed_s = monotonic()
        if self._batch:
            batch, self._batch = self._batch, []
            self._recorder.requests(self.run_id, batch)


@dataclass(slots=True, kw_only=True)
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
    gone_on: threading.Event = field(default_factory=threading.Event, repr=False)  # ends a rest
    done: list[Done] = field(default_factory=list, repr=False)
    local: LocalRun | None = field(default=None, repr=False)

    @property
    def recording(self) -> Keeping | None:
        """The tally whose run is recorded as begun and not as ended."""
        return next((tally for tally in self.tallies if tally.run is not None), None)

    @property
    def is_whole(self) -> bool:
        """Whether each of its runs was measured to its end, wherever that is stored by now."""
        measured = all(tally.state is RunState.COMPLETED for tally in self.tallies)
        return measured and following(self.experiment, self.done) is None

    def next_tally(self, plan: RunPlan, make: Callable[[RunPlan], Keeping]) -> Keeping:
        """The tally of the plan that comes next; those before it are left out."""
        for tally in self.tallies:
            if tally.state is not RunState.QUEUED:
                continue
            if tally.plan == plan:
                return tally
            if not self.experiment.is_adaptive:
                tally.state, tally.message = RunState.CANCELLED, say("Left out: a lower level saturated the server.")
        tally = make(plan)
        self.tallies.append(tally)
        return tally

    def snapshot(self) -> LiveExperiment:
        return LiveExperiment(
            id=self.experiment.id, name=self.experiment.name, state=self.state, queued_at=self.queued_at,
            started_at=self.started_at, ended_at=self.ended_at, message=self.message, stage=self.stage,
            runs=tuple(tally.snapshot() for tally in self.tallies), expected_runs=expected_runs(self.experiment),
            searched=searched(self.experiment, self.done), experiment=self.experiment,
            cancelling=self.cancelled and self.state not in ENDED_STATES,
        )  # fmt: skip
