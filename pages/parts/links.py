"""Ways from one page to another by the page's name, which is its address too. Knows no page's content."""

from pathlib import Path
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitPageNotFoundError

PAGES = Path(__file__).parents[1]
ARROW = ":material/arrow_forward:"


def go(stem: str, **query: str) -> None:
    """Open another page now; where a page is drawn alone, a link to it."""
    try:
        st.switch_page(str(PAGES / f"{stem}.py"), query_params=query)
    except StreamlitPageNotFoundError:
        st.markdown(f"[{stem}]({address(stem, query)})")


def link(place: DeltaGenerator, stem: str, label: str, *, icon: str = ARROW, after: bool = True, **query: str) -> None:
    """A link to another page, its icon behind the label."""
    try:
        place.page_link(
            str(PAGES / f"{stem}.py"),
            label=label,
            icon=icon,
            icon_position="right" if after else "left",
            query_params=query,
        )
    except StreamlitPageNotFoundError:
        place.markdown(f"[{label}]({address(stem, query)})")


def address(stem: str, query: dict[str, str]) -> str:
    """Where a page is, for the address bar."""
    path = "/" if stem == "overview" else f"/{stem}"
    return f"{path}?{urlencode(query)}" if query else path
