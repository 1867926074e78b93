"""Differences and configurations as words on a page: names, verdict badges, the label beside an interval."""

from collections.abc import Sequence
from math import nan

from core.charts.sample import Unit, time_unit
from core.comparison import Difference, Verdict
from core.endpoint import SIMULATED
from core.lineup import Contender, Lineup
from core.standing import Against, Row
from core.words import say
from pages.parts.look import chip
from pages.parts.text import difference, escape_markdown

SIGN = {"good": "▲", "bad": "▼", "neutral": "≈"}
TONE = {"good": "green", "bad": "red", "neutral": "gray"}
DOUBTED = ":material/warning:"  # the mark of a verdict with reservations
UNBROKEN = "\N{NO-BREAK SPACE}"


def name_of(contender: Contender) -> str:
    """The name as it appears anywhere: cut where it is very long, marked where its times are made up."""
    return contender.brief + (f" ({say(SIMULATED)})" if contender.simulated else "")


def load_title(line: Lineup) -> str:
    """What the levels count, as a column or a control is called."""
    return say("Requests/s") if line.variable == "rate" else say("In flight")


def chip_of(contender: Contender, extra: str = "") -> str:
    """Coloured dot and name."""
    return chip(name_of(contender), contender.slot, extra)


def words(found: Difference) -> str:
    """The ratio with its interval: −25 % [−32, −18]; the number and its sign stay on one line."""
    told = difference(found.ratio, found.low, found.high)
    for sign in ("%", "×"):
        told = told.replace(f" {sign}", f"{UNBROKEN}{sign}")
    return told


def badge_of(against: Against) -> str:
    """Sign and word: the triangle says good or bad, the number's own sign says direction. What is doubted is orange."""
    if against.reservations and against.difference.within is not None:
        return f":orange-badge[{DOUBTED} {escape_markdown(against.word)}]"
    sign = "?" if against.difference.within is None or against.verdict is Verdict.UNCLEAR else SIGN[against.standing]
    return f":{TONE[against.standing]}-badge[{sign} {escape_markdown(against.word)}]"


def is_pointed(row: Row) -> bool:
    """Whether a badge of this row points up or down."""
    return any(
        not (row.weak or against.weak or against.reservations)
        and against.difference.within is not None
        and against.standing != "neutral"
        for against in row.against
    )


def label_of(against: Against) -> str:
    """What stands right of an interval in the forest; the figure escapes nothing of ours."""
    told = difference(against.difference.ratio)
    if against.difference.within is None:
        return say("{difference}, no interval", difference=told)
    if against.reservations:
        return say("{difference} in doubt", difference=told)
    if against.verdict in (Verdict.BETTER, Verdict.WORSE):
        return f"{told} {against.word}"
    return f"{told} {SIGN[against.standing]}"


def units_of(rows: Sequence[Row]) -> dict[str, Unit]:
    """What rows of times are written in: one unit for all values and percentiles, so that they compare at a glance.

    By metric; metrics that are no times have none.
    """
    longest: dict[str, float] = {}
    for row in rows:
        if row.of_time:
            values = (longest.get(row.metric, 0.0), row.baseline, *(against.value for against in row.against))
            longest[row.metric] = max(value or 0.0 for value in values)
    return {metric: time_unit(most) for metric, most in longest.items()}


def shown(value: float | None, unit: Unit | None) -> float:
    """A number of the table of values in the unit of its row's title; not a number where it is unknown."""
    if value is None:
        return nan
    return value * unit.per_second if unit else value
