"""What anyone can see of experiments under way: frozen snapshots, and the tally behind them. No thread, no pipe."""

from bisect import insort
from collections import deque
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from core.fleet.local import Listener
from core.loadgen.channel import Progress
from core.metrics import ttft_s
from core.percentile import percentile
from core.plan import RunPlan
from core.records import Outcome, RequestRecord
from core.run import ClientHealth, Preflight, Run, RunState
from core.words import say

RECENT_S = 120.0
RECENT_POINTS = 2000
RATE_WINDOW_S = 2.0
ENDED_STATES = (RunState.COMPLETED, RunState.CANCELLED, RunState.FAILED, RunState.INTERRUPTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRun:
    """One run of an experiment as it stands now. Times are seconds from the run's start.

    Attributes:
        ttft_recent: (at_s, ttft_s) of first tokens of the last two minutes.
        tokens_per_s_recent: (at_s, tokens/s over the 2 s before) of the last two minutes.
        output_tokens_per_s: The latest of these.
        errors: Failure kind to (how many, the last one's sentence).
        notes: Sentences worth showing: waiting for another run, parameters changed.
    """

    run_id: str
    plan: RunPlan
    state: RunState
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
    ttft_p50_s: float | None = None
    ttft_p95_s: float | None = None
    output_tokens_per_s: float | None = None
    output_tokens_so_far: int = 0
    elapsed_s: float = 0.0
    errors: dict[str, tuple[int, str]] = field(default_factory=dict)
    client: ClientHealth = field(default_factory=ClientHealth)
    notes: tuple[str, ...] = ()
    preflight: Preflight | None = None

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
        return min(1.0, self.elapsed_s / duration_s) if duration_s else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveExperiment:
    """One launch as it stands now.

    Attributes:
        stage: What happens at this moment, in a few words.
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
        return sum(run.share for run in self.runs) / len(self.runs)

    @property
    def eta_s(self) -> float | None:
        """Seconds to go at the pace so far; None before there is a pace."""
        if self.state is not RunState.RUNNING or self.started_at is None or self.share < 0.02:
            return None
        elapsed_s = (datetime.now(UTC) - self.started_at).total_seconds()
        return elapsed_s / self.share - elapsed_s


class Tally(Listener):
    """Counts what a run's child tells; `snapshot` may be taken from any thread under the registry's lock."""

    def __init__(self, run_id: str, plan: RunPlan) -> None:
        self.run_id = run_id
        self.plan = plan
        self.state = RunState.QUEUED
        self.message: str | None = None
        self.notes: list[str] = []
        self.found: Preflight | None = None
        self.client = ClientHealth()
        self._counts = dict.fromkeys(Outcome, 0)
        self._errors: dict[str, tuple[int, str]] = {}
        self._ttfts: list[float] = []
        self._recent_ttft: deque[tuple[float, float]] = deque(maxlen=RECENT_POINTS)
        self._recent_rate: deque[tuple[float, float]] = deque(maxlen=RECENT_POINTS)
        self._chunk_marks: deque[tuple[float, int]] = deque()
        self._seen_in_flight: set[float] = set()
        self._tokens = self._chunks = 0
        self._busy_s = 0.0
        self._first_sent_s: float | None = None
        self._last_ended_s = 0.0
        self._closed: LiveRun | None = None
        self._progress = Progress(at_s=0.0, sent=0, ended=0, in_flight=0, warming_up=False, chunks=0)

    def waiting(self) -> None:
        """Another run holds the machine."""
        self.notes.append(say("Waiting for another measured run on this machine to end."))

    def preflight(self, found: Preflight) -> None:
        """Keep what was found, and tell every change."""
        self.found = found
        self.notes.extend(say("Preflight: {change}", change=change) for change in found.changes)

    def started(self, priority: str) -> None:
        """The child's priority is known from here on."""
        self.client = ClientHealth(priority=priority)

    def progress(self, progress: Progress) -> None:
        """Keep the rate over the last 2 s and first tokens of requests still in flight."""
        self._progress = progress
        for at_s, ttft in progress.first_tokens:
            self._seen_in_flight.add(round(at_s, 6))
            self._recent_ttft.append((at_s, ttft))
        marks = self._chunk_marks
        marks.append((progress.at_s, progress.chunks))
        while len(marks) > 2 and marks[1][0] <= progress.at_s - RATE_WINDOW_S:
            marks.popleft()
        span_s = marks[-1][0] - marks[0][0]
        if span_s > 0:
            rate = (marks[-1][1] - marks[0][1]) / span_s
            self._recent_rate.append((progress.at_s, rate * self._tokens_per_chunk()))
        self.client = ClientHealth(
            priority=self.client.priority, loop_lag_p99_s=progress.lag_p99_s,
            max_in_flight=max(self.client.max_in_flight or 0, progress.in_flight),
        )  # fmt: skip

    def record(self, record: RequestRecord) -> None:
        """Count an ended request; warm-up stays outside."""
        if record.warmup:
            return
        self._counts[record.outcome] += 1
        if record.failure is not None:
            count, _ = self._errors.get(record.failure.kind, (0, ""))
            self._errors[str(record.failure.kind)] = (count + 1, record.failure.message)
        if record.sent_s is not None and record.ended_s is not None:
            self._busy_s += record.ended_s - record.sent_s
            first_s = self._first_sent_s
            self._first_sent_s = record.sent_s if first_s is None else min(first_s, record.sent_s)
            self._last_ended_s = max(self._last_ended_s, record.ended_s)
        if record.outcome is Outcome.OK:
            self._tokens += record.output_tokens or len(record.chunk_us)
            self._chunks += len(record.chunk_us)
            ttft = ttft_s(record)
            if ttft is not None and record.first_token_s is not None:
                insort(self._ttfts, ttft)
                if round(record.first_token_s, 6) not in self._seen_in_flight:
                    self._recent_ttft.append((record.first_token_s, ttft))

    def close(self, run: Run) -> None:
        """The run has ended: what stands now is kept, what it was counted from is let go."""
        self.state = run.state
        self.message = run.message
        self.client = run.client
        self._closed = replace(self.snapshot(), ttft_recent=(), tokens_per_s_recent=())
        for counted in (self._ttfts, self._recent_ttft, self._recent_rate, self._chunk_marks, self._seen_in_flight):
            counted.clear()

    def _tokens_per_chunk(self) -> float:
        return self._tokens / self._chunks if self._chunks and self._tokens else 1.0

    def snapshot(self) -> LiveRun:
        """The run as it stands; of an ended one the recent points are gone."""
        if self._closed is not None:
            return self._closed
        progress, counts = self._progress, self._counts
        begin_s = progress.at_s - RECENT_S
        span_s = max(progress.at_s, self._last_ended_s) - (self._first_sent_s or 0.0)
        tokens = self._tokens + round(max(0, progress.chunks - self._chunks) * self._tokens_per_chunk())
        return LiveRun(
            run_id=self.run_id,
            plan=self.plan,
            state=self.state,
            message=self.message,
            requests_planned=self.plan.load.requests,
            sent=progress.sent,
            ended=sum(counts.values()),
            ok=counts[Outcome.OK],
            failed=counts[Outcome.FAILED],
            empty=counts[Outcome.EMPTY],
            in_flight=progress.in_flight,
            mean_in_flight=self._busy_s / span_s if self._busy_s and span_s > 0 else None,
            warming_up=progress.warming_up,
            ttft_recent=tuple(sorted(pair for pair in self._recent_ttft if pair[0] >= begin_s)),
            tokens_per_s_recent=tuple(pair for pair in self._recent_rate if pair[0] >= begin_s),
            ttft_p50_s=percentile(self._ttfts, 50) if self._ttfts else None,
            ttft_p95_s=percentile(self._ttfts, 95) if self._ttfts else None,
            output_tokens_per_s=self._recent_rate[-1][1] if self._recent_rate else None,
            output_tokens_so_far=tokens,
            elapsed_s=progress.at_s,
            errors=dict(self._errors),
            client=self.client,
            notes=tuple(self.notes),
            preflight=self.found,
        )
