"""What anyone can see of experiments under way: frozen snapshots. Counts nothing; no thread, no pipe."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from core.course import Searched
from core.plan import Experiment, RunPlan
from core.run import ENDED_STATES, ClientHealth, Preflight, RunState, StoppedBy
from core.time_left import LEAST_SHARE, time_left_s


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRun:
    """One run of an experiment as it stands now. Times are seconds from the run's start.

    Attributes:
        ttft_recent: (at_s, ttft_s) of first tokens of the last two minutes.
        tokens_per_s_recent: (at_s, tokens/s over the 2 s before) of the last two minutes.
        output_tokens_per_s: The latest of these; None while the server has counted no answer's tokens.
        in_flight_recent: (at_s, requests in flight) of the last two minutes.
        offered_rate_per_s, achieved_rate_per_s, slip_p50_s, slip_p99_s: Open loop, of the requests ended so far.
        ttft_min_s, decode_span_p50_s, chunks_of_answers: Of the successful requests so far.
        warm_until_s: Where its measured part began.
        waiting_s: How long nothing is sent yet, because an answer asked to wait.
        errors: Failure kind to (how many, the last one's sentence).
        notes: Sentences worth showing: waiting for another run, parameters changed.
    """

    run_id: str
    plan: RunPlan
    state: RunState
    stopped_by: StoppedBy | None = None
    message: str | None = None
    requests_planned: int | None = None
    sent: int = 0
    ended: int = 0
    ok: int = 0
    failed: int = 0
    empty: int = 0
    in_flight: int = 0
    mean_in_flight: float | None = None
    warming_up: bool = False
    ttft_recent: tuple[tuple[float, float], ...] = ()
    tokens_per_s_recent: tuple[tuple[float, float], ...] = ()
    in_flight_recent: tuple[tuple[float, float], ...] = ()
    offered_rate_per_s: float | None = None
    achieved_rate_per_s: float | None = None
    slip_p50_s: float | None = None
    slip_p99_s: float | None = None
    ttft_p50_s: float | None = None
    ttft_min_s: float | None = None
    decode_span_p50_s: float | None = None
    chunks_of_answers: int = 0
    output_tokens_per_s: float | None = None
    elapsed_s: float = 0.0
    warm_until_s: float = 0.0
    waiting_s: float = 0.0
    errors: dict[str, tuple[int, str]] = field(default_factory=dict)
    client: ClientHealth = field(default_factory=ClientHealth)
    notes: tuple[str, ...] = ()
    preflight: Preflight | None = None

    @property
    def unanswered(self) -> int:
        """Requests that ended without a usable answer: failed ones and empty ones."""
        return self.failed + self.empty

    @property
    def measured_s(self) -> float:
        """How long it has measured: its duration counts from the end of the warm-up."""
        return 0.0 if self.warming_up else max(0.0, self.elapsed_s - self.warm_until_s)

    @property
    def finishing(self) -> bool:
        """Whether its time to send is over, and only answers that were begun are waited for."""
        duration_s = self.plan.load.duration_s
        counted = self.requests_planned is not None or not duration_s
        return self.state is RunState.RUNNING and not counted and self.measured_s >= (duration_s or 0)

    @property
    def share(self) -> float:
        """How much of it is done, 0 to 1."""
        if self.state in ENDED_STATES:
            return 1.0
        if self.warming_up:
            return 0.0
        if self.requests_planned:
            return min(1.0, self.ended / self.requests_planned)
        duration_s = self.plan.load.duration_s
        return min(1.0, self.measured_s / duration_s) if duration_s else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveExperiment:
    """One launch as it stands now.

    Attributes:
        stage: What happens at this moment, in a few words.
        runs: Those of a search or a sweep are added as they come.
        expected_runs: How many there will be, at most.
        searched: For a search, what is known of each configuration so far.
        experiment: What was asked for.
    """

    id: str
    name: str
    state: RunState
    queued_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    message: str | None = None
    stage: str = ""
    runs: tuple[LiveRun, ...] = ()
    expected_runs: int = 1
    searched: tuple[Searched, ...] = ()
    experiment: Experiment | None = None
    cancelling: bool = False

    @property
    def finished_runs(self) -> int:
        """Runs that have ended, whichever way."""
        return sum(run.state in ENDED_STATES for run in self.runs)

    @property
    def current(self) -> LiveRun | None:
        """The run that is being made."""
        return next((run for run in self.runs if run.state is RunState.RUNNING), None)

    @property
    def share(self) -> float:
        """How much is done, 0 to 1; runs count alike."""
        if self.state in ENDED_STATES:
            return 1.0
        return min(1.0, sum(run.share for run in self.runs) / max(self.expected_runs, len(self.runs)))

    @property
    def eta_s(self) -> float | None:
        """Seconds to go at the pace so far; None before there is a pace."""
        if self.state is not RunState.RUNNING or self.started_at is None or self.cancelling:
            return None
        elapsed_s = (datetime.now(UTC) - self.started_at).total_seconds()
        if self.expected_runs > len(self.runs):  # which levels will come is not known: runs count alike
            return elapsed_s / self.share - elapsed_s if self.share >= LEAST_SHARE else None
        return self._left_s(elapsed_s)

    def _left_s(self, elapsed_s: float) -> float | None:
        """By the latest run that has a pace; one that has just begun counts among those to come."""
        measured = [place for place, run in enumerate(self.runs) if run.measured_s > 0]
        rest_s = self.experiment.cooldown_s if self.experiment else 0.0
        rested_s = rest_s * (len(measured) - 1)
        starts_s = elapsed_s - sum(run.measured_s for run in self.runs) - rested_s
        between_s = max(0.0, starts_s) / max(1, len(measured)) + rest_s
        for place in reversed(measured):
            run = self.runs[place]
            to_come = [one.plan for one in self.runs[place + 1 :] if one.state not in ENDED_STATES]
            left_s = time_left_s([run.plan, *to_come], share=run.share, so_far_s=run.measured_s, between_s=between_s)
            if left_s is not None:
                return left_s
        return None
