"""One finding, its levels and their order. Knows no reason to doubt itself."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Level = Literal["stop", "act", "note", "ok"]
# Red, do not trust; orange, act; grey, know; green, checked and fine.
LEVELS: tuple[Level, ...] = ("stop", "act", "note", "ok")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A reason to doubt or to act. May quote servers and names: escape it where it is shown.

    Attributes:
        kind: Its fixed word, for tests and for run files.
        what: What happened, with its number.
        why: Why it matters.
        do: What to do.
        degree: Among findings of one kind and level the highest is the gravest.
    """

    kind: str
    level: Level
    what: str
    why: str
    do: str = ""
    degree: float = 0.0

    @property
    def text(self) -> str:
        """All three in one line."""
        return " ".join(part for part in (self.what, self.why, self.do) if part)


def gravest(of_runs: Iterable[tuple[str, Finding]]) -> tuple[str, Finding]:
    """The one to be told for all of its kind, with the name of its run; among equals the first."""
    return min(of_runs, key=lambda pair: (LEVELS.index(pair[1].level), -pair[1].degree))


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Gravest first; among equals as they came."""
    return sorted(findings, key=lambda finding: LEVELS.index(finding.level))
