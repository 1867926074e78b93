"""What people type as lines of text, read into pairs and back. Knows no widget."""

import re
from collections.abc import Sequence

from core.levels import read_levels
from core.plan import PlanError
from core.words import say

WITHIN = re.compile(r"\s*(\.\.|:)\s*")
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
ESCAPE = re.compile(r"\\([ntr\\])")
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


def escaped_texts(text: str) -> tuple[str, ...]:
    r"""One text a line, empty lines left out; `\n`, `\t`, `\r` and `\\` stand for signs that a line cannot hold."""
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if line]
    return tuple(ESCAPE.sub(lambda found: ESCAPED[found[1]], line) for line in lines)


def escaped_lines(texts: Sequence[str]) -> str:
    """Texts as `escaped_texts` reads them back."""
    marks = {ord(sign): f"\\{mark}" for mark, sign in ESCAPED.items()}
    return "\n".join(text.translate(marks) for text in texts)


def levels(chosen: Sequence[int], more: str) -> tuple[int, ...]:
    """Levels of load from pills and from what is typed beside them, ascending, each once. Raises PlanError."""
    typed = read_levels(_listed(more), "concurrency") if more.strip() else ()
    found = tuple(sorted({*chosen, *map(round, typed)}))
    if not found:
        raise PlanError(say("Nothing to run: choose at least one level of requests in flight."))
    return found


def rates(text: str) -> tuple[float, ...]:
    """Requests/s as typed, ascending, each once. Raises PlanError."""
    if not text.strip():
        raise PlanError(say("Nothing to run: write at least one rate, such as 2 or 1, 2, 4."))
    return tuple(sorted(read_levels(_listed(text), "rate")))


def _listed(text: str) -> str:
    """What people write between levels, `3 6;12` and `1 .. 64 : x2`, as commas alone."""
    return ",".join(word for word in re.split(r"[\s,;]+", WITHIN.sub(r"\1", text)) if word)
