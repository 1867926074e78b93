"""The tally behind a live view: what a run's child tells, counted as it comes. No thread, no pipe."""

from bisect import insort
from collections import deque
from dataclasses import dataclass, replace

from core.fleet.live import LiveRun
from core.fleet.local import WAITING, Listener
from core.loadgen.channel import Progress
from core.metrics import decode_span_s, slip_s, ttft_s
from core.percentile import percentile
from core.plan import RunPlan
from core.records import Outcome, RequestRecord
from core.run import ClientHealth, Preflight, Run, RunState, StoppedBy
from core.words import say

RECENT_S = 120.0
RECENT_POINTS = 2000
RATE_WINDOW_S = 2.0
WAITED = say("Waited for another measured run on this machine to end.")


@dataclass(slots=True, kw_only=True)
class Moments:
    """How often something happened, and when first and last."""

    count: int = 0
    first_s: float = 0.0
    last_s: float = 0.0

    def see(self, at_s: float) -> None:
        """It happened; the order does not matter."""
        self.first_s = min(self.first_s, at_s) if self.count else at_s
        self.last_s = max(self.last_s, at_s) if self.count else at_s
        self.count += 1

    @property
    def per_s(self) -> float | None:
        """How often a second, between the first and the last; None while no time has passed."""
        span_s = self.last_s - self.first_s
        return (self.count - 1) / span_s if span_s > 0 else None


class Tally(Listener):
    """Counts what a run's child tells; `snapshot` may be taken from any thread under the registry's lock."""

    def __init__(self, run_id: str, plan: RunPlan) -> None:
        self.run_id = run_id
        self.plan = plan
        self.state = RunState.QUEUED
        self.stopped_by: StoppedBy | None = None
        self.message: str | None = None
        self.notes: list[str] = []
        self.found: Preflight | None = None
        self.client = ClientHealth()
        self._counts = dict.fromkeys(Outcome, 0)
        self._errors: dict[str, tuple[int, str]] = {}
        self._ttfts: list[float] = []
        self._spans: list[float] = []
        self._slips: list[float] = []
        self._scheduled, self._sent = Moments(), Moments()
        self._recent_in_flight: deque[tuple[float, float]] = deque(maxlen=RECENT_POINTS)
        self._recent_ttft: deque[tuple[float, float]] = deque(maxlen=RECENT_POINTS)
        self._recent_chunk_rate: deque[tuple[float, float]] = deque(maxlen=RECENT_POINTS)
        self._chunk_marks: deque[tuple[float, int]] = deque()
        self._seen_in_flight: set[float] = set()
        self._chunks_of_answers = 0
        self._tokens = self._chunks = 0  # of answers whose tokens the server counted, warm-up too
        self._busy_s = 0.0
        self._warm_until_s: float | None = None
        self._first_sent_s: float | None = None
        self._last_ended_s = 0.0
        self._closed: LiveRun | None = None
        self._progress = Progress(at_s=0.0, sent=0, ended=0, in_flight=0, warming_up=False, chunks=0)

    def waiting(self) -> None:
        """Another run holds the machine."""
        self.notes.append(WAITING)

    def _waited(self) -> None:
        """Whatever it waited for has ended, or it waits no more: the note says so."""
        self.notes = [WAITED if note == WAITING else note for note in self.notes]

    def preflight(self, found: Preflight) -> None:
        """Keep what was found, and tell every change."""
        self._waited()
        self.found = found
        self.notes.extend(say("Preflight: {change}", change=change) for change in found.changes)

    def started(self, priority: str) -> None:
        """The child's priority is known from here on."""
        self._waited()
        self.client = ClientHealth(priority=priority)

    def progress(self, progress: Progress) -> None:
        """Keep the rate over the last 2 s and first tokens of requests still in flight."""
        self._see_warm_up(before=self._progress, now=progress)
        self._progress = progress
        self._recent_in_flight.append((progress.at_s, float(progress.in_flight)))
        for at_s, ttft in progress.first_tokens:
            self._seen_in_flight.add(round(at_s, 6))
            self._recent_ttft.append((at_s, ttft))
        marks = self._chunk_marks
        marks.append((progress.at_s, progress.chunks))
        while len(marks) > 2 and marks[1][0] <= progress.at_s - RATE_WINDOW_S:
            marks.popleft()
        span_s = marks[-1][0] - marks[0][0]
        if span_s > 0:
            self._recent_chunk_rate.append((progress.at_s, (marks[-1][1] - marks[0][1]) / span_s))
        self.client = ClientHealth(
            priority=self.client.priority, loop_lag_p99_s=progress.lag_p99_s,
            machine_busy_share=progress.machine_busy_share,
            max_in_flight=max(self.client.max_in_flight or 0, progress.in_flight),
        )  # fmt: skip

    def _see_warm_up(self, *, before: Progress, now: Progress) -> None:
        """The measured part begins where a first word comes that is not of the warm-up: half a second late at most."""
        if self._warm_until_s is None and not now.warming_up:
            self._warm_until_s = now.at_s if before.warming_up else 0.0

    def record(self, record: RequestRecord) -> None:
        """Count an ended request; of a warm-up only how many tokens a chunk holds."""
        if record.output_tokens is not None and record.streamed:
            self._tokens += record.output_tokens
            self._chunks += len(record.chunk_us)
        if record.warmup:
            return
        self._counts[record.outcome] += 1
        if record.failure is not None:
            count, _ = self._errors.get(record.failure.kind, (0, ""))
            self._errors[str(record.failure.kind)] = (count + 1, record.failure.message)
        slip = slip_s(record)
        if slip is not None and record.scheduled_s is not None and record.sent_s is not None:
            insort(self._slips, slip)
            self._scheduled.see(record.scheduled_s)
            self._sent.see(record.sent_s)
        if record.sent_s is not None and record.ended_s is not None:
            self._busy_s += record.ended_s - record.sent_s
            first_s = self._first_sent_s
            self._first_sent_s = record.sent_s if first_s is None else min(first_s, record.sent_s)
            self._last_ended_s = max(self._last_ended_s, record.ended_s)
        if record.outcome is Outcome.OK:
            self._answer(record)

    def _answer(self, record: RequestRecord) -> None:
        self._chunks_of_answers += len(record.chunk_us)
        if record.streamed and (span := decode_span_s(record)) is not None:
            insort(self._spans, span)
        ttft = ttft_s(record)
        if ttft is not None and record.first_token_s is not None:
            insort(self._ttfts, ttft)
            if round(record.first_token_s, 6) not in self._seen_in_flight:
                self._recent_ttft.append((record.first_token_s, ttft))

    def close(self, run: Run) -> None:
        """The run has ended: what stands now is kept, what it was counted from is let go."""
        self._waited()  # one that was cancelled in the line
        self.state = run.state
        self.message = run.message
        self.stopped_by = run.stopped_by
        self.client = run.client
        self._closed = replace(self.snapshot(), ttft_recent=(), tokens_per_s_recent=(), in_flight_recent=())
        for counted in (
            self._ttfts,
            self._spans,
            self._slips,
            self._recent_in_flight,
            self._recent_ttft,
            self._recent_chunk_rate,
            self._chunk_marks,
            self._seen_in_flight,
        ):
            counted.clear()

    def _recent_rate(self, begin_s: float) -> tuple[tuple[float, float], ...]:
        """In tokens/s; empty while no answer's tokens were counted: a chunk is not a token."""
        if not self._chunks:
            return ()
        held = self._tokens / self._chunks
        return tuple((at_s, rate * held) for at_s, rate in self._recent_chunk_rate if at_s >= begin_s)

    def snapshot(self) -> LiveRun:
        """The run as it stands; of an ended one the recent points are gone."""
        if self._closed is not None:
            return self._closed
        progress, counts = self._progress, self._counts
        begin_s = progress.at_s - RECENT_S
        span_s = max(progress.at_s, self._last_ended_s) - (self._first_sent_s or 0.0)
        rate = self._recent_rate(begin_s)
        return LiveRun(
            run_id=self.run_id,
            plan=self.plan,
            state=self.state,
            stopped_by=self.stopped_by,
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
            waiting_s=progress.waiting_s,
            ttft_recent=tuple(sorted(pair for pair in self._recent_ttft if pair[0] >= begin_s)),
            tokens_per_s_recent=rate,
            in_flight_recent=tuple(pair for pair in self._recent_in_flight if pair[0] >= begin_s),
            offered_rate_per_s=self._scheduled.per_s,
            achieved_rate_per_s=self._sent.per_s,
            slip_p50_s=percentile(self._slips, 50) if self._slips else None,
            slip_p99_s=percentile(self._slips, 99) if self._slips else None,
            ttft_p50_s=percentile(self._ttfts, 50) if self._ttfts else None,
            ttft_min_s=self._ttfts[0] if self._ttfts else None,
            decode_span_p50_s=percentile(self._spans, 50) if self._spans else None,
            chunks_of_answers=self._chunks_of_answers,
            output_tokens_per_s=rate[-1][1] if rate else None,
            elapsed_s=progress.at_s,
            warm_until_s=self._warm_until_s or 0.0,
            errors=dict(self._errors),
            client=self.client,
            notes=tuple(self.notes),
            preflight=self.found,
        )
