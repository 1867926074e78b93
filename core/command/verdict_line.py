"""The verdict under the table of several configurations, as the compare page says it. Knows runs, measures nothing."""

from collections.abc import Sequence
from datetime import datetime

from core.cells import of_records
from core.course import Done
from core.leading import lead
from core.lineup import lineup
from core.reservations import reasons
from core.words import say


def verdict_lines(done: Sequence[Done]) -> list[str]:
    """The sentence, and what speaks against it; none where fewer than two configurations were answered."""
    entries = [of_records(one.run, one.summary) for one in done if one.summary.counts.get("ok")]
    if len({entry.run.plan.configuration.id for entry in entries}) < 2:
        return []
    found = lead(lineup(entries, date=_date))
    told = [say("Verdict: {sentence}", sentence=found.sentence)]
    return [*told, reasons(found.doubted)] if found.doubted else told


def _date(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
