"""A run's name, tags and notes: the popover that changes them, and the line that shows them. Knows no number of a run.

They change after a run has ended, so they are read fresh, whatever a page keeps of ended runs.
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.run import Run
from core.words import say
from pages.parts import look
from pages.parts.state import services
from pages.parts.text import escape_lines, escape_markdown, short
from storage.problems import StorageProblem

LONGEST_TAG = 40
SAVED = "labels_saved"


def draw(place: DeltaGenerator, run_id: str) -> None:
    """The button that opens them. Raises RunNotFound."""
    run = services().runs.run(run_id, requests=False)
    saved = st.session_state.get(SAVED, 0)  # another key is another popover: it closes when all is saved
    with place.popover(say("Name and notes"), icon=":material/sell:", key=f"labels_{run_id}_{saved}"):
        called = st.text_input(say("Name"), run.name, key=f"labels_name_{run_id}", max_chars=200)
        known = services().runs.tags()
        tags = st.multiselect(
            say("Tags"),
            known,
            list(run.tags),
            key=f"labels_tags_{run_id}",
            accept_new_options=True,
            placeholder=say("choose or write"),
            help=say("The list of runs can be narrowed by them."),
        )
        notes = st.text_area(say("Notes"), run.notes, key=f"labels_notes_{run_id}", height=120)
        if st.button(say("Save"), icon=":material/check:", key=f"labels_save_{run_id}"):
            _save(run, called, tags, notes)


def name(run_id: str) -> str:
    """What the run is called now. Raises RunNotFound."""
    return services().runs.run(run_id, requests=False).name


def shown(run_id: str) -> str:
    """Tags as badges and the notes below, as markdown; "" where there are neither. Raises RunNotFound."""
    run = services().runs.run(run_id, requests=False)
    badges = " ".join(f":gray-badge[{escape_markdown(short(tag, LONGEST_TAG))}]" for tag in run.tags)
    return "  \n".join(part for part in (badges, escape_lines(run.notes)) if part)


def _save(run: Run, name: str, tags: list[str], notes: str) -> None:
    store = services().runs
    try:
        if name != run.name:
            store.rename(run.id, name)
        store.tag(run.id, tags)
        store.note(run.id, notes)
    except StorageProblem as fault:  # deleted meanwhile, or a name of blanks
        look.problem(str(fault))
        return
    st.session_state[SAVED] = st.session_state.get(SAVED, 0) + 1
    st.rerun()
