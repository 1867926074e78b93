"""How runs look in a terminal: one progress line and a table at the end. Knows columns, measures nothing."""

import os
import sys
from collections.abc import Callable, Sequence
from time import monotonic, sleep
from typing import TextIO

from core.comparison import FEWEST
from core.course import Done, expected_runs
from core.findings import Finding, findings, gravest, greyed
from core.fleet.local import WAITING, Listener, run_name
from core.load import level_words
from core.loadgen.channel import Progress
from core.plan import Experiment, RunPlan
from core.quantities import span
from core.records import Outcome, RequestRecord
from core.run import Preflight, Run
from core.several import some
from core.shortening import cut
from core.summary import Summary, unanswered
from core.time_left import time_left_s
from core.words import say

BAR = 8
LONGEST_NAME = 60
WIDEST = 100  # of a line on a terminal that does not tell its width
DASH = "–"
NAMED = 3  # runs of one doubt, beside the first; the others are counted
COLUMNS = (
    ("load", 14), ("ok", 7), ("no answer", 9), ("TTFT p50", 9), ("p95", 8), ("p99", 8), ("TPOT p50", 9),
    ("E2E p50", 9), ("one stream", 10), ("output", 9),
)  # fmt: skip
UNITS = ("", "", "", "ms", "ms", "ms", "ms", "ms", "tok/s", "tok/s")


class Line(Listener):
    """One line that is written over while a run goes on; only on a terminal. It says which of the runs this is."""

    def __init__(
        self,
        experiment: Experiment,
        done: Sequence[Done],
        plan: RunPlan,
        *,
        out: TextIO | None = None,
        now_s: Callable[[], float] = monotonic,
    ) -> None:
        fixed = experiment.search is None and experiment.sweep is None
        self._plan = plan
        self._ahead = experiment.plans[len(done) + 1 :] if fixed else ()
        self._out = out or sys.stderr
        self._shown = self._out.isatty()
        self._now_s = now_s
        self._begun_s = now_s()
        self._warm_s = self._between_s = 0.0
        self._failed = self._ended = self._chunks = 0
        name = printable(cut(run_name(plan), LONGEST_NAME))
        most = expected_runs(experiment)
        several = say("run {n} of {all}: {name}", n=len(done) + 1, all=most, name=name)
        if not fixed:
            several = say("run {n} of at most {all}: {name}", n=len(done) + 1, all=most, name=name)
        self._name = several if most > 1 else name

    def waiting(self) -> None:
        """Another measured run holds this machine."""
        self.tell(WAITING)

    def preflight(self, found: Preflight) -> None:
        """Tell what was changed, once."""
        for change in found.changes:
            self.tell(say("{name}: preflight: {change}", name=self._name, change=change))

    def started(self, priority: str) -> None:
        """From here on it is measured, or warmed up."""
        del priority
        self._between_s = self._now_s() - self._begun_s

    def record(self, record: RequestRecord) -> None:
        """Count failures, and what an ended request brought."""
        if not record.warmup:
            self._failed += record.outcome in (Outcome.FAILED, Outcome.EMPTY)
            self._ended += 1
            self._chunks += len(record.chunk_us)

    def progress(self, progress: Progress) -> None:
        """Draw the line again."""
        if progress.warming_up:
            self._warm_s, self._between_s = progress.at_s, self._now_s() - self._begun_s
            self.stage(say("warming up"))
            return
        so_far_s = progress.at_s - self._warm_s
        share = self._share(progress, so_far_s)
        left_s = time_left_s((self._plan, *self._ahead), share=share, so_far_s=so_far_s, between_s=self._between_s)
        full = int(share * BAR)
        self.stage(
            "█" * full + "░" * (BAR - full),
            "" if left_s is None else say("{span} left", span=span(left_s)) if left_s else say("finishing"),
            say("{failed:,} failed", failed=self._failed) if self._failed else "",
            say("{ended:,} ended", ended=progress.ended),
            say("waits as asked, {span}", span=span(progress.waiting_s)) if progress.waiting_s else "",
            say("{chunks:,} chunks", chunks=progress.chunks),
        )

    def _share(self, progress: Progress, so_far_s: float) -> float:
        """How much of this run is done; requests on their way count by the chunks that they brought."""
        load = self._plan.load
        if load.requests is None:
            return min(so_far_s / (load.duration_s or 1.0), 1.0)
        under_way = max(progress.chunks - self._chunks, 0) * self._ended / self._chunks if self._chunks else 0.0
        return min((progress.ended + under_way) / load.requests, 1.0)

    def stage(self, *parts: str) -> None:
        """Show what happens to this run; only on a terminal, and no more than fits into its width."""
        if self._shown:
            columns = self._columns()
            line = self._name
            for part in map(printable, filter(None, parts)):
                if len(line) + len(part) + 2 < columns:
                    line += f"  {part}"
            self._out.write(f"\r\x1b[K{line[: columns - 1]}")
            self._out.flush()

    def rest(self, seconds: float, stopped: Callable[[], bool]) -> None:
        """Cool down between two runs; a stop ends it."""
        until_s = self._now_s() + seconds
        while not stopped() and (left_s := until_s - self._now_s()) > 0:
            self.stage(say("resting, {span} left", span=span(left_s)))
            sleep(min(left_s, 0.2))

    def tell(self, words: str) -> None:
        """A sentence that stays, above the line."""
        self.clear()
        print(printable(words), file=self._out, flush=True)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._out.write("\r\x1b[K")
            self._out.flush()

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._out.fileno()).columns or WIDEST
        except (OSError, ValueError):  # no terminal that tells
            return WIDEST


def table(runs: Sequence[tuple[Run, Summary]]) -> str:
    """The readable end: one row a run that measured something, doubtful numbers in brackets, findings below."""
    lines = []
    rows = [
        (printable(run.plan.configuration.label)[:32], _cells(run, summary)) for run, summary in runs if run.requests
    ]
    if rows:
        width = max(len("configuration"), *(len(label) for label, _ in rows))
        for label, cells in (("configuration", [name for name, _ in COLUMNS]), ("", UNITS), *rows):
            sizes = (size for _, size in COLUMNS)
            lines.append(
                label.ljust(width)
                + "".join(f"  {cell}".rjust(size + 2) for cell, size in zip(cells, sizes, strict=True))
            )
    if any(cell.startswith("(") for _, cells in rows for cell in cells):
        why = say("too few samples, counts that cannot be, or the client was the bottleneck")
        lines.append(say("(in brackets, which findings call grey: {why})", why=why))
    lines += _findings(runs)
    return "\n".join(lines)


def _cells(run: Run, summary: Summary) -> list[str]:
    doubtful = greyed(run, summary)

    def ms(metric: str, statistic: str) -> str:
        value = summary.statistic(metric, statistic)
        if value is None:
            return DASH
        text = f"{value * 1000:,.1f}" if value < 1 else f"{value * 1000:,.0f}"
        return f"({text})" if is_doubtful(metric, statistic) else text

    def is_doubtful(metric: str, statistic: str) -> bool:
        found = summary.distributions.get(metric)
        few = statistic == "p50" and found is not None and found.count < FEWEST["p50"]
        return few or (metric, statistic) in doubtful

    def rate(value: float | None) -> str:
        return DASH if value is None else f"{value:,.1f}"

    counts, speed = summary.counts, rate(summary.statistic("decode_tps", "p50"))
    output = rate(summary.throughput.get("output_tokens_per_s"))
    return [
        level_words(run.plan.load.variable, run.plan.load.value),
        str(counts.get("ok", 0)),
        str(unanswered(counts)),
        ms("ttft_s", "p50"),
        ms("ttft_s", "p95"),
        ms("ttft_s", "p99"),
        ms("tpot_s", "p50"),
        ms("e2e_s", "p50"),
        f"({speed})" if is_doubtful("decode_tps", "p50") and speed != DASH else speed,
        f"({output})" if ("output_tokens_per_s", "") in doubtful else output,
    ]


def _findings(runs: Sequence[tuple[Run, Summary]]) -> list[str]:
    """One line a kind of doubt, in the words of the run where it is gravest; the others are named."""
    told: dict[tuple[str, str], list[tuple[str, Finding]]] = {}
    for run, summary in runs:
        for finding in findings(run, summary):
            if finding.level == "ok":
                continue
            alike = (finding.kind, finding.why if finding.kind == "run_failed" else "")
            told.setdefault(alike, []).append((run.name, finding))
    lines = []
    for many in told.values():
        name, worst = gravest(many)
        others = [other for other, finding in many if finding is not worst]
        also = say(" (Also: {names}.)", names=some(others, NAMED)) if others else ""
        lines.append(f"* {name}: {worst.text}{also}")
    return [printable(line) for line in lines]


def printable(text: str) -> str:
    """Foreign text without what could steer a terminal."""
    return "".join(char if char.isprintable() else " " for char in text)
