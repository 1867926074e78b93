"""The search for the highest level that keeps an SLO: which level to try next, and what was found. A pure function.

Steps of x4 until a level fails, then halving on a log scale until the two sides are within 5 % (whole numbers below
20: next to each other), then both sides once more. From 1 to 4096 that is at most 14 probes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from core.base_url import require
from core.load import LEAST_PER_S, MOST_IN_FLIGHT, MOST_PER_S, Variable
from core.plan_checks import number, whole
from core.slo import Slo
from core.words import say

STEP = 4
CLOSE = 1.05
EXACT_BELOW = 20
MOST_PROBES = 14  # for 1 to 4096
TIMES = 2  # both sides of the edge are measured so often


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for: the highest level of `variable` from `low` to `high` that keeps the SLO."""

    variable: Variable
    low: float
    high: float
    slo: Slo

    def __post_init__(self) -> None:
        """Refuse an empty range."""
        if self.variable == "concurrency":
            whole("Lowest level", self.low, 1, MOST_IN_FLIGHT)
            whole("Highest level", self.high, 1, MOST_IN_FLIGHT)
        else:
            number("Lowest level", self.low, LEAST_PER_S, MOST_PER_S)
            number("Highest level", self.high, LEAST_PER_S, MOST_PER_S)
        require(
            self.low < self.high,
            "The search goes from {low:g} to {high:g}: begin below its end.",
            low=self.low,
            high=self.high,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Levels that are found on the way: one stream, then `high` in flight, then `between` levels where it matters."""

    high: int = 64
    between: int = 4

    def __post_init__(self) -> None:
        """Refuse a sweep without a middle."""
        whole("Saturating level", self.high, 4, MOST_IN_FLIGHT)
        whole("Levels between", self.between, 1, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One level that was measured, and whether it kept the SLO."""

    level: float
    met: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """What the probes amount to.

    Attributes:
        level: The highest level that kept the SLO each time it was measured; None if none did.
        above: The lowest level that did not; None if all did.
        steady: False if a level kept the SLO once and not another time: the edge is blurred by that much.
    """

    level: float | None
    above: float | None
    steady: bool


def next_level(search: Search, probes: Sequence[Probe]) -> float | None:
    """The level to measure next; None once the edge is known."""
    if not probes:
        return search.low
    first = {probe.level: probe.met for probe in reversed(probes)}
    failed = min((level for level, met in first.items() if not met), default=None)
    kept = max((level for level, met in first.items() if met and (failed is None or level < failed)), default=None)
    if failed is None:
        assert kept is not None
        if kept < search.high:
            return min(search.high, kept * STEP)
    elif kept is not None and not _close(search, kept, failed):
        return _between(search, kept, failed)
    counts = [probe.level for probe in probes]
    return next((side for side in (kept, failed) if side is not None and counts.count(side) < TIMES), None)


def edge(probes: Sequence[Probe]) -> Edge:
    """Where the probes so far put the edge."""
    outcomes: dict[float, set[bool]] = {}
    for probe in probes:
        outcomes.setdefault(probe.level, set()).add(probe.met)
    above = min((level for level, met in outcomes.items() if met == {False}), default=None)
    level = max(
        (level for level, met in outcomes.items() if met == {True} and (above is None or level < above)), default=None
    )
    return Edge(level=level, above=above, steady=all(len(met) == 1 for met in outcomes.values()))


def _close(search: Search, kept: float, failed: float) -> bool:
    if search.variable == "rate":
        return failed / kept <= CLOSE
    return failed - kept <= 1 or (failed > EXACT_BELOW and failed / kept <= CLOSE)


def _between(search: Search, kept: float, failed: float) -> float:
    middle = sqrt(kept * failed)
    if search.variable == "rate":
        return float(f"{middle:.3g}") if kept < float(f"{middle:.3g}") < failed else middle
    return min(max(round(middle), kept + 1), failed - 1)


def amount(variable: Variable, level: float) -> str:
    """A level with its unit: `1 request in flight`, `2.5 requests/s`."""
    if variable == "concurrency":
        return say("1 request in flight") if level == 1 else say("{n:g} requests in flight", n=level)
    return say("1 request/s") if level == 1 else say("{n:g} requests/s", n=level)


def sentence(search: Search, found: Edge, slo: str = "") -> str:
    """What was found, in a sentence; `slo` are other words for the limits than those that a command reads."""
    kept = slo or str(search.slo)
    if found.level is None and found.above is None:
        return say("No level was measured.")
    if found.level is None:
        return say("No level from {low} on keeps {slo}.", low=amount(search.variable, search.low), slo=kept)
    level = amount(search.variable, found.level)
    if found.above is None:
        words = say("Every level up to {level} keeps {slo}.", level=level, slo=kept)
    else:
        verb = say("does not") if found.above == 1 else say("do not")
        keep = say("keeps") if found.level == 1 else say("keep")
        words = say("Up to {level} {keep} {slo}; {above:g} {verb}.",
                    level=level, keep=keep, slo=kept, above=found.above, verb=verb)  # fmt: skip
    return words if found.steady else words + " " + say("Measured again, one level turned out otherwise.")


def so_far(search: Search, found: Edge, slo: str = "") -> str:
    """What a search knows that never came to its end: where it stands, and that this is no result."""
    kept = slo or str(search.slo)
    if found.level is None and found.above is None:
        return say("No level was measured.")
    if found.level is None:
        return say("{above} did not keep {slo}; more is not known.",
                   above=amount(search.variable, found.above or search.low), slo=kept)  # fmt: skip
    level = amount(search.variable, found.level)
    if found.above is None:
        return say("{level} kept {slo}; what more would do is not known.", level=level, slo=kept)
    return say("{level} kept {slo} and {above:g} did not; what lies between is not known.",
               level=level, slo=kept, above=found.above)  # fmt: skip
