"""The script that app.py runs for every visit: page list, page settings and the only CSS. Knows no page's content."""

from pathlib import Path

import streamlit as st

from core.words import say
from pages.parts import dialog, links, state, storage_notes
from pages.parts.look import mode, problem

PAGES = Path(__file__).parents[1]
STATIC = PAGES.parent / "static"
MODE_KEY = "drawn_mode"
CSS = """<style>
.stMainBlockContainer{padding-inline:2rem;max-width:90rem}
@media(max-width:1100px){
[class*=st-key-pair],[class*=st-key-cards]{&>*>[data-testid=stHorizontalBlock]{flex-wrap:wrap}}
[class*=st-key-pair]>*>*>[data-testid=stColumn]{min-width:100%}
[class*=st-key-cards3]>*>*>[data-testid=stColumn]{min-width:30%}
[class*=st-key-cards4]>*>*>[data-testid=stColumn]{min-width:22%}}
</style>"""
# Section -> (file, title, icon). The file's stem is the URL path.
SECTIONS = {
    "": (("overview", "Overview", "space_dashboard"),),
    "Set up": (("endpoints", "Endpoints", "dns"), ("workloads", "Workloads", "description")),
    "Measure": (("benchmark", "Benchmark", "speed"), ("runs", "Runs", "list_alt"), ("run", "Run", "insights")),
    "Decide": (("compare", "Compare", "compare_arrows"),),
    "Reference": (("glossary", "Glossary", "menu_book"),),
}
HIDDEN = frozenset({"run"})  # reached from a row


def page(stem: str, title: str, icon: str) -> st.Page:
    """One entry of the sidebar."""
    return st.Page(
        PAGES / f"{stem}.py",
        title=say(title),
        icon=f":material/{icon}:",
        url_path=stem,
        default=stem == "overview",
        visibility="hidden" if stem in HIDDEN else "visible",
    )


@st.fragment(run_every=2)
def follow() -> None:
    """Draw again when the reader switches light and dark, and when the database has something else to say.

    Of the first Streamlit itself leaves charts in the old mode's ink.
    """
    if dialog.is_open():
        return
    switched = st.session_state.setdefault(MODE_KEY, mode()) != mode()
    if switched or storage_notes.changed():
        st.session_state[MODE_KEY] = mode()
        st.rerun(scope="app")


def main() -> None:
    """Draw the frame, then the page."""
    dialog.forget()
    st.set_page_config(layout="wide", page_icon=str(STATIC / "mark.svg"), initial_sidebar_state=208)
    st.html(CSS)
    links.keep_one_step()
    st.logo(str(STATIC / f"logo-{mode()}.svg"), size="medium", icon_image=str(STATIC / "mark.svg"))
    entries = {say(section) if section else "": [page(*entry) for entry in rows] for section, rows in SECTIONS.items()}
    chosen = st.navigation(entries, expanded=True)
    try:
        state.services()
    except state.CANNOT_OPEN as fault:
        st.title("Paceline", anchor=False)
        problem(str(fault))
        return
    storage_notes.show()
    follow()
    chosen.run()


if __name__ == "__main__":  # as Streamlit runs it
    main()
