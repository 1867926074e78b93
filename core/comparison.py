"""Two sets of values -> how they differ, with an interval, and the word for it. Knows no run, no page, no chart."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import exp, fsum, inf, isfinite, log, sqrt
from typing import Literal

from core.definitions.spec import Better
from core.percentile import FOR_HALF, FOR_HIGH, FOR_P99
from core.resampling import draws, estimate
from core.steadiness import Rate, together
from core.words import say

Statistic = Literal["mean", "p50", "p90", "p95", "p99"]
MARGIN = 0.03  # a ratio wholly within is no difference worth naming
# Fewer values than these and no interval is given: a percentile stands on the few values beyond it, and the bootstrap
# of a mean is too narrow where its values are few. Under load there have to be as many rounds as values for a median.
FEWEST: dict[str, int] = {"mean": 30, "p50": FOR_HALF, "p90": FOR_HIGH, "p95": FOR_HIGH, "p99": FOR_P99}
FEWEST_PAIRS = 3  # of repeats that took turns; two would leave the interval to chance
# Student's t for a 95 % interval at 1 to 30 degrees of freedom.
T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


class Verdict(StrEnum):
    """The five words for a difference."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    UNCLEAR = "unclear"
    NOT_ENOUGH_DATA = "not_enough_data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A statistic of two sets of values, and their ratio with its 95 % interval.

    Attributes:
        baseline: Its statistic; None without values.
        ratio: The other side's statistic / the baseline's; None if it cannot be formed.
        low, high: None if there are too few values for an interval.
        counts: Values on each side, the baseline's first.
        pairs: Pairs of runs that took turns, behind a difference that rests on them; 0 where it rests on what single
            runs show within.
    """

    statistic: str
    baseline: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    counts: tuple[int, int] = (0, 0)
    pairs: int = 0

    @property
    def within(self) -> tuple[float, float] | None:
        """The interval, None if there is none."""
        return (self.low, self.high) if self.low is not None and self.high is not None else None


def change(ratio: float | None) -> float | None:
    """A ratio as percent above or, negative, below the baseline."""
    return None if ratio is None else (ratio - 1) * 100


def _finite(values: Sequence[float]) -> list[float]:
    return [value for value in values if isfinite(value)]


def _ratio(baseline: float, other: float) -> float | None:
    # Latencies and speeds are above 0; a ratio to 0 says nothing.
    return other / baseline if baseline > 0 and other >= 0 else None


def difference(
    baseline: Sequence[float],
    other: Sequence[float],
    statistic: Statistic = "p50",
    seed: int = 0,
    *,
    baseline_groups: Sequence[int] | None = None,
    other_groups: Sequence[int] | None = None,
) -> Difference:
    """The ratio of a statistic between two runs' raw values, its interval by the bootstrap.

    Groups say which values hang together: chunk gaps of one request, requests of one round under load (`rounds`).
    The same seed gives the same interval. All values have to be finite numbers if groups are given.
    """
    ours = list(baseline) if baseline_groups is not None else _finite(baseline)
    theirs = list(other) if other_groups is not None else _finite(other)
    counts = (len(ours), len(theirs))
    if not ours or not theirs:
        return Difference(statistic=statistic, counts=counts)
    values = estimate(ours, statistic), estimate(theirs, statistic)
    ratio = _ratio(*values)
    independent = (
        len(ours) if baseline_groups is None else len(set(baseline_groups)),
        len(theirs) if other_groups is None else len(set(other_groups)),
    )
    within: tuple[float | None, float | None] = (None, None)
    if ratio is not None and min(counts) >= FEWEST[statistic] and min(independent) >= FEWEST["p50"]:
        within = _bootstrap(
            draws(ours, statistic, seed, baseline_groups), draws(theirs, statistic, seed + 1, other_groups), ratio
        )
    return Difference(
        statistic=statistic,
        baseline=values[0],
        ratio=ratio,
        low=within[0],
        high=within[1],
        counts=counts,
    )


def _bootstrap(
    of_baseline: Sequence[float], of_other: Sequence[float], ratio: float
) -> tuple[float, float] | tuple[None, None]:
    ratios = sorted(
        theirs / ours for ours, theirs in zip(of_baseline, of_other, strict=False) if ours > 0 and theirs >= 0
    )
    if not ratios:
        return None, None
    last = len(ratios) - 1
    return min(float(ratios[round(0.025 * last)]), ratio), max(float(ratios[round(0.975 * last)]), ratio)


def rounds(counts: Sequence[int], lanes: int) -> list[int] | None:
    """Groups for `difference`: the round of the closed loop that each request belongs to, run after run.

    `counts` are the requests of each run, its values in the order in which they ended. Requests that were served at
    once share what happened then: taken one by one, they make an interval several times too narrow. A single lane has
    no rounds. What does not fill a round belongs to the last.
    """
    if lanes <= 1:
        return None
    found: list[int] = []
    for count in counts:
        first = found[-1] + 1 if found else 0
        last = max(count // lanes - 1, 0)
        found.extend(first + min(place // lanes, last) for place in range(count))
    return found


def difference_of_rates(baseline: Sequence[Rate], other: Sequence[Rate]) -> Difference:
    """The ratio of throughputs, a rate for each run, with its interval from the error that each has from within."""
    counts = (len(baseline), len(other))
    if not baseline or not other:
        return Difference(statistic="rate", counts=counts)
    sides = together(baseline), together(other)
    ratio = _ratio(sides[0].per_s, sides[1].per_s)
    within: tuple[float | None, float | None] = (None, None)
    parts = [(side.error**2, side.freedom) for side in sides if side.error is not None]
    if ratio and len(parts) == len(sides):
        within = _reach(ratio, parts)
    return Difference(
        statistic="rate",
        baseline=sides[0].per_s,
        ratio=ratio,
        low=within[0],
        high=within[1],
        counts=counts,
    )


def difference_of_pairs(pairs: Sequence[tuple[float, float]], statistic: str) -> Difference:
    """The ratio over pairs of runs that took turns, a number of each: its mean and Student's interval over the pairs.

    Both on the logarithm. What slows the two runs of a pair alike is in neither, and what differs from one run to the
    next, which no single run can show, is in the interval.
    """
    known = [(ours, theirs) for ours, theirs in pairs if isfinite(ours) and isfinite(theirs)]
    counts = (len(known), len(known))
    if not known:
        return Difference(statistic=statistic, counts=counts)
    if min(min(pair) for pair in known) <= 0:  # no logarithm: who brought nothing is behind, without an interval
        ours, theirs = (fsum(side) / len(known) for side in zip(*known, strict=True))
        bare = Difference(statistic=statistic, baseline=ours, ratio=_ratio(ours, theirs))
        return replace(bare, counts=counts, pairs=len(known))
    logs = [(log(ours), log(theirs)) for ours, theirs in known]
    centres = [fsum(side) / len(logs) for side in zip(*logs, strict=True)]
    centre = centres[1] - centres[0]
    within: tuple[float | None, float | None] = (None, None)
    if len(logs) >= FEWEST_PAIRS:
        freedom = len(logs) - 1
        variance = fsum((theirs - ours - centre) ** 2 for ours, theirs in logs) / freedom
        within = _about(centre, variance / len(logs), freedom)
    return Difference(
        statistic=statistic,
        baseline=exp(centres[0]),
        ratio=_exp(centre),
        low=within[0],
        high=within[1],
        counts=counts,
        pairs=len(known),
    )


def _reach(ratio: float, parts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The interval about a ratio of two means, each with the variance of its logarithm and its degrees of freedom."""
    variance = fsum(part for part, _ in parts)
    behind = fsum(part**2 / freedom for part, freedom in parts)
    return _about(log(ratio), variance, variance**2 / behind) if behind else (ratio, ratio)


def _about(centre: float, variance: float, freedom: float) -> tuple[float, float]:
    """Student's interval about the logarithm of a ratio, as ratios."""
    reach = _t95(freedom) * sqrt(variance)
    # Wildly scattered runs reach beyond what a float holds: then anything is possible.
    return (_exp(centre - reach), _exp(centre + reach)) if reach < 100 else (0.0, inf)


def _exp(value: float) -> float:
    return exp(value) if value < 700 else inf


def _t95(freedom: float) -> float:
    whole = max(1, int(freedom))  # rounding down widens the interval
    return T95[whole - 1] if whole <= len(T95) else 1.96 + 2.5 / whole


def differs(found: Difference, margin: float = MARGIN) -> bool:
    """Whether the whole interval lies on one side of 1, and not wholly within the margin."""
    within = found.within
    if within is None or _negligible(within, margin):
        return False
    return within[0] > 1 or within[1] < 1


def _negligible(within: tuple[float, float], margin: float) -> bool:
    return within[0] >= 1 - margin and within[1] <= 1 + margin


def verdict(found: Difference, better: Better, margin: float = MARGIN) -> Verdict:
    """One of the five words, for differences that rest on pairs of runs."""
    within = found.within
    if within is None:
        return Verdict.NOT_ENOUGH_DATA
    if _negligible(within, margin):
        return Verdict.EQUIVALENT
    if not differs(found, margin):
        return Verdict.UNCLEAR
    return Verdict.BETTER if (within[0] > 1) == (better == "higher") else Verdict.WORSE


def tie(found: Sequence[Difference], margin: float = MARGIN) -> Verdict | None:
    """The verdict for those that cannot be told from the one ahead; None where single runs are all there is."""
    if not any(one.pairs for one in found):
        return None
    withins = [one.within for one in found]
    known = [within for within in withins if within is not None]
    if len(known) < len(withins):
        return Verdict.NOT_ENOUGH_DATA
    return Verdict.EQUIVALENT if all(_negligible(within, margin) for within in known) else Verdict.UNCLEAR


def pair_words(found: Difference, margin: float = MARGIN, *, single: bool = True) -> str:
    """The words for runs that took no turns, two `single` ones or more: what they say of these, and of nothing else."""
    if found.within is None:
        return say("not enough data")
    if not differs(found, margin):
        return say("no difference seen")
    return say("these two runs differ") if single else say("these runs differ")
