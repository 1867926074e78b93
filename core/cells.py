"""What was measured of one configuration at one load: single runs, and the cell that pools their repeats.

Knows one load at a time; never sets two configurations side by side, never reads a store.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from core.metrics import POOLED
from core.quantiles import Sample
from core.records import Outcome, RequestRecord
from core.repeats import OneRun, Turn
from core.run import Run
from core.steadiness import Rate, Stay, rate, stay
from core.summary import Summary, unanswered, values


def lanes(run: Run, summary: Summary) -> int:
    """How many requests were served at once: those that the closed loop kept, or as many as there were on average."""
    return run.plan.load.concurrency or max(1, ceil(summary.mean_in_flight or 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One chosen run.

    Attributes:
        run: Without its requests.
        values: Raw values of one metric over its successful requests, in the order in which these ended.
        grid: The stored quantile grid of one metric, for the many chunk gaps.
        output: Its output throughput with its error; None if it is not known.
    """

    run: Run
    summary: Summary
    values: Callable[[str], Sequence[float]]
    grid: Callable[[str], Sequence[float]]
    output: Callable[[], Rate | None]

    @property
    def turn(self) -> Turn | None:
        """Which turn it had among the repeats of its experiment; None if it was no part of one."""
        told = self.run.experiment or {}
        experiment, repeat = told.get("id"), told.get("repeat")
        if not isinstance(experiment, str) or not experiment or type(repeat) is not int:
            return None
        return Turn(experiment=experiment, repeat=repeat, began=self.run.started_at)

    def sample(self, metric: str) -> Sample:
        """One metric's values, or their grid where there may be millions."""
        known = self.summary.distributions[metric]
        if metric not in POOLED:
            return Sample(points=sorted(self.values(metric)), count=known.count)
        exact = {0.5: known.p50, 0.9: known.p90, 0.95: known.p95, 0.99: known.p99}
        return Sample(points=self.grid(metric), count=known.count, exact=exact)


def of_records(run: Run, summary: Summary) -> Entry:
    """A run that still has its requests, as they ended."""
    per_s = summary.throughput.get("output_tokens_per_s")
    stays = [found for record in run.requests if not record.warmup and (found := _stay(record)) is not None]
    return Entry(
        run=run,
        summary=summary,
        values=lambda metric: values(run.requests, metric),
        grid=lambda metric: sorted(values(run.requests, metric)),
        output=lambda: None if per_s is None else rate(per_s, stays, lanes(run, summary)),
    )


def _stay(record: RequestRecord) -> Stay | None:
    if record.sent_s is None or record.ended_s is None:
        return None
    return stay(
        sent_s=record.sent_s,
        ended_s=record.ended_s,
        first_token_s=record.first_token_s,
        last_token_s=record.last_token_s,
        streamed=record.streamed,
        tokens=float(record.output_tokens or 0) if record.outcome is Outcome.OK else 0.0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One configuration at one load: one run, or its repeats.

    Attributes:
        level: Requests in flight, or requests/s: of one kind in a whole lineup.
    """

    level: float
    entries: tuple[Entry, ...]

    @property
    def words(self) -> str:
        """Its load: `4 in flight`, `2.5 requests/s`."""
        return self.entries[0].run.plan.load.words()

    @property
    def lanes(self) -> int:
        """How many requests were served at once, in the fullest of its runs."""
        return max(lanes(entry.run, entry.summary) for entry in self.entries)

    def sample(self, metric: str) -> Sample | None:
        """The values of all repeats together; None if one of them does not have this metric."""
        if any(metric not in entry.summary.distributions for entry in self.entries):
            return None
        return Sample.pooled([entry.sample(metric) for entry in self.entries])

    def count(self, metric: str) -> int:
        """How many values stand behind a statistic."""
        found = (entry.summary.distributions.get(metric) for entry in self.entries)
        return sum(distribution.count for distribution in found if distribution)

    def statistic(self, metric: str, name: str) -> float | None:
        """A percentile such as "p95" of the pooled values; None if the metric does not exist here."""
        if len(self.entries) == 1:
            return self.entries[0].summary.statistic(metric, name)
        sample = self.sample(metric)
        return float(sample.at([float(name[1:]) / 100])[0]) if sample else None

    def throughput(self, key: str) -> float | None:
        """Mean over the repeats; None if one of them does not know it."""
        found = [entry.summary.throughput.get(key) for entry in self.entries]
        known = [value for value in found if value is not None]
        return sum(known) / len(known) if known and len(known) == len(found) else None

    @property
    def turns(self) -> list[OneRun[str]]:
        """Its runs, each by its id."""
        return [OneRun(shows=entry.run.id, turn=entry.turn) for entry in self.entries]

    def values(self, metric: str) -> list[OneRun[Sequence[float]]]:
        """One metric's values of each run."""
        return [OneRun(shows=entry.values(metric), turn=entry.turn) for entry in self.entries]

    @property
    def output(self) -> list[OneRun[Rate]]:
        """Output throughput of each run that knows it."""
        found = ((entry.output(), entry.turn) for entry in self.entries)
        return [OneRun(shows=rate, turn=turn) for rate, turn in found if rate is not None]

    @property
    def pace(self) -> float | None:
        """At a rate: answers a second from the first end to the last, as a share of the requests/s really offered."""
        found = [_pace(entry.summary) for entry in self.entries]
        known = [pace for pace in found if pace is not None]
        return sum(known) / len(known) if len(known) == len(found) else None

    @property
    def failed_share(self) -> float | None:
        """Failed and empty requests of all that ended."""
        counts = [entry.summary.counts for entry in self.entries]
        ok = sum(count["ok"] for count in counts)
        bad = sum(map(unanswered, counts))
        return bad / (ok + bad) if ok + bad else None

    @property
    def decode_tps(self) -> float | None:
        """Median decode speed of one stream."""
        return self.statistic("decode_tps", "p50")


def _pace(summary: Summary) -> float | None:
    offered, e2e, ok = (
        summary.throughput.get("offered_rate_per_s"),
        summary.distributions.get("e2e_s"),
        summary.counts["ok"],
    )
    if not offered or e2e is None or summary.duration_s is None:
        return None
    # The first request meets an idle server: the shortest latency is about its own, and no answer can come before.
    answering_s = summary.duration_s - e2e.min
    return (ok - 1) / answering_s / offered if ok > 1 and answering_s > 0 else None
