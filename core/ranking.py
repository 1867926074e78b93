"""Several configurations at several loads -> who is fastest for one user, who serves most under load, in a sentence.

Knows values and names, no run and no page. Names no winner that the numbers do not show.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.comparison import Difference, Verdict, differs, tie
from core.load import Variable, level_words
from core.percentile import percentile
from core.repeats import OneRun, difference_of_outputs, difference_of_values
from core.steadiness import Rate, together
from core.words import say

NAMED = 2  # of those behind a tie; more are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One configuration at one load: one run or its repeats.

    Attributes:
        variable: What the level counts.
        lanes: How many requests were served at once; 0 for as many as the level says.
        decode_tps: For each run the decode speeds of its requests, in the order in which they ended.
        output: For each run its output throughput, tokens/s; runs that do not know it are left out.
    """

    name: str
    level: float
    decode_tps: Sequence[OneRun[Sequence[float]]]
    output: Sequence[OneRun[Rate]]
    variable: Variable = "concurrency"
    lanes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Who is ahead in one respect.

    Attributes:
        level: Requests in flight, or requests/s, at which it was looked at.
        best: The leader's name, and with it all that cannot be told from it; one name is a clear win.
        enough: Whether there are enough values to tell; if not, those in `best` may well differ.
        tie: The verdict on those in `best`, where they took turns with the leader; None for single runs.
        values: Name -> value, highest first, tokens/s.
        to_baseline: The leader's difference to the baseline; None if the leader is the baseline.
        to_leader: Name -> the difference of each other to the leader.
    """

    level: float
    best: tuple[str, ...]
    enough: bool
    values: dict[str, float]
    to_baseline: Difference | None
    variable: Variable = "concurrency"
    to_leader: Mapping[str, Difference] = field(default_factory=dict)
    tie: Verdict | None = None

    @property
    def of_one_user(self) -> bool:
        """Whether one request at a time was looked at."""
        return self.variable == "concurrency" and self.level == 1

    @property
    def words(self) -> str:
        """The load: `4 in flight`, `2.5 requests/s`."""
        return level_words(self.variable, self.level)

    @property
    def clear(self) -> bool:
        """Whether one alone is ahead."""
        return len(self.best) == 1

    @property
    def behind(self) -> tuple[str, ...]:
        """Those that the highest one is ahead of for certain, highest first."""
        return tuple(name for name in self.values if name not in self.best)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The verdict over all configurations: None where no level is common to all of them or nothing is known."""

    decode: Place | None
    throughput: Place | None
    sentence: str


def _decode_value(measured: Measured) -> float | None:
    pooled = sorted(value for run in measured.decode_tps for value in run.shows)
    return percentile(pooled, 50) if pooled else None


def _decode_difference(baseline: Measured, other: Measured) -> Difference:
    lanes = [side.lanes or round(side.level) for side in (baseline, other)]
    return difference_of_values(baseline.decode_tps, other.decode_tps, "p50", lanes=(lanes[0], lanes[1]))


def _throughput_value(measured: Measured) -> float | None:
    return together([run.shows for run in measured.output]).per_s if measured.output else None


def _throughput_difference(baseline: Measured, other: Measured) -> Difference:
    return difference_of_outputs(baseline.output, other.output)


def _ahead(found: Difference) -> bool:
    # Who brought nothing at all is behind, and no interval is needed to say so.
    return found.ratio == 0 or differs(found)


def _place(cells: Sequence[Measured], baseline: str, *, decode: bool) -> Place | None:
    value = _decode_value if decode else _throughput_value
    differ = _decode_difference if decode else _throughput_difference
    known = {cell.name: (cell, measured) for cell in cells if (measured := value(cell)) is not None}
    if len(known) < len(cells) or not known:
        return None
    order = sorted(known, key=lambda name: known[name][1], reverse=True)
    leader = known[order[0]][0]
    found = {name: differ(leader, known[name][0]) for name in order[1:]}
    tied = [name for name, difference_to in found.items() if not _ahead(difference_to)]
    return Place(
        level=leader.level,
        variable=leader.variable,
        best=(order[0], *tied),
        enough=all(found[name].within is not None for name in tied),
        tie=tie([found[name] for name in tied]),
        values={name: known[name][1] for name in order},
        to_leader=found,
        to_baseline=differ(known[baseline][0], leader) if baseline in known and baseline != order[0] else None,
    )


def _names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else say("{some} and {last}", some=", ".join(names[:-1]), last=names[-1])


def _whom(place: Place) -> str:
    return say("for one user") if place.of_one_user else say("at {level}", level=place.words)


def _decode_words(place: Place) -> str:
    whom = _whom(place)
    if place.clear:
        return say("{name} decodes fastest {whom}", name=place.best[0], whom=whom)
    if not place.enough:
        few = say("too few repeats") if place.tie else say("too few requests")
        return say("{few} to say who decodes fastest {whom}", few=few, whom=whom)
    words = say("no difference in decode speed seen between {names} {whom}", names=_names(place.best), whom=whom)
    return words + _behind_words(place)


def _under(place: Place) -> str:
    loaded = place.variable == "concurrency" and place.level > 1
    return say("under load") if loaded else _whom(place)


def _throughput_words(place: Place) -> str:
    whom = _under(place)
    if place.clear:
        return say("{name} serves the most {whom}", name=place.best[0], whom=whom)
    if not place.enough:
        few = say("not enough repeats") if place.tie else say("not enough requests")
        return say("{few} to tell who serves the most {whom}", few=few, whom=whom)
    words = say("no difference in throughput seen between {names} {whom}", names=_names(place.best), whom=whom)
    return words + _behind_words(place)


def _behind_words(place: Place) -> str:
    """Who has no part in a tie, so that nobody of the comparison is missing from the verdict."""
    behind, leader = place.behind, place.best[0]
    if not behind:
        return ""
    if len(behind) == 1:
        return say(", {name} is behind {leader}", name=behind[0], leader=leader)
    if len(behind) <= NAMED:
        return say(", {names} are behind {leader}", names=_names(behind), leader=leader)
    return say(", the other {n} are behind {leader}", n=len(behind), leader=leader)


def _sentence(decode: Place | None, throughput: Place | None) -> str:
    if decode and throughput and decode.clear and throughput.best == decode.best:
        whom, under = _whom(decode), _under(throughput)
        words = "{name} decodes fastest {whom} and serves the most {under}."
        return say(words, name=decode.best[0], whom=whom, under=under)
    parts = [_decode_words(decode)] if decode else []
    if throughput:
        parts.append(_throughput_words(throughput))
    if not parts:
        return say("Nothing can be said: neither decode speed nor throughput is known for all of them.")
    joined = "; ".join(parts)
    first = decode or throughput
    # A name stands as it is written; only our own words begin with a capital.
    return (joined if first and first.clear else joined[0].upper() + joined[1:]) + "."


def ranking(measured: Sequence[Measured], baseline: str) -> Ranking:
    """Decode speed at the lowest level that all have, throughput at the highest. `baseline` is a name."""
    names = list(dict.fromkeys(cell.name for cell in measured))
    if len(names) < 2:
        return Ranking(decode=None, throughput=None, sentence=say("Choose a second configuration to compare."))
    levels = set.intersection(*({cell.level for cell in measured if cell.name == name} for name in names))
    if not levels:
        return Ranking(
            decode=None,
            throughput=None,
            sentence=say("Nothing can be said: these configurations were not measured at the same load."),
        )
    decode = _place([cell for cell in measured if cell.level == min(levels)], baseline, decode=True)
    throughput = _place([cell for cell in measured if cell.level == max(levels)], baseline, decode=False)
    return Ranking(decode=decode, throughput=throughput, sentence=_sentence(decode, throughput))
