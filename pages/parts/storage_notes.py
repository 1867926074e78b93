"""What the database has to say, on top of every page: what cannot be written now, and what a start has found."""

import streamlit as st

from core.words import say
from pages.parts import look, state

READ, DRAWN = "storage_notes_read", "storage_notes_drawn"


def unread() -> tuple[str, ...]:
    """The sentences to show: what is over only until this reader has put it away."""
    database = state.services().database
    read = st.session_state.get(READ, ())
    return tuple(words for words in database.messages if words == database.trouble or words not in read)


def show() -> None:
    """A row each; nothing where all is well."""
    told = unread()
    st.session_state[DRAWN] = told
    for place, words in enumerate(told):
        going_on = words == state.services().database.trouble
        row = st.container(
            horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", border=True, gap="small"
        )
        with row.container(width="stretch"):
            look.problem(words, level="stop" if going_on else "act")
        if not going_on:
            row.button(say("Got it"), key=f"storage_note_{place}", type="tertiary", on_click=_put_away, args=(words,))


def changed() -> bool:
    """Whether the page shows others than there are now."""
    return st.session_state.get(DRAWN, ()) != unread()


def _put_away(words: str) -> None:
    st.session_state[READ] = (*st.session_state.get(READ, ()), words)
