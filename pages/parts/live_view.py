"""A launch for any session: while it waits, while it goes on, and once it has ended.

Draws snapshots of the registry. Measures nothing; the one thing it can do is cancel.
"""

from collections.abc import Sequence
from contextlib import suppress

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.charts.live import live as live_chart
from core.findings import Finding, gathered
from core.fleet.live import LiveExperiment, LiveRun
from core.records import FailureKind
from core.run import ENDED_STATES, RunState
from core.words import say
from pages.parts import (
    last_verdict,
    links,
    live_doubts,
    live_ended,
    live_levels,
    live_line,
    live_numbers,
    live_search,
    look,
    plan_again,
    run_data,
    state,
)
from pages.parts.live_names import label_of, subtitle, title
from pages.parts.look import RUNNING
from pages.parts.measures import definition
from pages.parts.text import count, escape_markdown, short
from storage.runs import RunNotFound

LONGEST_ERROR = 200


def head(found: LiveExperiment) -> None:
    """Name, state and what can be done."""
    actions = look.header(title(found), subtitle(found), look.badge(found.state))
    if found.state in ENDED_STATES:
        _ways_on(found, actions)
    else:
        actions.button(say("Plan another"), icon=":material/add:", key="live_new", on_click=links.turn)
        actions.button(
            say("Cancelling") if found.cancelling else say("Cancel"),
            icon=":material/stop:",
            key="live_cancel",
            disabled=found.cancelling,
            on_click=state.services().registry.cancel,  # before anything is drawn again
            args=(found.id,),
            help=say("Ends within 2 s, keeps what was measured and closes the server's streams."),
        )


def _ways_on(found: LiveExperiment, place: DeltaGenerator) -> None:
    plan_again.button(place, found.experiment)
    ids = [run.run_id for run in found.runs if run.ok]
    begun = ids or [run.run_id for run in found.runs if run.state is RunState.FAILED]
    if len(ids) > 1:
        if place.button(say("Compare"), type="primary", icon=":material/compare_arrows:", key="live_compare"):
            links.go("compare", runs=",".join(ids))
    elif begun and place.button(say("Open run"), type="primary", icon=":material/insights:", key="live_run"):
        links.go("run", run=begun[0])


def show(found: LiveExperiment, live: Sequence[LiveExperiment]) -> None:
    """All below the head, by how far the launch has come."""
    if found.state in ENDED_STATES:
        compared = last_verdict.last(state.services().runs.list_runs(experiment_id=found.id))
        live_ended.show(found)
        if compared is None:  # the verdict has a line of its own
            live_ended.tutorial_line(found)
        live_search.show(found.searched, [])
        _ended(found, compared)
    elif found.state is RunState.RUNNING:
        live_numbers.show(found)
        now = found.current
        live_search.show(found.searched, [(now.run_id, now.plan.load.value)] if now else [])
        _running(found)
    else:
        st.markdown(f"{look.LEVEL_ICON['note']} &thinsp; {live_line.place_of(live, found)}")
        _levels(found)


def _running(found: LiveExperiment) -> None:
    left, right = look.pair("pair_live", [1, 1.35], gap="medium")
    with left:
        _levels(found)
    with right:
        _now(found)
    left, right = look.pair("pair_errors", [1.35, 1], gap="medium")
    with left:
        _errors(found, say("No request has failed. If one does, its kind and the server’s own sentence appear here."))
    with right:
        _noticed(found, say("Noticed so far"))


def _ended(found: LiveExperiment, compared: last_verdict.Compared | None) -> None:
    left, right = look.pair("pair_live", [1, 1.35], gap="medium")
    with left:
        _levels(found)
    with right:
        if compared is not None:
            look.section(say("Verdict"), say("baseline {name}", name=escape_markdown(compared.baseline)))
            last_verdict.sentences(compared)
        if any(run.sent for run in found.runs):
            _noticed(found, say("Noticed"))
    _errors(found)


def _levels(found: LiveExperiment) -> None:
    look.section(say("Levels"), say("output tokens/s once done"), definition("output_tokens_per_s"))
    rows = state.services().runs.list_runs(experiment_id=found.id)
    rates = {row.id: row.output_tokens_per_s for row in rows}
    st.table(live_levels.table(found, rates), border="horizontal", hide_index=True)


def _now(found: LiveExperiment) -> None:
    run = found.current
    if run is None:
        look.section(say("Now"))
        st.markdown(f":gray[{escape_markdown(found.stage)}]")
        return
    one = run.plan.configuration
    load = run.plan.load
    note = say("at {level}, last 2 minutes · p50 solid, p95 dotted", level=load.words())
    if not run.sent:  # in the same place, so that nothing below it moves
        note = f"{say('at {level}', level=load.words())} · {RUNNING} {escape_markdown(found.stage)}"
    look.section(say("Now"), f"{escape_markdown(label_of(run))} {note}")
    fig = live_chart(
        look.mode(),
        name=label_of(run),
        slot=one.slot,
        now_s=run.elapsed_s,
        tokens_per_s=run.tokens_per_s_recent,
        ttft=run.ttft_recent,
        in_flight=run.in_flight_recent if load.variable == "rate" else None,
    )
    look.plot(fig, "live_chart", tools=False)  # they would hide a title, and nobody zooms into what moves on


def _errors(found: LiveExperiment, none: str = "") -> None:
    """By kind; `none` stands where there are none, and nothing at all without it."""
    rows = []
    for run in found.runs:
        one = run.plan.configuration
        where = f"{look.chip(label_of(run, 24), one.slot)} :gray[{say('at')} {run.plan.load.words()}]"
        rows += [
            (where, f"**{escape_markdown(kind)}**", count(many), escape_markdown(short(words, LONGEST_ERROR)))
            for kind, (many, words) in run.errors.items()
            if kind != FailureKind.CANCELLED
        ]
        if run.state is RunState.FAILED and run.message:
            rows.append((where, f"**{say('run failed')}**", "", escape_markdown(short(run.message, LONGEST_ERROR))))
    if rows or none:
        look.section(say("Errors"), say("by kind, with the server's own sentence"))
    if not rows:
        st.markdown(f":gray[{none}]" if none else "")
        return
    titles = [say("Run"), say("Kind"), say("Count"), say("What was said")]
    st.table(pd.DataFrame(rows, columns=titles), border="horizontal", hide_index=True)


def _noticed(found: LiveExperiment, heading: str) -> None:
    """What the runs told on the way, each sentence once, and the reasons to doubt them that are known by now."""
    look.section(heading)
    notes: dict[str, list[str]] = {}
    for run in found.runs:
        for note in run.notes:
            notes.setdefault(note, []).append(_where(run))
    doubts = _doubts(found)
    if not notes and not doubts:
        st.markdown(f":gray[{say('Nothing out of the ordinary.')}]")
        return
    look.findings(doubts)
    if notes:
        with st.container(border=True, gap="xsmall"):
            for note, runs in list(notes.items())[-6:]:
                where = runs[0] if len(runs) == 1 else say("{n} runs", n=len(runs))
                st.markdown(f"{look.LEVEL_ICON['note']} &thinsp; **{escape_markdown(where)}:** {escape_markdown(note)}")


def _where(run: LiveRun) -> str:
    return say("{label} at {level}", label=label_of(run), level=run.plan.load.words())


def _doubts(found: LiveExperiment) -> list[Finding]:
    """Each kind once, what is well left out. While it goes on how client and machine fare; afterwards all of them."""
    if found.state not in ENDED_STATES:
        return gathered([(_where(run), live_doubts.doubts(run)) for run in found.runs if run.sent])
    told = []
    for run in found.runs:
        if run.ok:
            with suppress(RunNotFound):  # deleted since
                told.append((_where(run), run_data.findings_of(run.run_id)))
    return gathered(told)
