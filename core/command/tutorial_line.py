"""The line under the table that says what a tutorial's script would have printed. Knows summaries, measures nothing."""

from collections.abc import Sequence
from math import log

from core.course import Done
from core.tutorial import Tutorial
from core.words import say


def tutorial_line(done: Sequence[Done]) -> str | None:
    """Of several runs the one in which such a script is furthest from the truth; None if it had nothing to print."""
    found = [(one.run.name, words) for one in done if (words := one.summary.tutorial) is not None]
    if not found:
        return None
    name, words = max(found, key=lambda pair: _apart(pair[1]))
    return words.sentence if len(done) == 1 else say("{run}: {sentence}", run=name, sentence=words.sentence)


def _apart(found: Tutorial) -> float:
    """How far what is printed is from the decode speed, above or below; an unknown one comes last."""
    printed = found.chunks_tps or found.characters_tps
    return abs(log(printed / found.decode_tps)) if printed and found.decode_tps else -1.0
