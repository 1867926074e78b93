"""What every page shares in looks: mode, colours, chips, header, pairs, findings. Knows no data source."""

from collections.abc import Sequence
from datetime import UTC, tzinfo
from typing import Any, Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st
from plotly.graph_objects import Figure
from streamlit.delta_generator import DeltaGenerator

from core.chart_style import INK, MODEBAR, Mode
from core.words import say
from pages.parts.text import escape_markdown

LEVEL_ICON = {
    "stop": ":red[:material/error:]",
    "act": ":orange[:material/warning:]",
    "note": ":gray[:material/info:]",
    "ok": ":green[:material/check_circle:]",
}
LEVEL_ORDER = tuple(LEVEL_ICON)
SHOWN_FINDINGS = 4
RUNNING = ":blue[:material/radio_button_checked:]"
TICK, CROSS = ":green[:material/check:]", ":red[:material/close:]"
STATE_COLOUR = {
    "completed": "gray",
    "queued": "gray",
    "running": "blue",
    "cancelled": "orange",
    "interrupted": "orange",
    "failed": "red",
}


class FindingLike(Protocol):
    """What a finding shows; core.findings.Finding is one."""

    @property
    def level(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def do(self) -> str: ...


def mode() -> Mode:
    """The mode that the reader sees; light where it is not known yet."""
    return "dark" if st.context.theme.type == "dark" else "light"


def zone() -> tzinfo:
    """The reader's time zone, UTC where the browser does not tell."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def colour(slot: int) -> str:
    """A configuration's colour in the present mode."""
    return INK[mode()].series[slot % len(INK["light"].series)]


def chip(name: str, slot: int, extra: str = "") -> str:
    """Coloured dot and bold name as markdown; the name is foreign text and is escaped here."""
    tail = f" :gray[{escape_markdown(extra)}]" if extra else ""
    return f':color[●]{{foreground="{colour(slot)}"}}\N{NO-BREAK SPACE}**{escape_markdown(name)}**{tail}'


def swatch(slot: int) -> str:
    """The same dot as an image for a table's ImageColumn."""
    fill = colour(slot).replace("#", "%23")
    dot = f"<circle cx='12' cy='12' r='5' fill='{fill}'/>"
    return f"data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' width='24' height='24'>{dot}</svg>"


def badge(state: str) -> str:
    """A run's state behind a title."""
    tone = STATE_COLOUR.get(state, "gray")
    icon = ":material/radio_button_checked: " if state == "running" else ""
    return f":small[:{tone}-badge[{icon}{escape_markdown(say(state))}]]"


def header(title: str, purpose: str, state: str = "") -> DeltaGenerator:
    """Title and one line on the left, both ours or escaped by the caller; returns the place for the actions."""
    row = st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute", gap="small")
    with row.container(gap=None, width="stretch"):
        st.title(title + (f" {state}" if state else ""), anchor=False)
        st.markdown(f":gray[{purpose}]")
    return row.container(horizontal=True, horizontal_alignment="right", width="content", gap="xsmall")


def pair(name: str, spec: int | Sequence[float], **layout: Any) -> list[DeltaGenerator]:
    """Columns that stack below 1100 px: name them `pair_...`; `cards3_...`, `cards4_...` go three or four to a row."""
    return list(st.container(key=name).columns(spec, **layout))


def section(title: str, note: str = "", help_text: str | None = None) -> None:
    """A bold section title, a small muted note on the same line and a "?"; all ours or escaped by the caller."""
    st.markdown(f"**{title}**" + (f" &ensp;:gray[:small[{note}]]" if note else ""), help=help_text)


def card_title(number: int, title: str, note: str = "") -> None:
    """The head of a numbered card; ours or escaped by the caller."""
    st.markdown(f"**{number} &ensp;{title}**" + (f" &ensp;:gray[:small[{note}]]" if note else ""))


def overline(text: str) -> None:
    """The small capitals over a card; ours or escaped by the caller."""
    st.markdown(f":gray[:small[{text}]]")


def plot(fig: Figure, key: str, *, tools: bool = True, **options: Any) -> Any:
    """A figure in the house look; the theme of Streamlit would overwrite it. Its tools lie over the last title."""
    config = MODEBAR if tools else MODEBAR | {"displayModeBar": False}
    return st.plotly_chart(fig, key=key, theme=None, config=config, width="stretch", **options)


def findings(items: Sequence[FindingLike]) -> None:
    """Reasons to doubt or act, in one quiet frame: red, orange, grey, green; more than four fold."""
    ordered = sorted(items, key=lambda item: LEVEL_ORDER.index(item.level))
    if not ordered:
        return
    with st.container(border=True, gap="xsmall"):
        for item in ordered[:SHOWN_FINDINGS]:
            st.markdown(_sentence(item))
        if len(ordered) > SHOWN_FINDINGS:
            with st.expander(say("{n} more", n=len(ordered) - SHOWN_FINDINGS), type="compact"):
                for item in ordered[SHOWN_FINDINGS:]:
                    st.markdown(_sentence(item))


def _sentence(item: FindingLike) -> str:
    why, do = escape_markdown(item.why), escape_markdown(item.do)
    return f"{LEVEL_ICON[item.level]} &thinsp; **{escape_markdown(item.what)}** {why}" + (f" :gray[{do}]" if do else "")


def problem(sentence: str, *, level: str = "stop") -> None:
    """One sentence beside a form that could not be taken; the sentence is foreign text."""
    st.markdown(f"{LEVEL_ICON[level]} {escape_markdown(sentence)}")


def empty_state(title: str, words: str) -> DeltaGenerator:
    """A bordered, centred block for a page without data; returns the row for its buttons."""
    with st.container(border=True, horizontal_alignment="center", gap="small"):
        st.space("medium")
        st.markdown(f"### {title}", text_alignment="center", anchors=False)
        st.markdown(f":gray[{words}]", text_alignment="center")
        row = st.container(horizontal=True, horizontal_alignment="center", gap="xsmall")
        st.space("medium")
    return row
