"""Everything measured: find a run, open it, tick two or more to compare, delete after a question."""

from collections.abc import Sequence

import streamlit as st

from core.run import RunState
from core.words import say
from pages.parts import builtin_start, links, runs_actions, runs_room
from pages.parts.look import empty_state, header
from pages.parts.runs_table import table, tick
from pages.parts.state import services
from pages.parts.text import count, plural
from storage.runs import RunRow

ANY, TAKEN = "", "runs_tick_taken"


def nothing_yet() -> None:
    """No run at all: what would be here, how long it takes, two ways to begin."""
    header(say("Runs"), say("Everything measured. Tick two or more to compare."))
    with empty_state(
        say("No runs yet"),
        say("A run is one configuration at one load. The built-in comparison makes six in three minutes,  \n"
            "from a small model that runs on this machine."),
    ):  # fmt: skip
        builtin_start.button(st.container(width="content"), "runs_builtin", primary=True)
        if st.button(say("Plan my own"), icon=":material/speed:"):
            links.go("benchmark")


def filtered(every: Sequence[RunRow]) -> tuple[list[RunRow], bool]:
    """One row of filters; the runs that pass them, and whether all of their columns are wanted."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        text = st.text_input(
            say("Search"),
            placeholder=say("Name, model, engine, tag")
            if any(row.tags for row in every)
            else say("Name, model, engine"),
            icon=":material/search:",
            label_visibility="collapsed",
            width=300,
            key="q",
            bind="query-params",
        )
        known = [state for state in RunState if any(row.state is state for row in every)]
        states = st.pills(
            say("State"),
            known,
            selection_mode="multi",
            label_visibility="collapsed",
            format_func=lambda state: say(state.value),
            key="runs_states",
            persist_state="session",
        )
        engine, tags = more_filters(every)
        found = services().runs.list_runs(text=text or "", states=states, tags=tags)
        found = [row for row in found if engine in (ANY, row.engine)]
        if len(found) == len(every):
            st.markdown(f":gray[{plural(len(every), 'run', 'runs')}]", width="content")
        else:
            words = say("{found} of {all} runs", found=count(len(found)), all=count(len(every)))
            st.markdown(f":gray[{words}]", width="content")
        whole = st.toggle(say("All columns"), key="runs_all_columns", persist_state="session")
    return found, whole


def more_filters(every: Sequence[RunRow]) -> tuple[str, list[str]]:
    """Engine and tags, behind a button."""
    engines = sorted({row.engine for row in every if row.engine})
    known = sorted({tag for row in every for tag in row.tags})
    with st.popover(say("Filters"), icon=":material/filter_list:"):
        engine = st.selectbox(
            say("Engine"),
            [ANY, *engines],
            format_func=lambda name: name or say("any"),
            key="runs_engine",
            persist_state="session",
        )
        tags = st.multiselect(say("Tags"), known, key="runs_tags", persist_state="session") if known else []
    return engine or ANY, tags


def tick_what_the_link_names() -> None:
    """Once for each link: what the reader unticks stays so."""
    wanted = st.query_params.get_all("tick")
    if wanted != st.session_state.get(TAKEN, []):
        tick(wanted)
    st.session_state[TAKEN] = wanted


def main() -> None:
    """Filters, then the table to the bottom of the window."""
    every = services().runs.list_runs()
    if not every:
        nothing_yet()
        return
    actions = header(
        say("Runs"), say("Everything measured. Click a name to open its run; tick two or more to compare.")
    )
    runs_actions.say_problem()
    found, whole = filtered(every)
    if not found:
        st.markdown(say("No run matches. Clear the search or a filter to see all."))
    tick_what_the_link_names()
    chosen = table(found, None if whole else runs_room.room())
    if chosen.opened is not None:
        links.go("run", run=chosen.opened.id)
    runs_actions.draw(actions, chosen.ticked)


main()
