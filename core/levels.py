"""Levels as people write them, `1,4,16`, `1..64:x2`, `30s@5,60s@5..50`, and those of a sweep. Measures nothing."""

import re
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import takewhile
from math import log

from core.base_url import PlanError, require
from core.load import LEAST_PER_S, MOST_IN_FLIGHT, MOST_PER_S, SHAPES, Shape, Stage, Variable
from core.trace import LEAST_SPEED, MOST_SPEED
from core.words import say

MOST_LEVELS = 200
MOST_WRITTEN = 10_000  # characters: no list of levels is as long
NEAR = 1 + 1e-9  # what adding fractions may miss an end by
PART = re.compile(r"\s*([0-9.eE+-]+?)\s*\.\.\s*([0-9.eE-]+)\s*(?::\s*([x+])\s*([0-9.eE-]+)\s*)?")
AMOUNT = r"\s*(\d+(?:\.\d+)?)\s*"
STAGE = re.compile(rf"{AMOUNT}s?\s*@{AMOUNT}(?:\.\.{AMOUNT}(?::\s*({'|'.join(SHAPES)})\s*)?)?")
STAGES_EXAMPLE = "30s@5,60s@5..50"
NAMES = {"concurrency": say("Concurrency"), "rate": say("Rate")}
BOUNDS = {"concurrency": (1, MOST_IN_FLIGHT), "rate": (LEAST_PER_S, MOST_PER_S)}
EXAMPLES = {"concurrency": "1,4,16 or 1..64:x2 or 1..32:+4", "rate": "0.5,1,2 or 1..64:x2 or 1..10:+0.5"}


def read_levels(written: str, variable: Variable) -> tuple[float, ...]:
    """The levels of a list, a linear (`:+4`) or geometric (`:x2`) range, or several with commas. Raises PlanError.

    Ranges may meet: what they share is one level. A number that is written twice is taken for a wish to measure twice.
    """
    _require_short(written)
    found: dict[float, None] = {}
    alone: set[float] = set()
    for part in written.split(","):
        levels = _part(part, written, variable)
        if ".." not in part:
            require(
                alone.isdisjoint(levels),
                "{written!r} names {level} twice: leave one out; to measure a level again, set the repeats.",
                written=written[:80], level=short(levels[0]),
            )  # fmt: skip
            alone.update(levels)
        found.update(dict.fromkeys(levels))
        require(len(found) <= MOST_LEVELS, "More than {most} levels: widen the step.", most=MOST_LEVELS)
    return tuple(found)


def read_speeds(written: str) -> tuple[float, ...]:
    """The speeds of a trace in a list, `0.5,1,2`. Raises PlanError."""
    try:
        found = tuple(dict.fromkeys(float(part) for part in written.split(",")))
    except ValueError:
        found = ()
    fine = 0 < len(found) <= MOST_LEVELS and all(LEAST_SPEED <= speed <= MOST_SPEED for speed in found)
    require(fine, "Speed is {written!r}: write numbers above 0, such as 2 or 0.5,1,2.", written=written[:80])
    return found


def read_range(written: str, variable: Variable) -> tuple[float, float] | None:
    """(low, high) of `1..4096`, the range of a search; None if levels are written. Raises PlanError."""
    _require_short(written)
    found = PART.fullmatch(written)
    if found is None or found.group(3):
        return None
    return _number(found.group(1), written, variable), _number(found.group(2), written, variable)


def read_whole(text: str) -> int | None:
    """A whole number as people write it; None for everything else, a number of thousands of digits too."""
    try:
        return int(text)
    except ValueError:
        return None


def _require_short(written: str) -> None:
    require(len(written) <= MOST_WRITTEN, "Levels are longer than {most:,} characters: write a range with a step.",
            most=MOST_WRITTEN)  # fmt: skip


def _part(part: str, written: str, variable: Variable) -> tuple[float, ...]:
    found = PART.fullmatch(part)
    if found is None:
        return (_number(part, written, variable),)
    low, high = (_number(end, written, variable) for end in found.group(1, 2))
    require(
        found.group(3) is not None,
        "{written!r} is a range without a step: write it like {examples}; a search needs an SLO.",
        written=written[:80],
        examples=EXAMPLES[variable],
    )
    require(low <= high, "The range {part!r} falls: write its lower end first.", part=part.strip()[:80])
    step = _step(found.group(4))
    multiplies = found.group(3) == "x"
    require(step > 1 if multiplies else step > 0, "The step of {written!r} does not grow: give a larger one.",
            written=written[:80])  # fmt: skip
    if low == high:
        return (low,)
    end = (high + 0.5 if variable == "concurrency" else high) * NEAR  # a level in flight is rounded
    steps = log(end / low) / log(step) if multiplies else (end - low) / step
    # Counted before a single one is taken: a step of 1e-300 would be walked for ever.
    require(steps < MOST_LEVELS, "{part!r} has more than {most} levels: widen the step.",
            part=part.strip()[:80], most=MOST_LEVELS)  # fmt: skip
    require(steps >= 1, "The first step of {part!r} leads past its end: give a smaller one.", part=part.strip()[:80])
    levels = (low * step**place if multiplies else low + step * place for place in range(int(steps) + 1))
    return tuple(
        takewhile(lambda level: level <= high * NEAR, map(round, levels) if variable == "concurrency" else levels)
    )


def _step(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _number(text: str, written: str, variable: Variable) -> float:
    least, most = BOUNDS[variable]
    found: float | None = None
    if variable == "concurrency":
        found = read_whole(text)
    else:
        with suppress(ValueError):
            found = float(text)
    if found is None or not least <= found <= most:
        raise PlanError(
            say(
                "{name} is {written!r}: write {what} from {least:,} to {most:,}, such as {examples}.",
                name=NAMES[variable],
                written=written[:80],
                what=say("whole numbers") if variable == "concurrency" else say("numbers"),
                least=least,
                most=most,
                examples=EXAMPLES[variable],
            )
        )
    return found


def between(one_request_s: float | None, saturated_per_s: float | None, *, high: int, count: int) -> tuple[int, ...]:
    """Levels between one stream and saturation, closest around where the queue begins.

    By Little's law a server that takes `saturated_per_s` requests/s, each `one_request_s` seconds long when alone,
    is just full with their product in flight. Where one of them is unknown, the levels are geometric.
    """
    knee = (one_request_s or 0.0) * (saturated_per_s or 0.0)
    middle = min(max(knee, 2.0), high / 2) if knee else high**0.5
    steps = [2.0 ** (place - (count - 1) / 2) for place in range(count)]
    found = sorted({min(max(round(middle * step), 2), high - 1) for step in steps})
    return tuple(level for level in found if 1 < level < high)


def read_stages(written: str) -> tuple[Stage, ...]:
    """The stages of `30s@5, 60s@5..50:exponential`: seconds, at a level or from one to another. Raises PlanError."""
    _require_short(written)
    return tuple(_stage(part, written) for part in written.split(","))


def _stage(part: str, written: str) -> Stage:
    found = STAGE.fullmatch(part)
    if found is None or any(text is not None and float(text) == 0 for text in found.group(1, 2, 3)):
        raise PlanError(
            say(
                "Stages are {written!r}: write seconds @ level, with numbers above 0, such as {example}.",
                written=written[:80],
                example=STAGES_EXAMPLE,
            )
        )
    start = float(found.group(2))
    end = start if found.group(3) is None else float(found.group(3))
    shape: Shape = next((known for known in SHAPES if known == found.group(4)), "linear")
    return Stage(seconds=float(found.group(1)), start=start, end=end, shape=shape)


def written_stages(stages: Sequence[Stage]) -> str:
    """As `read_stages` reads them back."""
    return ",".join(map(_written, stages))


def _written(stage: Stage) -> str:
    told = f"{short(stage.seconds)}s@{short(stage.start)}"
    if stage.start == stage.end:
        return told
    shape = "" if stage.shape == "linear" else f":{stage.shape}"
    return f"{told}..{short(stage.end)}{shape}"


def short(value: float) -> str:
    """As short as a number can be written that reads back the same, without an exponent."""
    rounded = f"{value:g}"
    return f"{Decimal(rounded if float(rounded) == value else repr(value)):f}"
