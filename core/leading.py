"""Who is ahead over all chosen configurations: for one user, under load, and with the first token.

Knows which of them are held against each other; how a difference is told from none is core.standing's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.comparison import Difference, Statistic, Verdict, differs, tie
from core.lineup import Contender, Lineup
from core.ranking import Measured, Place, Ranking, ranking
from core.reservations import Reservation, merged, reservations
from core.standing import THROUGHPUT, Against, latency_difference, latency_row
from core.words import say


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """Who is fastest for one user and who serves the most, and why that is not to be taken as it stands.

    Attributes:
        reservations: Metric -> reasons that the compared runs give; empty where there are none.
    """

    ranking: Ranking
    reservations: Mapping[str, tuple[Reservation, ...]]

    @property
    def doubted(self) -> tuple[Reservation, ...]:
        """All reasons against the sentence."""
        return merged(self.reservations.values())

    @property
    def sentence(self) -> str:
        """The verdict, never plainly where there are reasons against it."""
        return say("In doubt: {sentence}", sentence=self.ranking.sentence) if self.doubted else self.ranking.sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Soonest:
    """Who has the lowest latency at one load.

    Attributes:
        best: The leader, and with it all that cannot be told from it.
        enough: Whether there are enough values to tell; if not, those in `best` may well differ.
        tie: The verdict on those in `best`, where they took turns with the leader; None for single runs.
        values: Each configuration's own, lowest first.
        to_baseline: The leader held against the baseline; None if it is the baseline.
        to_leader: Key -> the difference of each other to the leader.
        reservations: Why this is not to be taken as it stands.
    """

    best: tuple[Contender, ...]
    enough: bool
    values: tuple[tuple[Contender, float], ...]
    to_baseline: Against | None
    to_leader: Mapping[str, Difference] = field(default_factory=dict)
    reservations: tuple[Reservation, ...] = ()
    tie: Verdict | None = None


def judged(line: Lineup) -> list[Contender]:
    """Those among whom one may be ahead: a simulator is not held against real servers."""
    real = [contender for contender in line.contenders if not contender.simulated]
    return real or list(line.contenders)


def soonest(line: Lineup, level: float, metric: str, name: Statistic) -> Soonest | None:
    """The lowest latency at one load; None if fewer than two configurations have it."""
    known = [
        (contender, value)
        for contender in judged(line)
        if level in contender.cells and (value := contender.cells[level].statistic(metric, name)) is not None
    ]
    if len(known) < 2:
        return None
    known.sort(key=lambda pair: pair[1])
    leader = known[0][0]
    found = {
        contender.key: latency_difference(leader.cells[level], contender.cells[level], metric, name)
        for contender, _ in known[1:]
    }
    tied = [contender for contender, _ in known[1:] if not differs(found[contender.key])]
    base = line.baseline
    to_baseline = None
    if level in base.cells and leader is not base and base in judged(line):
        to_baseline = latency_row(base, [leader], level, metric, name).against[0]
    enough = all(found[contender.key].within is not None for contender in tied)
    cells = {contender.brief: contender.cells[level] for contender, _ in known}
    return Soonest(
        best=(leader, *tied),
        enough=enough,
        values=tuple(known),
        to_baseline=to_baseline,
        to_leader=found,
        reservations=reservations(cells, metric),
        tie=tie([found[contender.key] for contender in tied]),
    )


def lead(line: Lineup) -> Lead:
    """Who is fastest for one user and who serves the most, over all configurations."""
    measured = [
        Measured(
            name=contender.title,
            level=level,
            variable=line.variable,
            lanes=cell.lanes,
            decode_tps=cell.values("decode_tps"),
            output=cell.output,
        )
        for contender in judged(line)
        for level, cell in contender.cells.items()
    ]
    found = ranking(measured, line.baseline.title)
    places = {"decode_tps": found.decode, THROUGHPUT: found.throughput}
    return Lead(
        ranking=found, reservations={metric: _against_place(line, place, metric) for metric, place in places.items()}
    )


def _against_place(line: Lineup, place: Place | None, metric: str) -> tuple[Reservation, ...]:
    if place is None:
        return ()
    return reservations({one.brief: one.cells[place.level] for one in judged(line)}, metric)
