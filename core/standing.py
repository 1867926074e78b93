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
    differs,
    pair_words,
    verdict,
)
from core.definitions.spec import Better
from core.doubts.client import greyed_by_client
from core.doubts.course import FAILED_SHARE
from core.doubts.evidence import evidence
from core.doubts.samples import sample_doubts
from core.findings import Finding, gathered, in_order
from core.lineup import Cell, Contender, Lineup
from core.mismatches import mismatches
from core.percentile import too_few
from core.repeats import difference_of_outputs, difference_of_values
from core.reservations import Reservation, reservations
from core.words import say

Standing = Literal["good", "bad", "neutral"]
THROUGHPUT = "output_tokens_per_s"
LATENCIES = ("ttft_s", "tpot_s", "e2e_s")
SCHEDULED = ("scheduled_ttft_s", "scheduled_e2e_s")  # what a late send would hide
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
        word: One of the five verdicts where the two sides took turns, else the words for runs that did not.
        verdict: That verdict; None for such runs.
        standing: Whether the difference is to the good; "neutral" where none is certain.
        reservations: Why neither is to be taken as it stands.
    """

    contender: Contender
    value: float | None
    difference: Difference
    word: str
    standing: Standing
    weak: bool = False
    verdict: Verdict | None = None
    reservations: tuple[Reservation, ...] = ()


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


def rows(line: Lineup, level: float, statistics: Sequence[Statistic]) -> list[Row]:
    """Each latency in each of these statistics, then the throughput; what the baseline does not have is left out.

    At rates with the latencies from the schedule.
    """
    base, others = line.baseline, [other for other in line.others if level in other.cells]
    if level not in base.cells:
        return []
    latencies = (*LATENCIES, *SCHEDULED) if line.variable == "rate" else LATENCIES
    found = [latency_row(base, others, level, metric, name) for metric in latencies for name in statistics]
    return [row for row in (*found, _throughput_row(base, others, level)) if row.baseline is not None]


def latency_row(base: Contender, others: Sequence[Contender], level: float, metric: str, name: Statistic) -> Row:
    """One latency of a baseline and of those that were measured at the same load."""
    cell = base.cells[level]
    return Row(
        metric=metric,
        statistic=name,
        better="lower",
        baseline=cell.statistic(metric, name),
        weak=weak(cell, metric, name),
        against=tuple(
            _against(
                base,
                other,
                level,
                metric,
                value=other.cells[level].statistic(metric, name),
                found=latency_difference(cell, other.cells[level], metric, name),
                better="lower",
                faint=weak(other.cells[level], metric, name),
            )
            for other in others
        ),
    )


def _throughput_row(base: Contender, others: Sequence[Contender], level: float) -> Row:
    cell = base.cells[level]
    return Row(
        metric=THROUGHPUT,
        statistic="",
        better="higher",
        baseline=cell.throughput(THROUGHPUT),
        against=tuple(
            _against(
                base,
                other,
                level,
                THROUGHPUT,
                value=other.cells[level].throughput(THROUGHPUT),
                found=difference_of_outputs(cell.output, other.cells[level].output),
                better="higher",
            )
            for other in others
        ),
    )


def weak(cell: Cell, metric: str, name: str) -> bool:
    """Whether a number is grey: its repeats together have too few values for it, or the client was late in one."""
    late = any((metric, name) in greyed_by_client(evidence(one.run, one.summary)) for one in cell.entries)
    return late or too_few(name, cell.count(metric))


def latency_difference(base: Cell, other: Cell, metric: str, name: Statistic) -> Difference:
    """Over pairs of runs where the two took turns, else over their requests.

    What rests on too few values to be shown in full ink has no interval, however often it was repeated.
    """
    found = difference_of_values(base.values(metric), other.values(metric), name, lanes=(base.lanes, other.lanes))
    few = found.pairs and any(too_few(name, cell.count(metric)) for cell in (base, other))
    return replace(found, low=None, high=None) if few else found


def _against(
    base: Contender,
    other: Contender,
    level: float,
    metric: str,
    *,
    value: float | None,
    found: Difference,
    better: Better,
    faint: bool = False,
) -> Against:
    ours, theirs = base.cells[level], other.cells[level]
    judged = verdict(found, better) if found.pairs else None
    single = len(ours.entries) == len(theirs.entries) == 1
    return Against(
        contender=other,
        value=value,
        difference=found,
        word=VERDICT_WORDS[judged] if judged else pair_words(found, single=single),
        standing=_standing(found, better),
        weak=faint,
        verdict=judged,
        reservations=reservations({base.brief: ours, other.brief: theirs}, metric),
    )


def _standing(found: Difference, better: Better) -> Standing:
    if found.ratio is None or not differs(found):
        return "neutral"
    return "good" if (found.ratio > 1) == (better == "higher") else "bad"


def doubts(line: Lineup, level: float, of_runs: Sequence[tuple[str, Sequence[Finding]]] = ()) -> list[Finding]:
    """What makes these runs hard to compare, what makes the numbers at this load thin, then what each run's doubts are.

    `of_runs` are names of the runs with their findings: told by kind, where it is not told of all of them already.
    """
    entries = [*(entry for contender in line.contenders for entry in contender.entries), *line.aside]
    found = [*mismatches([(entry.run, entry.summary) for entry in entries]), *_thin(line, level)]
    told = {finding.kind for finding in found}
    return in_order([*found, *(finding for finding in gathered(of_runs) if finding.kind not in told)])


def _thin(line: Lineup, level: float) -> Iterator[Finding]:
    lost = [
        f"{c.name} {share * 100:.1f} %"
        for c in line.contenders
        if level in c.cells and (share := c.cells[level].failed_share) is not None and share > FAILED_SHARE
    ]
    if lost:
        yield Finding(
            kind="failures",
            level="act",
            what=say("Requests without a usable answer at {at}: {lost}.", at=line.words(level), lost=", ".join(lost)),
            why=say("Latencies are those of the others only, and turning requests away makes a server look fast."),
            do=say("Open the runs for the reasons."),
        )
    those = [contender for contender in line.contenders if level in contender.cells]
    # Repeats are pooled, so what is greyed goes by all their answers.
    answers = [sum(entry.summary.counts["ok"] for entry in one.cells[level].entries) for one in those]
    if answers:
        ok = min(answers)
        fewest = those[answers.index(ok)]
        first = fewest.cells[level].entries[0]
        pooled = replace(first.summary, counts=first.summary.counts | {"ok": ok})
        for finding in sample_doubts(evidence(first.run, pooled)):
            alike = len(set(answers)) == 1
            named = finding.what if alike else say("{name}: {what}", name=fewest.name, what=finding.what)
            yield replace(finding, what=named)
