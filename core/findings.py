"""All reasons to doubt a run, gravest first, and the cells they grey. Only gathers: each doubt lives in core.doubts."""

from collections.abc import Sequence
from dataclasses import replace

from core.doubts.answers import (
    chunk_doubts,
    count_doubts,
    finish_doubts,
    greyed_by_counts,
    impossible_doubts,
    length_doubts,
    overlong_doubts,
    stream_doubts,
)
from core.doubts.claims import claim_doubts
from core.doubts.client import client_doubts, greyed_by_client
from core.doubts.course import busy_doubts, failure_doubts, preflight_doubts, simulated_doubts, state_doubts
from core.doubts.evidence import evidence
from core.doubts.finding import LEVELS, Finding, Level, gravest, in_order
from core.doubts.load import held_doubts, saturation_doubts, schedule_doubts, turned_away_doubts
from core.doubts.prompts import prompt_doubts
from core.doubts.samples import greyed_by_samples, sample_doubts
from core.doubts.serving import cold_doubts, serial_doubts
from core.run import Run
from core.summary import Summary
from core.words import say

__all__ = ["LEVELS", "Finding", "Level", "findings", "gathered", "gravest", "greyed", "in_order", "of_part"]

DOUBTS = (
    state_doubts, saturation_doubts, failure_doubts, turned_away_doubts, held_doubts, schedule_doubts, client_doubts,
    busy_doubts, stream_doubts, serial_doubts, cold_doubts, count_doubts, impossible_doubts, prompt_doubts,
    length_doubts, overlong_doubts, chunk_doubts, finish_doubts, simulated_doubts, preflight_doubts, sample_doubts,
    claim_doubts,
)  # fmt: skip


def findings(run: Run, summary: Summary | None = None) -> list[Finding]:
    """Red, orange, grey, green. `summary` spares computing it again."""
    seen = evidence(run, summary)
    return in_order(finding for doubts in DOUBTS for finding in doubts(seen))


def of_part(found: Sequence[Finding], run: Run, part: Summary) -> list[Finding]:
    """The findings of a run, where the numbers shown are those of a part of it: how many they stand on is the part's.

    The others are about how the run went, which its parts share.
    """
    whole = [finding for finding in found if finding.kind != "few_samples"]
    return in_order([*whole, *sample_doubts(evidence(run, part))])


def greyed(run: Run, summary: Summary | None = None) -> set[tuple[str, str]]:
    """(metric, statistic) of every number that stands on too few values or on counts that cannot be.

    And of those that the client was too late for. The counts are told from the run's requests.
    """
    seen = evidence(run, summary)
    return greyed_by_samples(seen) | greyed_by_client(seen) | greyed_by_counts(seen)


def gathered(of_runs: Sequence[tuple[str, Sequence[Finding]]]) -> list[Finding]:
    """Each kind once over several runs, in the words of the run where it is gravest, with how many have it.

    What is well is left out. Runs come with their names.
    """
    kinds: dict[str, list[tuple[str, Finding]]] = {}
    for name, found in of_runs:
        for finding in found:
            if finding.level != "ok":
                kinds.setdefault(finding.kind, []).append((name, finding))
    return in_order(_of_several(many, len(of_runs)) for many in kinds.values())


def _of_several(many: Sequence[tuple[str, Finding]], runs: int) -> Finding:
    name, worst = gravest(many)
    where = name
    if len(many) > 1:
        where = say("{n} of {all} runs, such as {name}", n=len(many), all=runs, name=name)
    return replace(worst, what=say("{where}: {what}", where=where, what=worst.what))
