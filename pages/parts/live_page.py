"""Which launch the live view shows, and what else waits in line. Redraws its body every second; any session may look.

The head with its buttons is drawn with the page and not again each second: a button that is pressed while its part of
the page is being drawn can lose the press. What has ended stands still altogether.
"""

import streamlit as st

from core.fleet.live import LiveExperiment
from core.run import ENDED_STATES, RunState
from core.words import say
from pages.parts import links, live_line, live_view, look, state, stored_launch

TICK_S = 1.0


def show(wanted: str | None) -> None:
    """The launch named in the address, else the one that runs, else the last one."""
    live = state.services().registry.live()
    found = shown(live, wanted)
    if found is None:
        _nothing(wanted)
    else:
        live_view.head(found)
    going = any(one.state not in ENDED_STATES for one in live)
    st.fragment(_draw, run_every=TICK_S if going or found is None else None)(wanted, _mark(found))


def _mark(found: LiveExperiment | None) -> tuple[str, RunState, bool] | None:
    """What the head shows; the page is drawn anew when it is no longer so."""
    return (found.id, found.state, found.cancelling) if found else None


def chosen(live: tuple[LiveExperiment, ...], wanted: str | None) -> LiveExperiment | None:
    """The launch to show of those that the registry knows."""
    if wanted:
        return next((one for one in live if one.id == wanted), None)
    running = [one for one in live if one.state is RunState.RUNNING]
    return next(reversed(running or live), None)


def shown(live: tuple[LiveExperiment, ...], wanted: str | None) -> LiveExperiment | None:
    """That launch, or one of before a restart as far as its runs are kept."""
    return chosen(live, wanted) or (stored_launch.stored(wanted) if wanted else None)


def _draw(wanted: str | None, drawn: tuple[str, RunState, bool] | None) -> None:
    live = state.services().registry.live()
    found = shown(live, wanted)
    if _mark(found) != drawn or st.query_params.get("experiment") != wanted:
        st.rerun(scope="app")
    if found is not None:
        live_view.show(found, live)
    live_line.show(live, found)


def _nothing(wanted: str | None) -> None:
    """No such launch, here or among the runs: the ways on."""
    look.header(say("Benchmark"), say("What is running now, seen from any browser."))
    title = say("This launch is not running") if wanted else say("Nothing is running")
    words = say("A launch shows itself here while it goes on.")
    if wanted:
        words = say("It has ended, and none of its runs is kept.")
    with look.empty_state(title, words):
        st.button(
            say("Plan a benchmark"), type="primary", icon=":material/speed:", key="live_plan", on_click=links.turn
        )
        if st.button(say("See runs"), icon=":material/list_alt:", key="live_runs"):
            links.go("runs")
