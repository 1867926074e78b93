"""Whether there are enough values for the percentiles shown, and which cells are greyed where there are not."""

from collections.abc import Iterator

from core.doubts.evidence import Evidence
from core.doubts.finding import Finding
from core.percentile import FOR_HALF, FOR_HIGH, FOR_P99, HIGH, too_few
from core.words import say


def greyed_by_samples(seen: Evidence) -> set[tuple[str, str]]:
    """(metric, statistic) of every percentile that stands on too few values."""
    return {
        (metric, statistic)
        for metric, found in seen.summary.distributions.items()
        for statistic in HIGH
        if too_few(statistic, found.count)
    }


def sample_doubts(seen: Evidence) -> Iterator[Finding]:
    """Few successful requests for the percentiles shown."""
    count = seen.summary.counts.get("ok", 0)
    if not 0 < count < FOR_P99:
        return
    why = say("p99 is greyed: below {n} values it is hardly more than the slowest request.", n=FOR_P99)
    if count < FOR_HIGH:
        why = say(
            "Every percentile above p50 is greyed: below {n} values it is hardly more than the slowest few requests.",
            n=FOR_HIGH,
        )
    if count < FOR_HALF:
        why = say("No percentile can be relied on: below {n} values not even a p50 says much.", n=FOR_HALF)
    answers = say("1 request") if count == 1 else say("{count} requests", count=count)
    yield Finding(
        kind="few_samples",
        level="note",
        what=say("The percentiles stand on {answers}.", answers=answers),
        why=why,
        degree=-count,
        do=say("Measure at least {p99} requests for a p99, {p95} for a p95.", p99=FOR_P99, p95=FOR_HIGH),
    )
