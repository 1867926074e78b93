"""Draws a page again once what it shows as under way has ended. Knows nothing of what that is.

What the page *shows* counts, not what is so by now: work that ends while the page is being drawn would otherwise stay
on it as under way until the next click.
"""

from collections.abc import Callable

import streamlit as st

from pages.parts import dialog

TICK_S = 1.0


def follow(
    shown: bool, ended: Callable[[], bool], draw: Callable[[], None] = lambda: None, *, tick_s: float = TICK_S
) -> None:
    """Draw; where something is shown as under way draw again each tick, and the whole page once it has ended.

    While somebody types into a dialog the page waits: drawing it again would close the dialog.
    """

    def again() -> None:
        draw()
        if shown and ended() and not dialog.is_open():
            st.rerun(scope="app")

    st.fragment(again, run_every=tick_s if shown else None)()
