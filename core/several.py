"""Many names in a sentence: the first of them, and how many more there are. Knows not what is named."""

from collections.abc import Sequence

from core.words import say

MOST = 8


def some(names: Sequence[str], most: int = MOST) -> str:
    """At most so many of the names, and the number of the rest."""
    shown, more = ", ".join(names[:most]), len(names) - most
    return shown if more <= 0 else say("{names} and {n} more", names=shown, n=f"{more:,}")
