"""Why a verdict is not to be taken as it stands: a machine without idle time, a client that was late for the metric.

Looks at the runs behind a verdict, never at who is ahead.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.doubts.client import greyed_by_client
from core.doubts.course import busy_doubts
from core.doubts.evidence import Evidence, evidence
from core.lineup import Cell
from core.words import say

Kind = Literal["machine_busy", "client_limited"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """One reason, and the configurations whose runs give it."""

    kind: Kind
    names: tuple[str, ...]

    @property
    def words(self) -> str:
        """The reason within a sentence."""
        names = ", ".join(self.names)
        if self.kind == "machine_busy":
            return say("this machine had no idle time while {names} ran on it", names=names)
        return say("the load generator was late for {names}", names=names)


def reservations(cells: Mapping[str, Cell], metric: str) -> tuple[Reservation, ...]:
    """What the runs of these configurations give reason for, where they are held against each other in this metric."""
    kinds: dict[Kind, list[str]] = {"machine_busy": [], "client_limited": []}
    for name, cell in cells.items():
        seen = [evidence(entry.run, entry.summary) for entry in cell.entries]
        if any(_is_busy(one) for one in seen):
            kinds["machine_busy"].append(name)
        if any(_is_late(one, metric) for one in seen):
            kinds["client_limited"].append(name)
    return tuple(Reservation(kind=kind, names=tuple(names)) for kind, names in kinds.items() if names)


def _is_busy(seen: Evidence) -> bool:
    return any(True for _ in busy_doubts(seen))


def _is_late(seen: Evidence, metric: str) -> bool:
    return any(greyed == metric for greyed, _ in greyed_by_client(seen))


def merged(groups: Iterable[Sequence[Reservation]]) -> tuple[Reservation, ...]:
    """Those of several metrics, each kind once."""
    kinds: dict[Kind, dict[str, None]] = {}
    for group in groups:
        for one in group:
            kinds.setdefault(one.kind, {}).update(dict.fromkeys(one.names))
    return tuple(Reservation(kind=kind, names=tuple(names)) for kind, names in kinds.items())


def reasons(found: Sequence[Reservation]) -> str:
    """All of them as one sentence; "" if there are none."""
    if not found:
        return ""
    words = say(" and ").join(one.words for one in found)
    return say("{words}: what differs may be that, and not the configurations.", words=words[0].upper() + words[1:])
