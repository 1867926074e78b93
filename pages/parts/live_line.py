"""The line of launches: one at a time on this machine, each with its place. Draws snapshots, and can cancel one."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.fleet.live import LiveExperiment
from core.quantities import span
from core.run import ENDED_STATES, RunState
from core.words import say
from pages.parts import links, look, state
from pages.parts.live_names import finishing, title
from pages.parts.text import plural

SHOWN = 3  # names in a sentence; more are counted


def under_way(live: Sequence[LiveExperiment]) -> list[LiveExperiment]:
    """What runs, then what waits, in the order in which it will begin."""
    return sorted(
        (one for one in live if one.state not in ENDED_STATES), key=lambda one: one.state is not RunState.RUNNING
    )


def place_of(live: Sequence[LiveExperiment], waiting: LiveExperiment) -> str:
    """When a launch that waits will begin, as markdown."""
    line = under_way(live)
    before = line[: next((place for place, one in enumerate(line) if one.id == waiting.id), 0)]
    if not before:
        return say("It begins in a moment.")
    left = next((one.eta_s for one in before if one.eta_s), None)
    soon = say(" (about {span} left)", span=span(left)) if left else ""
    if len(before) == 1:
        return say("Next in line: it begins when **{name}**{soon} has ended.", name=title(before[0]), soon=soon)
    return say(
        "Number {place} in line: before it {names}; the first of them runs{soon}.",
        place=len(before),
        names=named(before),
        soon=soon,
    )


def named(launches: Sequence[LiveExperiment]) -> str:
    """Their names, as markdown."""
    more = len(launches) - SHOWN
    names = ", ".join(f"**{title(one)}**" for one in launches[:SHOWN])
    return names + (say(" and {n} more", n=more) if more > 0 else "")


def show(live: Sequence[LiveExperiment], looked_at: LiveExperiment | None) -> None:
    """All that is under way, if there is more than what is looked at."""
    line = under_way(live)
    if not any(looked_at is None or one.id != looked_at.id for one in line):
        return
    look.section(say("In line"), say("one launch at a time on this machine"))
    waiting = 0
    with st.container(border=True, gap="xsmall"):
        for one in line:
            waiting += one.state is not RunState.RUNNING
            _row(one, waiting, here=looked_at is not None and one.id == looked_at.id)


def _row(one: LiveExperiment, place: int, *, here: bool) -> None:
    row = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
    if one.state is RunState.RUNNING:
        left = say("about {span} left", span=span(one.eta_s)) if one.eta_s else ""
        badge, told = look.badge(one.state), [said] if (said := finishing(one) or left) else []
    else:
        badge, told = f":small[:gray-badge[{say('next') if place == 1 else say('{n}. in line', n=place)}]]", []
    facts = " · ".join([plural(len(one.runs), "run", "runs"), *told, *([say("this one")] if here else [])])
    row.markdown(f"{badge} **{title(one)}** :gray[{facts}]", width="content")
    with row.container(horizontal=True, width="content", gap="xsmall"):
        if not here:
            watch(st.container(width="content"), say("Watch"), f"live_watch_{one.id}", view="live", experiment=one.id)
        st.button(
            say("Cancel"), icon=":material/close:", type="tertiary", key=f"live_cancel_{one.id}",
            on_click=state.services().registry.cancel, args=(one.id,), disabled=one.cancelling,
        )  # fmt: skip


def watch(place: DeltaGenerator, label: str, key: str, **query: str) -> None:
    """The way to a live view, from the page that holds it."""
    place.button(
        label, type="tertiary", icon=links.ARROW, icon_position="right", key=key, on_click=links.turn, kwargs=query
    )


def note() -> None:
    """Above a new plan: what runs already and what waits for it, with the way there."""
    line = under_way(state.services().registry.live())
    if not line:
        return
    row = st.container(horizontal=True, border=True, horizontal_alignment="distribute", vertical_alignment="center")
    then = f" &ensp; :gray[{say('then in line:')}] {named(line[1:])}" if len(line) > 1 else ""
    row.markdown(f"{look.RUNNING} :shimmer[{say('Running')}] &ensp; **{title(line[0])}**{then}", width="content")
    watch(row, say("Watch live"), "plan_watch", view="live")
