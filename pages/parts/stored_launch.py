"""A launch that this app did not make, or no longer knows: read back from its stored runs. Draws nothing."""

import streamlit as st

from core.course import Done, Searched
from core.fleet.live import LiveExperiment, LiveRun
from core.fleet.replay import replayed, replayed_run
from core.recalled import recalled, searched_before
from core.run import ENDED_STATES, Run
from core.summary import Summary
from pages.parts.state import services
from storage.runs import RunNotFound

Stored = tuple[Run, Summary, LiveRun]


def stored(experiment_id: str) -> LiveExperiment | None:
    """As the live view shows it; None without runs, and while one of them is not known to have ended."""
    rows = services().runs.list_runs(experiment_id=experiment_id)
    if any(row.state not in ENDED_STATES for row in rows):
        return None
    found = [one for row in reversed(rows) if (one := _run(row.id)) is not None]
    if not found:
        return None
    searched = searched_before([Done(run=run, summary=summary) for run, summary, _ in found])
    experiment = recalled([run for run, _, _ in found], experiment_id)
    return replayed(experiment, [(run, live) for run, _, live in found], searched)


def searched_by(experiment_id: str) -> tuple[Searched, ...]:
    """The search that a launch made or makes; empty if it makes none or nothing is known of it."""
    known = services().registry.find(experiment_id) or stored(experiment_id)
    return known.searched if known is not None else ()


def _run(run_id: str) -> Stored | None:
    try:
        return _kept(run_id)
    except RunNotFound:  # deleted meanwhile
        return None


@st.cache_resource(max_entries=256, show_spinner=False)
def _kept(run_id: str) -> Stored:
    """An ended run never changes; its requests are counted and let go."""
    store = services().runs
    return store.run(run_id, requests=False), store.summary(run_id), replayed_run(store.run(run_id, texts=False))
