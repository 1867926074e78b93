"""How runs look in a terminal: one progress line and a table at the end. Knows columns, measures nothing."""

import sys
from collections.abc import Sequence
from typing import TextIO

from core.findings import findings, greyed
from core.fleet.local import Listener
from core.loadgen.channel import Progress
from core.plan import RunPlan
from core.records import RequestRecord
from core.run import Preflight, Run
from core.summary import Summary
from core.words import say

BAR = 24
DASH = "–"
COLUMNS = (
    ("in flight", 9), ("ok", 7), ("failed", 6), ("TTFT p50", 9), ("p95", 8), ("p99", 8), ("TPOT p50", 9),
    ("E2E p50", 9), ("one stream", 10), ("output", 9),
)  # fmt: skip
UNITS = ("", "", "", "ms", "ms", "ms", "ms", "ms", "tok/s", "tok/s")


class Line(Listener):
    """One line that is written over while a run goes on; only on a terminal."""

    def __init__(self, plan: RunPlan, *, out: TextIO | None = None) -> None:
        self._plan = plan
        self._out = out or sys.stderr
        self._shown = self._out.isatty()
        self._failed = 0

    def waiting(self) -> None:
        """Another measured run holds this machine."""
        print(say("Waiting for another measured run on this machine to end."), file=self._out)

    def preflight(self, found: Preflight) -> None:
        """Tell what was changed, once."""
        for change in found.changes:
            print(say("Preflight: {change}", change=change), file=self._out)

    def record(self, record: RequestRecord) -> None:
        """Count failures."""
        self._failed += record.failure is not None and not record.warmup

    def progress(self, progress: Progress) -> None:
        """Draw the line again."""
        if not self._shown:
            return
        load = self._plan.load
        share = progress.ended / load.requests if load.requests else progress.at_s / (load.duration_s or 1.0)
        full = round(min(share, 1.0) * BAR)
        words = say(
            "{n} in flight  {bar} {ended} ended  {failed} failed  {chunks:,} chunks  {at_s:.0f} s",
            n=load.concurrency, bar="█" * full + "░" * (BAR - full), ended=progress.ended, failed=self._failed,
            chunks=progress.chunks, at_s=progress.at_s,
        )  # fmt: skip
        self._out.write(f"\r\x1b[K{words}")
        self._out.flush()

    def stage(self, words: str) -> None:
        """Show what is being made ready; only on a terminal."""
        if self._shown:
            self._out.write(f"\r\x1b[K{words}")
            self._out.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._out.write("\r\x1b[K")
            self._out.flush()


def table(runs: Sequence[tuple[Run, Summary]]) -> str:
    """The readable end: one row a run, doubtful numbers in brackets, findings below."""
    lines = []
    labels = [run.plan.configuration.label for run, _ in runs]
    width = max(len("configuration"), *(min(len(label), 32) for label in labels))
    head = "configuration".ljust(width) + "".join(name.rjust(size + 2) for name, size in COLUMNS)
    units = " " * width + "".join(unit.rjust(size + 2) for unit, (_, size) in zip(UNITS, COLUMNS, strict=True))
    lines += [head, units]
    for (run, summary), label in zip(runs, labels, strict=True):
        cells = _cells(run, summary)
        row = printable(label)[:32].ljust(width)
        lines.append(row + "".join(cell.rjust(size + 2) for cell, (_, size) in zip(cells, COLUMNS, strict=True)))
    if any("(" in line for line in lines[2:]):
        lines.append(say("(in brackets: too few samples, or the client was the bottleneck)"))
    lines += _findings(runs)
    return "\n".join(lines)


def _cells(run: Run, summary: Summary) -> list[str]:
    doubtful = greyed(run, summary)

    def ms(metric: str, statistic: str) -> str:
        value = summary.statistic(metric, statistic)
        if value is None:
            return DASH
        text = f"{value * 1000:,.1f}" if value < 1 else f"{value * 1000:,.0f}"
        return f"({text})" if (metric, statistic) in doubtful else text

    def rate(value: float | None) -> str:
        return DASH if value is None else f"{value:,.1f}"

    counts = summary.counts
    return [
        str(run.plan.load.concurrency),
        str(counts.get("ok", 0)),
        str(counts.get("failed", 0) + counts.get("empty", 0)),
        ms("ttft_s", "p50"),
        ms("ttft_s", "p95"),
        ms("ttft_s", "p99"),
        ms("tpot_s", "p50"),
        ms("e2e_s", "p50"),
        rate(summary.statistic("decode_tps", "p50")),
        rate(summary.throughput.get("output_tokens_per_s")),
    ]


def _findings(runs: Sequence[tuple[Run, Summary]]) -> list[str]:
    """One line a kind of doubt, in the words of the first run that has it; the others are named."""
    lines = []
    told: dict[str, tuple[str, list[str]]] = {}
    for run, summary in runs:
        if run.message:
            lines.append(f"* {run.name}: {run.message}")
        for finding in findings(run, summary):
            if finding.level != "ok":
                told.setdefault(finding.kind, (f"{run.name}: {finding.text}", []))[1].append(run.name)
    for words, names in told.values():
        also = say(" (Also: {names}.)", names=", ".join(names[1:])) if len(names) > 1 else ""
        lines.append(f"* {words}{also}")
    return [printable(line) for line in lines]


def printable(text: str) -> str:
    """Foreign text without what could steer a terminal."""
    return "".join(char if char.isprintable() else " " for char in text)
