"""What can be done with ticked runs: open, compare, take away, delete after a question."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.words import say
from pages.parts import links
from pages.parts.dialog import destructive
from pages.parts.look import problem
from pages.parts.state import services
from pages.parts.text import escape_markdown, plural, short
from storage.problems import StorageProblem
from storage.runs import RunRow
from storage.transfer import Transfer

NAMED = 5
PROBLEM, ASKED = "delete_problem", "delete_asked"


def draw(place: DeltaGenerator, ticked: Sequence[RunRow]) -> None:
    """At most three actions, the one that counts last."""
    with place:
        if ticked:
            _more(ticked)
        if len(ticked) == 1 and st.button(say("Open"), icon=":material/insights:"):
            links.go("run", run=ticked[0].id)
        enough = len(ticked) > 1
        if st.button(
            say("Compare {n}", n=len(ticked)) if enough else say("Compare"),
            type="primary",
            icon=":material/compare_arrows:",
            disabled=not enough,
            help=None if enough else say("Tick two or more runs."),
        ):
            links.go("compare", runs=",".join(row.id for row in reversed(ticked)))


def _more(ticked: Sequence[RunRow]) -> None:
    ids = [row.id for row in ticked]
    # A popover stays open over the dialog that it opens: with another key it is another one, and closed.
    with st.popover(say("More"), key=f"runs_more_{st.session_state.get(ASKED, 0)}"):
        st.download_button(
            say("Run file (JSON)"),
            lambda: Transfer(services().runs).run_file(ids),
            file_name="runs.json" if len(ids) > 1 else f"{ids[0]}.json",
            mime="application/json",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
        )
        if st.button(
            say("Delete {n}", n=len(ids)), icon=":material/delete:", type="tertiary", key="runs_delete", on_click=_close
        ):
            ask(list(ticked))


def _close() -> None:
    st.session_state[ASKED] = st.session_state.get(ASKED, 0) + 1


@st.dialog(say("Delete runs?"))
def ask(ticked: Sequence[RunRow]) -> None:
    """The question before anything is lost."""
    names = [say("{label} at {level}", label=escape_markdown(short(row.label)), level=row.level) for row in ticked]
    st.markdown(say("{runs} with all requests will be gone for good:", runs=plural(len(ticked), "run", "runs")))
    rest = say("and {n} more", n=len(names) - NAMED)
    st.markdown("\n".join(f"- {name}" for name in [*names[:NAMED], *([rest] if len(names) > NAMED else [])]))
    with st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        if st.button(say("Keep"), key="keep_runs"):
            st.rerun()
        ids = [row.id for row in ticked]
        if destructive(say("Delete"), "delete_runs", on_click=_delete, args=[ids]):
            st.rerun()


def _delete(ids: Sequence[str]) -> None:
    """Before the page is drawn again; what went wrong is said there."""
    try:
        services().runs.delete(ids)
    except StorageProblem as fault:
        st.session_state[PROBLEM] = str(fault)


def say_problem() -> None:
    """Why the last deletion did not happen, once."""
    sentence = st.session_state.pop(PROBLEM, "")
    if sentence:
        problem(sentence)
