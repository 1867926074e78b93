"""Many records -> distributions, throughput, counts. Pure Python: the command line's measured path pays for no imports.

Warm-up requests are in nothing but their own count; failed, empty and cancelled ones in no latency.
Never an average of percentiles, never 0 or NaN for unknown.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, sqrt
from operator import mul, sub

from core import metrics, timeline
from core.goodput import goodput_per_s
from core.percentile import percentile
from core.records import COUNTED, Outcome, RequestRecord, TokenSource
from core.slo import Slo
from core.timeline import per_second
from core.tutorial import Tutorial, tutorial

STATISTICS = ("mean", "stdev", "min", "p50", "p90", "p95", "p99", "max")
ITL_SHARE = 0.95  # of the requests whose chunks must be tokens, before a gap may be called ITL
SANE = 1e15  # no time or count of a run lies beyond; an imported one is left out


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """One metric over a run's values, in the metric's unit.

    Attributes:
        stdev: Of the sample (n - 1); None with one value.
    """

    count: int
    mean: float
    stdev: float | None
    min: float
    p50: float
    p90: float
    p95: float
    p99: float
    max: float

    def to_dict(self) -> dict[str, float | int | None]:
        """The object of the run file."""
        return {"count": self.count} | {name: getattr(self, name) for name in STATISTICS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a run's requests amount to.

    Attributes:
        distributions: Metric key -> distribution; a metric that no request has is absent. `itl_s` is there only if
            chunks are tokens in at least 95 % of the requests.
        throughput: The keys of the run file; None is unknown.
        counts: The words of `Outcome`, and "warmup".
        duration_s: Last end - first sent.
        itl_share: Share of successful requests whose chunks are tokens; None without successful requests.
        token_source: Who counted the tokens of all successful requests; None if not one source alone.
    """

    distributions: dict[str, Distribution] = field(default_factory=dict)
    throughput: dict[str, float | None] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    success_rate: float | None = None
    duration_s: float | None = None
    mean_in_flight: float | None = None
    itl_share: float | None = None
    tutorial: Tutorial | None = None
    token_source: TokenSource | None = None

    def statistic(self, metric: str, name: str) -> float | None:
        """One number such as ("ttft_s", "p99"), None if it does not exist."""
        found = self.distributions.get(metric)
        value: float | None = getattr(found, name) if found else None
        return value


def distribution(values: Iterable[float]) -> Distribution | None:
    """The distribution of raw values; None if there are none."""
    ordered = sorted(values)
    count = len(ordered)
    if not count:
        return None
    mean = fsum(ordered) / count
    stdev = sqrt(fsum((value - mean) ** 2 for value in ordered) / (count - 1)) if count > 1 else None
    return _distribution(ordered, mean, stdev, 1)


def _distribution_us(gaps: list[int]) -> Distribution | None:
    # Sums of whole microseconds are exact, and sorting them is several times faster than sorting floats' objects.
    gaps.sort()
    count = len(gaps)
    if not count:
        return None
    total = sum(gaps)
    variance = (count * sum(map(mul, gaps, gaps)) - total * total) / (count * (count - 1)) if count > 1 else None
    return _distribution(gaps, total / count / 1e6, None if variance is None else sqrt(variance) / 1e6, 1e6)


def _distribution(ordered: Sequence[float], mean: float, stdev: float | None, unit: float) -> Distribution:
    low, high = ordered[0] / unit, ordered[-1] / unit
    return Distribution(
        count=len(ordered),
        mean=min(max(mean, low), high),
        stdev=stdev,
        min=low,
        p50=percentile(ordered, 50) / unit,
        p90=percentile(ordered, 90) / unit,
        p95=percentile(ordered, 95) / unit,
        p99=percentile(ordered, 99) / unit,
        max=high,
    )


def _gap_distributions(answered: Sequence[RequestRecord], itl_share: float | None) -> dict[str, Distribution]:
    pooled: list[int] = []
    of_tokens: list[int] = []
    for record in answered:
        if not record.streamed:
            continue
        chunk_us = record.chunk_us
        pooled.extend(map(sub, chunk_us[1:], chunk_us))
        if itl_share is not None and ITL_SHARE <= itl_share < 1 and metrics.chunks_are_tokens(record):
            of_tokens.extend(map(sub, chunk_us[1:], chunk_us))
    gaps = _distribution_us(pooled)
    if gaps is None:
        return {}
    found = {"gap_s": gaps}
    if itl_share == 1:
        found["itl_s"] = gaps
    elif itl := _distribution_us(of_tokens):
        found["itl_s"] = itl
    return found


def values(records: Iterable[RequestRecord], metric: str) -> list[float]:
    """Raw values of one metric over the measured, successful requests, in the order of the records."""
    answered = [record for record in records if not record.warmup and record.outcome is Outcome.OK]
    if metric in metrics.POOLED:
        chosen = answered if metric == "gap_s" else [r for r in answered if metrics.chunks_are_tokens(r)]
        return [gap for record in chosen for gap in metrics.gaps_s(record)]
    return _values(answered, metric)


def _values(answered: Sequence[RequestRecord], metric: str) -> list[float]:
    of_one = metrics.PER_REQUEST[metric]
    return [value for record in answered if (value := of_one(record)) is not None and -SANE < value < SANE]


def _rate_between(moments: list[float]) -> float | None:
    return per_second(len(moments) - 1, max(moments) - min(moments)) if moments else None


def _tokens(answered: Sequence[RequestRecord], *, with_input: bool) -> int | None:
    total = 0
    for record in answered:
        if record.output_tokens is None or (with_input and record.input_tokens is None):
            return None
        total += record.output_tokens + (record.input_tokens or 0 if with_input else 0)
    return total


def _throughput(
    measured: Sequence[RequestRecord], answered: Sequence[RequestRecord], duration_s: float | None, slo: Slo | None
) -> dict[str, float | None]:
    output = per_second(_tokens(answered, with_input=False), duration_s)
    scheduled = [record.scheduled_s for record in measured if record.scheduled_s is not None]
    return {
        "output_tokens_per_s": output,
        "total_tokens_per_s": per_second(_tokens(answered, with_input=True), duration_s),
        "requests_per_s": per_second(len(answered), duration_s),
        "goodput_per_s": None if slo is None else goodput_per_s(answered, slo, duration_s),
        "offered_rate_per_s": _rate_between(scheduled),
        "achieved_rate_per_s": _rate_between([record.sent_s for record in measured if record.sent_s is not None]),
        "peak_output_tokens_per_s": None if output is None else max(output, timeline.best_second(answered)),
    }


def _counts(records: Sequence[RequestRecord], measured: Sequence[RequestRecord]) -> dict[str, int]:
    counts = {outcome.value: 0 for outcome in Outcome}
    for record in measured:
        counts[record.outcome.value] += 1
    return counts | {"warmup": len(records) - len(measured)}


def _mean_in_flight(measured: Sequence[RequestRecord], duration_s: float | None) -> float | None:
    if not duration_s:
        return None
    busy = [r.ended_s - r.sent_s for r in measured if r.sent_s is not None and r.ended_s is not None]
    return fsum(busy) / duration_s


def unanswered(counts: Mapping[str, int]) -> int:
    """Requests that ended without a usable answer: failed ones and empty ones."""
    return counts.get("failed", 0) + counts.get("empty", 0)


def counted(counts: Mapping[str, int]) -> int:
    """ok + failed + empty: the requests that shares are of."""
    return sum(counts.get(outcome, 0) for outcome in COUNTED)


def success_rate(counts: Mapping[str, int]) -> float | None:
    """ok / (ok + failed + empty); None if nothing ended."""
    of = counted(counts)
    return counts["ok"] / of if of else None


def token_source(answered: Iterable[RequestRecord]) -> TokenSource | None:
    """The one source that counted the tokens of all these; None if there is no such one."""
    sources = {record.token_source for record in answered}
    return sources.pop() if len(sources) == 1 else None


def summarise(records: Sequence[RequestRecord], slo: Slo | None = None) -> Summary:
    """Everything of a run that its requests tell; goodput only with an SLO."""
    measured = [record for record in records if not record.warmup]
    answered = [record for record in measured if record.outcome is Outcome.OK]
    window = timeline.window_s(measured)
    duration_s = window[1] - window[0] if window else None
    itl_share = sum(map(metrics.chunks_are_tokens, answered)) / len(answered) if answered else None
    found = {key: distribution(_values(answered, key)) for key in metrics.PER_REQUEST}
    counts = _counts(records, measured)
    return Summary(
        distributions={key: value for key, value in found.items() if value} | _gap_distributions(answered, itl_share),
        throughput=_throughput(measured, answered, duration_s, slo),
        counts=counts,
        success_rate=success_rate(counts),
        duration_s=duration_s,
        mean_in_flight=_mean_in_flight(measured, duration_s),
        itl_share=itl_share,
        tutorial=tutorial(answered),
        token_source=token_source(answered),
    )
