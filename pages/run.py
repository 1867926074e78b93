"""One run: its numbers, reasons to doubt them, how they spread, what happened when, and what stands behind."""

from dataclasses import replace

import streamlit as st

from core.run import LIVE_STATES
from core.words import say
from pages.parts import (
    links,
    run_background,
    run_charts,
    run_headline,
    run_labels,
    run_lengths,
    run_rates,
    run_slo,
    run_tabs,
    run_window,
)
from pages.parts.look import findings, header, problem
from pages.parts.run_actions import draw_actions, follow
from pages.parts.run_data import Opened, opened
from pages.parts.state import services
from storage.runs import RunNotFound


def lost(run_id: str) -> None:
    """The run is not there: one sentence and a way on."""
    header(say("Run"), say("One configuration at one load."))
    if run_id:
        problem(say("No run has the id {id}: it was deleted, or the link is incomplete.", id=run_id), level="note")
    else:
        problem(say("No run is chosen."), level="note")
    links.link(st.container(), "runs", say("All runs"))


def head(found: Opened) -> run_window.Part:
    """What it is, what can be done with it, and which part of it the numbers below are of."""
    run = found.run
    top, under = st.container(), st.container()
    with under:  # drawn first: the headline says which numbers these are
        row = st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="top", gap="small")
        with row.container(width="stretch") if run_window.has_switch(run) else row:
            part = run_window.switched(found)
        if run.state not in LIVE_STATES:  # the numbers of a live one are drawn again as they grow, over what is typed
            run_labels.draw(row.container(width="content"), run.id)
    with top:
        named = replace(run, name=run_labels.name(run.id))
        title = run_headline.title(named, steady=part.window is not None)
        draw_actions(header(title, run_headline.line(named), run_headline.badges(run)), run)
        if labels := run_labels.shown(run.id):
            st.markdown(labels)
        if run.state in LIVE_STATES:
            follow(run)
    return part


def draw(found: Opened) -> None:
    """The page of a run that exists."""
    run, summary = found.run, found.summary
    part = head(found)
    run_headline.cards(part.summary, part.grey)
    run_rates.cards(run, summary, found.grey)
    run_headline.under_the_cards(run, part.summary, summary if part.window is None else None)
    run_slo.show(run, part.summary)
    findings(part.findings)
    run_rates.moments(run, summary, found.in_flight)
    if summary.counts.get("ok"):
        run_charts.spreads(part.summary, part.samples, part.grey, run.plan.configuration.slot)
    if found.first:
        run_charts.over_time(
            found.first,
            found.output,
            part.summary,
            requests=found.requests,
            steady=part.window is not None,
            slot=run.plan.configuration.slot,
        )
    run_lengths.show(found.lengths, run.preflight.template_tokens if run.preflight else None)
    tabs(found)


def tabs(found: Opened) -> None:
    """The tables: the last thing, not the first."""
    run = found.run
    requests, errors, plan, environment = st.tabs(
        [say("Requests"), say("Errors"), say("Plan"), say("Environment")], key="tab", bind="query-params"
    )
    with requests:
        run_tabs.requests_tab(found.first, found.table, lambda request: services().runs.text(run.id, request))
    with errors:
        run_tabs.errors_tab(found.table)
    with plan:
        run_background.plan_tab(run)
    with environment:
        run_background.environment_tab(run)


def main() -> None:
    """Open the run that the link names."""
    run_id = st.query_params.get("run", "")
    try:
        found = opened(run_id)
    except RunNotFound:
        lost(run_id)
        return
    draw(found)


main()
