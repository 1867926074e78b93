"""Which launch the live view shows, and what else waits in line. Redraws its body every second; any session may look.

The head with its buttons is drawn with the page and not again each second: a button that is pressed while its part of
the page is being drawn can lose the press. What has ended stands still altogether.
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.fleet.live import ENDED_STATES, LiveExperiment
from core.run import RunState
from core.words import say
from pages.parts import links, live_view, look, state
from pages.parts.text import plural

TICK_S = 1.0


def show(wanted: str | None) -> None:
    """The launch named in the address, else the one that runs, else the last one."""
    live = state.services().registry.live()
    found = chosen(live, wanted)
    if found is None:
        _nothing(wanted)
    else:
        live_view.head(found)
    going = any(one.state not in ENDED_STATES for one in live)
    st.fragment(_draw, run_every=TICK_S if going or found is None else None)(wanted, _mark(found))


def _mark(found: LiveExperiment | None) -> tuple[str, RunState] | None:
    """What the head shows; the page is drawn anew when it is no longer so."""
    return (found.id, found.state) if found else None


def chosen(live: tuple[LiveExperiment, ...], wanted: str | None) -> LiveExperiment | None:
    """The launch to show of those that the registry knows."""
    if wanted:
        return next((one for one in live if one.id == wanted), None)
    running = [one for one in live if one.state is RunState.RUNNING]
    return next(reversed(running or live), None)


def _draw(wanted: str | None, drawn: tuple[str, RunState] | None) -> None:
    live = state.services().registry.live()
    found = chosen(live, wanted)
    if _mark(found) != drawn or st.query_params.get("experiment") != wanted:
        st.rerun(scope="app")
    if found is not None:
        live_view.show(found)
    _others([one for one in live if one is not found and one.state not in ENDED_STATES])


def _nothing(wanted: str | None) -> None:
    look.header(say("Benchmark"), say("What is running now, seen from any browser."))
    title = say("This launch is not running") if wanted else say("Nothing is running")
    words = say("It has ended, or Paceline was restarted since. What was measured is among the runs.")
    place = look.empty_state(title, words if wanted else say("A launch shows itself here while it goes on."))
    with place:
        if st.button(say("Plan a benchmark"), type="primary", icon=":material/speed:", key="live_plan"):
            links.go("benchmark")
        if st.button(say("See runs"), icon=":material/list_alt:", key="live_runs"):
            links.go("runs")


def _others(others: list[LiveExperiment]) -> None:
    if not others:
        return
    look.section(say("In line"), say("one launch at a time on this machine"))
    with st.container(border=True, gap="xsmall"):
        for one in others:
            row = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
            runs = plural(len(one.runs), "run", "runs")
            row.markdown(f"{look.badge(one.state)} **{live_view.title(one)}** :gray[{runs}]", width="content")
            with row.container(horizontal=True, width="content", gap="xsmall"):
                _watch(
                    st.container(width="content"), say("Watch"), f"live_watch_{one.id}", view="live", experiment=one.id
                )
                st.button(
                    say("Cancel"), icon=":material/close:", type="tertiary", key=f"live_cancel_{one.id}",
                    on_click=state.services().registry.cancel, args=(one.id,),
                )  # fmt: skip


def running_note() -> None:
    """Above a new plan: what runs already, with the way to it."""
    running = [one for one in state.services().registry.live() if one.state not in ENDED_STATES]
    if not running:
        return
    row = st.container(horizontal=True, border=True, horizontal_alignment="distribute", vertical_alignment="center")
    names = ", ".join(live_view.title(one) for one in running)
    row.markdown(f"{look.RUNNING} :shimmer[{say('Running')}] &ensp; **{names}**", width="content")
    _watch(row, say("Watch live"), "plan_watch", view="live")


def _watch(place: DeltaGenerator, label: str, key: str, **query: str) -> None:
    place.button(
        label, type="tertiary", icon=links.ARROW, icon_position="right", key=key, on_click=links.turn, kwargs=query
    )
