"""Ways from one page to another by the page's name, which is its address too. Knows no page's content."""

from pathlib import Path
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitPageNotFoundError

PAGES = Path(__file__).parents[1]
ARROW = ":material/arrow_forward:"
# Streamlit first gives the old page the query of the new one, as a step of its own in the browser's history, so that
# Back led to a page that nobody has seen. Here, what comes without any input in between is one step.
# And a link of the sidebar to the page that is open leaves Streamlit with the query it has, so that nothing happens:
# here it is a step to the page as it begins, which Streamlit takes as it takes Back.
ONE_STEP = """<style>:has(>.st-key-one_step){display:none}</style><script>
if (!window.oneStep) {
  window.oneStep = {inputs: 0, told: 0};
  for (const kind of ["pointerdown", "keydown", "click"]) {
    window.addEventListener(kind, () => { window.oneStep.inputs += 1; }, true);
  }
  const push = history.pushState.bind(history);
  history.pushState = (...step) => {
    const first = window.oneStep.told !== window.oneStep.inputs;
    window.oneStep.told = window.oneStep.inputs;
    return first ? push(...step) : history.replaceState(...step);
  };
  window.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-testid=stSidebarNavLink]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (new URL(link.href).pathname !== location.pathname || !location.search) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    history.pushState(null, "", link.href);
    window.dispatchEvent(new PopStateEvent("popstate"));
  }, true);
}
</script>"""


def keep_one_step() -> None:
    """Have each way taken be one step in the browser's history, the way to the open page's own beginning too."""
    with st.container(key="one_step"):
        st.html(ONE_STEP, unsafe_allow_javascript=True)


def go(stem: str, **query: str) -> None:
    """Open another page now; where a page is drawn alone, a link to it."""
    try:
        st.switch_page(str(PAGES / f"{stem}.py"), query_params=query)
    except StreamlitPageNotFoundError:
        st.markdown(f"[{stem}]({address(stem, query)})")


def turn(**query: str) -> None:
    """Give the open page another address, as the `on_click` of a button: a link to its own page leaves it as it is."""
    st.query_params.from_dict(query)


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
