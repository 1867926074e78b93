"""Dialogs that stay open: a page that would draw itself again can ask first whether somebody is typing in one."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import streamlit as st

from core.words import say

OPEN, NUMBER = "dialog_open", "dialog_number"


def show(
    title: str, body: Callable[..., None], *args: Any, width: Literal["small", "medium", "large"] = "small"
) -> None:
    """Open a dialog with fresh fields; `body` gets a function that names its widgets, then `args`."""
    st.session_state[NUMBER] = number = st.session_state.get(NUMBER, 0) + 1
    st.session_state[OPEN] = True
    st.dialog(title, width=width, on_dismiss=forget)(body)(lambda name: f"dialog_{number}_{name}", *args)


def is_open() -> bool:
    """Whether a dialog was opened since the page was last drawn as a whole: drawing it again would close it."""
    return bool(st.session_state.get(OPEN))


def forget() -> None:
    """The page is drawn as a whole: no dialog is open any more."""
    st.session_state[OPEN] = False


def destructive(verb: str, key: str, *, on_click: Callable[..., None] | None = None, args: Sequence[Any] = ()) -> bool:
    """The button that loses something: red, and never the primary one, which is for what people come for."""
    return bool(st.button(f":red[:material/delete: {verb}]", key=key, on_click=on_click, args=tuple(args)))


def confirm(key: Callable[[str], str], question: str, verb: str, act: Callable[[], None]) -> None:
    """The body of a dialog that asks before something is lost."""
    st.markdown(question)
    with st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        if st.button(say("Keep"), key=key("keep")):
            st.rerun()
        if destructive(verb, key("go")):
            act()
            st.rerun()
