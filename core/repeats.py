"""Runs of two sides held against each other: pair by pair where they took turns, else by what each shows within.

Knows which runs belong together; how an interval is made is core.comparison's. Never knows a metric's name or a page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Generic, TypeVar

from core.comparison import (
    Difference,
    Statistic,
    difference,
    difference_of_pairs,
    difference_of_rates,
    rounds,
)
from core.resampling import estimate
from core.steadiness import Rate

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Which turn a run had in its experiment, and when it began."""

    experiment: str
    repeat: int
    began: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRun(Generic[T]):
    """What one run of a side has to show: its values of one metric in the order in which they ended, or its rate.

    Attributes:
        turn: None where no experiment is known: then nothing was made beside it.
    """

    shows: T
    turn: Turn | None = None


def paired(ours: Sequence[OneRun[T]], theirs: Sequence[OneRun[T]]) -> list[tuple[T, T]]:
    """What the two runs of each turn show, turn by turn; a turn that one side lacks is left out.

    Empty where the sides did not take turns: where one was measured first and then the other, drift of the machine
    would pass for a difference that holds from pair to pair.
    """
    there = _by_turn(theirs)
    found = [(one, there[key]) for key, one in _by_turn(ours).items() if key in there]
    spans = sorted(sorted(one.turn.began for one in pair if one.turn is not None) for pair in found)
    if not all(before[-1] <= after[0] for before, after in pairwise(spans)):
        return []
    return [(one.shows, other.shows) for one, other in found]


def _by_turn(side: Sequence[OneRun[T]]) -> dict[tuple[str, int], OneRun[T]]:
    return {(one.turn.experiment, one.turn.repeat): one for one in side if one.turn is not None}


def difference_of_values(
    ours: Sequence[OneRun[Sequence[float]]],
    theirs: Sequence[OneRun[Sequence[float]]],
    statistic: Statistic,
    *,
    lanes: tuple[int, int],
) -> Difference:
    """How a statistic differs: over pairs if there are several, else over the requests, round by round under load.

    `lanes`: how many requests were served at once on each side.
    """
    pairs = [(one, other) for one, other in paired(ours, theirs) if len(one) and len(other)]
    if len(pairs) > 1:
        return difference_of_pairs(
            [(estimate(one, statistic), estimate(other, statistic)) for one, other in pairs], statistic
        )
    sides = [[value for one in side for value in one.shows] for side in (ours, theirs)]
    groups = [
        rounds([len(one.shows) for one in side], at_once) for side, at_once in zip((ours, theirs), lanes, strict=True)
    ]
    return difference(sides[0], sides[1], statistic, baseline_groups=groups[0], other_groups=groups[1])


def difference_of_outputs(ours: Sequence[OneRun[Rate]], theirs: Sequence[OneRun[Rate]]) -> Difference:
    """How a throughput differs: over pairs if there are several, else by the error that each has from within."""
    pairs = paired(ours, theirs)
    if len(pairs) > 1:
        return difference_of_pairs([(one.per_s, other.per_s) for one, other in pairs], "rate")
    return difference_of_rates([one.shows for one in ours], [one.shows for one in theirs])
