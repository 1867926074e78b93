"""How wide a table of runs may be here, as the browser tells it, and which columns fit. Knows no column by name."""

from collections.abc import Mapping, Sequence

import streamlit as st

USUAL = 1160  # in a window of 1440, until the browser has told
FRAME = 40  # the column of ticks and the border
STEP = 20  # smaller changes change nothing, so that dragging a window does not draw it a hundred times
NAME, KNOWN = "paceline_room", "room_known"
JS = """
export default function ({data, setStateValue}) {
  const box = document.querySelector("[data-testid=stMainBlockContainer]");
  if (!box) return;
  let told = data.known, timer = 0;
  const tell = () => {
    const sides = getComputedStyle(box);
    const width = box.clientWidth - parseFloat(sides.paddingLeft) - parseFloat(sides.paddingRight);
    const room = Math.floor(width / data.step) * data.step;
    if (room > 0 && room !== told) setStateValue("room", told = room);
  };
  const watch = new ResizeObserver(() => { clearTimeout(timer); timer = setTimeout(tell, 200); });
  watch.observe(box);
  return () => { clearTimeout(timer); watch.disconnect(); };
}
"""

MEASURE = st.components.v2.component(NAME, js=JS)


def room() -> int:
    """Pixels from side to side. A browser whose window is not the usual one draws the page twice, the first time."""
    known = st.session_state.get(KNOWN, USUAL)
    st.html(f"<style>:has(>.st-key-{NAME}){{display:none}}</style>")
    with st.container(key=NAME):
        seen = MEASURE(
            key=f"{NAME}_seen",
            data={"known": known, "step": STEP},
            default={"room": known},
            on_room_change=lambda: None,
        )
    st.session_state[KNOWN] = found = int(seen.room or known)
    return found


def fitting(room: int, names: Sequence[str], widths: Mapping[str, int], free: Mapping[str, float]) -> dict[str, int]:
    """Those of the columns that there is room for, in the order of the table, with their widths.

    `widths` come by importance; `free` are the shares in what is left of those that take more than their width.
    """
    kept, left = [], room - FRAME
    for name in (name for name in widths if name in names):
        if widths[name] > left:
            break
        left -= widths[name]
        kept.append(name)
    shares = sum(free.get(name, 0) for name in kept) or 1
    return {name: widths[name] + int(left * free.get(name, 0) / shares) for name in names if name in kept}
