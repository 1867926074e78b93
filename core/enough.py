"""How many answers the numbers of a comparison need for their intervals, and a load that brings them.

Counts answers, never looks at who is ahead.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from core.comparison import FEWEST, Statistic
from core.lineup import Cell, Contender, Lineup
from core.load import Load
from core.percentile import FOR_P99
from core.plan import RunPlan
from core.steadiness import FEWEST_ANSWERS, FEWEST_ROUNDS

SLACK = 1.25  # what ended after so many seconds once may take longer the next time
MOST_REQUESTS, MOST_S = 1_000_000, 86_400.0  # of one run


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """Where answers are scarcest.

    Attributes:
        needed: Answers from which on every number of this load has its interval.
        answers: What was measured there.
    """

    contender: Contender
    cell: Cell
    needed: int
    answers: int

    @property
    def factor(self) -> float:
        """How many times as much has to be asked."""
        return self.needed / self.answers


def for_throughput(at_once: int) -> int:
    """Answers from which on a throughput has an interval, where so many requests were served at once."""
    return max(FEWEST_ANSWERS, FEWEST_ROUNDS * at_once)


def needed(at_once: int, percentile: Statistic) -> int:
    """Answers that a throughput and a latency percentile need."""
    return max(for_throughput(at_once), FEWEST[percentile])


def shortfall(line: Lineup, percentile: Statistic) -> Shortfall | None:
    """The load of a configuration that lacks most; None if every one has enough."""
    found = [
        Shortfall(
            contender=contender,
            cell=cell,
            needed=needed(cell.lanes, percentile),
            answers=sum(entry.summary.counts["ok"] for entry in cell.entries),
        )
        for contender in line.contenders
        for cell in contender.cells.values()
    ]
    short = [one for one in found if 0 < one.answers < one.needed]
    return max(short, key=lambda one: one.factor, default=None)


def without_a_verdict(plans: Sequence[RunPlan]) -> tuple[Load, int, int] | None:
    """Of what is planned where answers will be scarcest: a load, its requests over all repeats, and how many it needs.

    None if every closed loop that counts requests brings enough for its intervals.
    """
    asked: Counter[tuple[str, Load]] = Counter()
    for plan in plans:
        asked[plan.configuration.id, plan.load] += plan.load.requests or 0
    short = [
        (load, requests, wanted)
        for (_, load), requests in asked.items()
        if load.concurrency is not None and 0 < requests < (wanted := needed(load.concurrency, "p50"))
    ]
    return max(short, key=lambda one: one[2] / one[1], default=None)


def longer(load: Load, factor: float) -> Load:
    """The load with this many times the requests or seconds; stages say themselves how long they last.

    Never fewer requests than a p99 is told from: the plan would be filled in with a warning at its side.
    """
    if factor <= 1 or load.stages:
        return load
    if load.requests is not None:
        return replace(load, requests=min(max(ceil(load.requests * factor), FOR_P99), MOST_REQUESTS))
    assert load.duration_s is not None
    return replace(load, duration_s=min(float(ceil(load.duration_s * factor * SLACK)), MOST_S))
