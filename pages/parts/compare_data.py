"""The chosen runs of a comparison, read once and laid out. An ended run never changes, so it is kept."""

from collections.abc import Callable, Sequence
from functools import cache

import streamlit as st

from core.cells import lanes
from core.findings import Finding
from core.lineup import Entry, Lineup, lineup
from core.steadiness import Rate, rate
from core.words import say
from pages.parts.ended_runs import as_of_now
from pages.parts.look import zone
from pages.parts.run_data import findings_of
from pages.parts.state import services
from pages.parts.text import when
from storage.runs import RunNotFound, RunRow

MOST = 8  # configurations that can be told apart by colour


def chosen_ids(runs: str, experiment: str) -> list[str]:
    """The runs that the link names, in their order, none twice; those of an experiment oldest first."""
    named = [run_id.strip() for run_id in runs.split(",") if run_id.strip()]
    if experiment and not named:
        named = [row.id for row in reversed(services().runs.list_runs(experiment_id=experiment))]
    return list(dict.fromkeys(named))


def read(run_ids: Sequence[str]) -> tuple[list[Entry], list[str]]:
    """The runs that exist and have an answer, and the ids of those that do not exist."""
    entries, gone = [], []
    for run_id in run_ids:
        try:
            entries.append(as_of_now(run_id, _read, _kept))
        except RunNotFound:
            gone.append(run_id)
    return entries, gone


def laid_out(entries: Sequence[Entry], baseline: str) -> Lineup:
    """The runs with an answer as configurations by loads; dates in the reader's zone."""
    return lineup(entries, baseline=baseline, date=lambda moment: when(moment, zone()))


def doubts_of_runs(line: Lineup) -> list[tuple[str, Sequence[Finding]]]:
    """Every run's name with its findings; one that was deleted a moment ago has none."""
    told = []
    for contender in line.contenders:
        for entry in contender.entries:
            name = say("{name} at {level}", name=contender.brief, level=entry.run.plan.load.words())
            try:
                told.append((name, findings_of(entry.run.id)))
            except RunNotFound:
                continue
    return told


def _read(run_id: str) -> Entry:
    store = services().runs
    run, summary = store.run(run_id, requests=False), store.summary(run_id)
    per_s = summary.throughput.get("output_tokens_per_s")
    return Entry(
        run=run,
        summary=summary,
        output=cache(lambda: output(run_id, per_s, lanes(run, summary))),
        values=_once(lambda metric: store.values(run_id, metric)),
        grid=_once(lambda metric: store.grid(run_id, metric)),
    )


_kept = st.cache_resource(max_entries=256, show_spinner=False)(_read)


def output(run_id: str, per_s: float | None, at_once: int) -> Rate | None:
    """A run's output throughput with its error; None if it is not known."""
    return None if per_s is None else rate(per_s, services().runs.stays(run_id), at_once)


def _once(read_metric: Callable[[str], Sequence[float]]) -> Callable[[str], Sequence[float]]:
    return cache(read_metric)


def recent(most: int = 6) -> list[tuple[str, str, list[RunRow]]]:
    """The last experiments with at least two configurations: id, name, runs."""
    found: dict[str, list[RunRow]] = {}
    for row in services().runs.list_runs():
        if row.experiment_id:
            found.setdefault(row.experiment_id, []).append(row)
    several = [(key, rows) for key, rows in found.items() if len({row.configuration_id for row in rows}) > 1]
    return [(key, rows[0].experiment_name or "", rows) for key, rows in several[:most]]
