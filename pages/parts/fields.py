"""What people type as lines of text, read into pairs and back. Knows no widget."""

import re

from core.plan import PlanError
from core.words import say

SEPARATORS = re.compile(r"\s*[:=]\s*")


def pairs(text: str, what: str) -> tuple[tuple[str, str], ...]:
    """`Name: value` lines as pairs; empty lines are left out. Raises PlanError naming the line."""
    found = []
    for place, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, *rest = SEPARATORS.split(line.strip(), maxsplit=1)
        if not rest or not name:
            raise PlanError(
                say("{what}, line {place}: write a name, a colon and a value, one pair a line.", what=what, place=place)
            )
        found.append((name, rest[0]))
    return tuple(found)


def lines(found: tuple[tuple[str, str], ...]) -> str:
    """Pairs as the text that `pairs` reads back."""
    return "\n".join(f"{name}: {value}" for name, value in found)


def levels(chosen: list[int], more: str) -> tuple[int, ...]:
    """Levels of load from pills and from a typed list such as `3, 6 12`, ascending, each once. Raises PlanError."""
    typed = [word for word in re.split(r"[\s,;]+", more) if word]
    for word in typed:
        if not word.isdecimal():
            raise PlanError(say("In flight: {word} is not a whole number. Write levels like 3, 6, 12.", word=word))
    found = tuple(sorted({*chosen, *map(int, typed)}))
    if not found:
        raise PlanError(say("Nothing to run: choose at least one level of requests in flight."))
    return found
