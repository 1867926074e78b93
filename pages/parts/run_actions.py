"""What can be done with a run: take it away, hold others against it, follow it while it runs."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.run import Run
from core.words import say
from pages.parts import links
from pages.parts.state import services
from storage.transfer import Transfer

FOLLOW_S = 2


def draw_actions(place: DeltaGenerator, run: Run) -> None:
    """Download, make it the baseline, compare."""
    experiment = str((run.experiment or {}).get("id") or "")
    with place:
        _downloads(run)
        target = {"experiment": experiment} if experiment else {"runs": run.id}
        if run.plan.load.concurrency is not None:
            target["at"] = str(run.plan.load.concurrency)
        if experiment and st.button(say("Make baseline"), icon=":material/flag:"):
            links.go("compare", **target, baseline=run.plan.configuration.id)
        if st.button(say("Compare"), type="primary", icon=":material/compare_arrows:"):
            if experiment:
                links.go("compare", **target)
            else:
                links.go("runs", tick=run.id)


def _downloads(run: Run) -> None:
    with st.popover(say("Download"), icon=":material/download:"):
        for label, suffix, mime, make in (
            (say("Run file (JSON)"), "json", "application/json", lambda: Transfer(services().runs).run_file([run.id])),
            (say("Requests (CSV)"), "csv", "text/csv", lambda: Transfer(services().runs).requests_csv(run.id)),
        ):
            st.download_button(
                label,
                make,
                file_name=f"{run.id}.{suffix}",
                mime=mime,
                type="tertiary",
                on_click="ignore",
                key=f"download_{suffix}",
            )


def follow(run: Run) -> None:
    """Say that these are numbers so far, and draw again as they grow."""
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    row.markdown(f":blue[:material/radio_button_checked:] :shimmer[{say('Running')}] &ensp;{say('numbers so far')}")
    links.link(row, "benchmark", say("Watch live"), view="live")
    _again(run.id)


@st.fragment(run_every=FOLLOW_S)
def _again(run_id: str) -> None:
    """Its first call belongs to the page itself; each later one is a tick, and draws the page again."""
    drawn = st.session_state.setdefault("followed", {})
    if drawn.pop(run_id, False):
        st.rerun(scope="app")
    drawn[run_id] = True
