"""How each configuration stands against the baseline at one load: values, differences with intervals, the word.

Knows which numbers are held against each other; the intervals and the words are core.comparison's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core import metrics
from core.comparison import (
    Difference,
    Statistic,
    Verdict,
    difference,
    difference_of_rates,
    difference_of_repeats,
    differs,
    pair_words,
    rounds,
    verdict,
)
from core.definitions.spec import Better
from core.doubts.client import greyed_by_client
from core.doubts.course import FAILED_SHARE
from core.doubts.evidence import evidence
from core.doubts.samples import sample_doubts
from core.findings import Finding
from core.lineup import Cell, Contender, Lineup
from core.mismatches import mismatches
from core.percentile import too_few
from core.ranking import Measured, Ranking, ranking
from core.words import say

Standing = Literal["good", "bad", "neutral"]
THROUGHPUT = "output_tokens_per_s"
LATENCIES = ("ttft_s", "tpot_s", "e2e_s")
VERDICT_WORDS = {
    Verdict.BETTER: say("better"),
    Verdict.WORSE: say("worse"),
    Verdict.EQUIVALENT: say("no difference over 3 %"),
    Verdict.UNCLEAR: say("unclear"),
    Verdict.NOT_ENOUGH_DATA: say("not enough data"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """One configuration held against the baseline in one number.

    Attributes:
        weak: Whether the value rests on too little, so that it is shown grey.
        word: One of the five verdicts where both sides were repeated, else the words for two single runs.
        verdict: That verdict; None for single runs.
        standing: Whether the difference is to the good; "neutral" where none is certain.
    """

    contender: Contender
    value: float | None
    difference: Difference
    word: str
    standing: Standing
    weak: bool = False
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One number over all configurations.

    Attributes:
        metric: A key of METRICS.
        statistic: "p95" and the like; "" for a throughput.
        weak: Whether the baseline's value rests on too little.
    """

    metric: str
    statistic: str
    better: Better
    baseline: float | None
    against: tuple[Against, ...]
    weak: bool = False

    @property
    def title(self) -> str:
        """As tables and charts write it."""
        return f"{metrics.METRICS[self.metric].title} {self.statistic}".strip()

    @property
    def of_time(self) -> bool:
        """Whether its values are seconds."""
        return metrics.METRICS[self.metric].unit == "s"


def rows(line: Lineup, level: int, statistics: Sequence[Statistic]) -> list[Row]:
    """Each latency in each of these statistics, then the throughput; what the baseline does not have is left out."""
    base = line.baseline.cells.get(level)
    others = [other for other in line.others if level in other.cells]
    if base is None:
        return []
    found = [_latency(base, others, metric, name) for metric in LATENCIES for name in statistics]
    return [row for row in (*found, _throughput(base, others)) if row.baseline is not None]


def _latency(base: Cell, others: Sequence[Contender], metric: str, name: Statistic) -> Row:
    better: Better = "lower"
    return Row(
        metric=metric,
        statistic=name,
        better=better,
        baseline=base.statistic(metric, name),
        weak=weak(base, metric, name),
        against=tuple(
            _against(
                other,
                other.cells[base.level].statistic(metric, name),
                latency_difference(base, other.cells[base.level], metric, name),
                better,
                repeated=_repeated(base, other.cells[base.level]),
                weak=weak(other.cells[base.level], metric, name),
            )
            for other in others
        ),
    )


def weak(cell: Cell, metric: str, name: str) -> bool:
    """Whether a number is grey: its repeats together have too few values for it, or the client was late in one."""
    late = any((metric, name) in greyed_by_client(evidence(one.run, one.summary)) for one in cell.entries)
    return late or too_few(name, cell.count(metric))


def latency_difference(base: Cell, other: Cell, metric: str, name: Statistic) -> Difference:
    """From run to run where both sides were repeated, else over the requests of the two, round by round under load."""
    if _repeated(base, other):
        return difference_of_repeats(_per_run(base, metric, name), _per_run(other, metric, name))
    ours, theirs = ([entry.values(metric) for entry in cell.entries] for cell in (base, other))
    return difference(
        [value for values in ours for value in values],
        [value for values in theirs for value in values],
        name,
        baseline_groups=rounds([len(values) for values in ours], base.level),
        other_groups=rounds([len(values) for values in theirs], other.level),
    )


def _per_run(cell: Cell, metric: str, name: Statistic) -> list[float]:
    found = (entry.summary.statistic(metric, name) for entry in cell.entries)
    return [value for value in found if value is not None]


def _throughput(base: Cell, others: Sequence[Contender]) -> Row:
    better: Better = "higher"
    return Row(
        metric=THROUGHPUT,
        statistic="",
        better=better,
        baseline=base.throughput(THROUGHPUT),
        against=tuple(
            _against(
                other,
                other.cells[base.level].throughput(THROUGHPUT),
                difference_of_rates(base.output, other.cells[base.level].output),
                better,
                repeated=_repeated(base, other.cells[base.level]),
            )
            for other in others
        ),
    )


def _repeated(base: Cell, other: Cell) -> bool:
    return min(len(base.entries), len(other.entries)) > 1


def _against(
    contender: Contender, value: float | None, found: Difference, better: Better, *, repeated: bool, weak: bool = False
) -> Against:
    judged = verdict(found, better) if repeated else None
    word = VERDICT_WORDS[judged] if judged else pair_words(found)
    return Against(
        contender=contender,
        value=value,
        difference=found,
        word=word,
        standing=_standing(found, better),
        weak=weak,
        verdict=judged,
    )


def _standing(found: Difference, better: Better) -> Standing:
    if found.ratio is None or not differs(found):
        return "neutral"
    return "good" if (found.ratio > 1) == (better == "higher") else "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Soonest:
    """Who has the lowest latency at one load.

    Attributes:
        best: The leader, and with it all that cannot be told from it.
        enough: Whether there are enough values to tell; if not, those in `best` may well differ.
        values: Each configuration's own, lowest first.
        to_baseline: The leader held against the baseline; None if it is the baseline.
    """

    best: tuple[Contender, ...]
    enough: bool
    values: tuple[tuple[Contender, float], ...]
    to_baseline: Against | None


def judged(line: Lineup) -> list[Contender]:
    """Those among whom one may be ahead: a simulator is not held against real servers."""
    real = [contender for contender in line.contenders if not contender.simulated]
    return real or list(line.contenders)


def soonest(line: Lineup, level: int, metric: str, name: Statistic) -> Soonest | None:
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
    base = line.baseline.cells.get(level)
    to_baseline = None
    if base is not None and leader is not line.baseline and line.baseline in judged(line):
        to_baseline = _latency(base, [leader], metric, name).against[0]
    enough = all(found[contender.key].within is not None for contender in tied)
    return Soonest(best=(leader, *tied), enough=enough, values=tuple(known), to_baseline=to_baseline)


def ranked(line: Lineup) -> Ranking:
    """Who is fastest for one user and who serves the most, over all configurations."""
    measured = [
        Measured(
            name=contender.name,
            level=level,
            decode_tps=[entry.values("decode_tps") for entry in cell.entries],
            output=cell.output,
        )
        for contender in judged(line)
        for level, cell in contender.cells.items()
    ]
    return ranking(measured, line.baseline.name)


def doubts(line: Lineup, level: int) -> list[Finding]:
    """What makes these runs hard to compare, then what makes the numbers at this load thin."""
    entries = [entry for contender in line.contenders for entry in contender.entries]
    found = mismatches([(entry.run, entry.summary) for entry in entries])
    return [*found, *_thin(line, level)]


def _thin(line: Lineup, level: int) -> Iterator[Finding]:
    cells = [contender.cells[level] for contender in line.contenders if level in contender.cells]
    lost = [
        f"{c.name} {share * 100:.1f} %"
        for c in line.contenders
        if level in c.cells and (share := c.cells[level].failed_share) is not None and share > FAILED_SHARE
    ]
    if lost:
        yield Finding(
            kind="failures",
            level="act",
            what=say("Requests without a usable answer at {n} in flight: {lost}.", n=level, lost=", ".join(lost)),
            why=say("Latencies are those of the others only, and turning requests away makes a server look fast."),
            do=say("Open the runs for the reasons."),
        )
    answers = [(sum(entry.summary.counts["ok"] for entry in cell.entries), cell.entries[0]) for cell in cells]
    if answers:
        # Repeats are pooled, so what is greyed goes by all their answers.
        ok, first = min(answers, key=lambda pair: pair[0])
        pooled = replace(first.summary, counts=first.summary.counts | {"ok": ok})
        yield from sample_doubts(evidence(first.run, pooled))
