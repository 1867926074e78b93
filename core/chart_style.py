"""How every figure looks: colours of both modes, the template, axes that people read.

Knows plotly and nothing of runs or pages, so that pages and reports draw the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Literal

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.shortening import TURNING

Mode = Literal["light", "dark"]
FONT = "'Source Sans', 'Source Sans 3', system-ui, -apple-system, 'Segoe UI', sans-serif"
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "pentagon", "star", "triangle-down")
MODEBAR = {
    "displaylogo": False,
    "displayModeBar": "hover",
    "responsive": True,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
}
MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "{": "&#123;", "}": "&#125;", "\n": " "})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """Every colour a figure may use in one mode; `series` holds one colour a configuration."""

    paper: str
    text: str
    muted: str
    grid: str
    line: str
    hover: str
    good: str
    bad: str
    band: str
    series: tuple[str, ...]

    def colour(self, slot: int) -> str:
        """The colour of a configuration's slot; more than eight share."""
        return self.series[slot % len(self.series)]


INK: dict[Mode, Ink] = {
    "light": Ink(
        paper="#FFFFFF",
        text="#1B2130",
        muted="#5A6375",
        grid="#ECEEF2",
        line="#C9CED8",
        hover="#FFFFFF",
        good="#0B7F62",
        bad="#C23B22",
        band="rgba(90,99,117,0.06)",
        series=("#3C68E8", "#DE7148", "#005D30", "#C5228F", "#489ACC", "#836D12", "#5C1599", "#333E4D"),
    ),
    "dark": Ink(
        paper="#101318",
        text="#E4E8EF",
        muted="#9AA4B5",
        grid="#222833",
        line="#3A4250",
        hover="#1A1E26",
        good="#3CC9A0",
        bad="#FF8B73",
        band="rgba(154,164,181,0.09)",
        series=("#5598FF", "#EB9A3C", "#86EBB0", "#D2479B", "#6FCFF5", "#94801A", "#8464D6", "#9AA1AD"),
    ),
}


def plain(text: str, longest: int = 40) -> str:
    """A name as a figure may show it: shortened, and nothing in it read as HTML, TeX or a hover field."""
    short = text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
    return short.translate(MARKUP | TURNING)


def symbol(slot: int) -> str:
    """The marker of a configuration's slot."""
    return SYMBOLS[slot % len(SYMBOLS)]


def template(mode: Mode) -> go.layout.Template:
    """The house template: left titles, hairline grid, no box, legend above the plot."""
    ink = INK[mode]
    axis = {
        "gridcolor": ink.grid,
        "linecolor": ink.line,
        "zerolinecolor": ink.line,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "tickfont": {"size": 11, "color": ink.muted},
        "title": {"font": {"size": 11.5, "color": ink.muted}, "standoff": 6},
        "automargin": True,
        "gridwidth": 1,
        "nticks": 6,
    }
    x_axis = axis | {"showgrid": False, "showline": True, "ticks": "outside", "ticklen": 3, "tickcolor": ink.line}
    return go.layout.Template(
        layout=_layout(ink) | {"xaxis": x_axis, "yaxis": axis},
        data={"scatter": [{"line": {"width": 2}, "marker": {"size": 7}}], "bar": [{"marker": {"line": {"width": 0}}}]},
    )


def _layout(ink: Ink) -> dict[str, object]:
    clear = "rgba(0,0,0,0)"
    return {
        "font": {"family": FONT, "size": 12, "color": ink.text},
        "paper_bgcolor": clear,
        "plot_bgcolor": clear,
        "colorway": list(ink.series),
        "title": {
            "font": {"size": 13.5},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 17, "l": 2},
        },
        "margin": {"l": 48, "r": 14, "t": 78, "b": 40},
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.0,
            "yanchor": "bottom",
            "font": {"size": 11.5},
            "itemwidth": 30,
            "bgcolor": clear,
            "title": {"text": ""},
        },
        "hovermode": "closest",
        "hoverdistance": 30,
        "hoverlabel": {
            "bgcolor": ink.hover,
            "bordercolor": ink.line,
            "font": {"family": FONT, "size": 12, "color": ink.text},
            "align": "left",
        },
        "bargap": 0.06,
        "modebar": {"bgcolor": clear, "color": ink.line, "activecolor": ink.muted},
        "uirevision": "keep",
    }


def heading(mode: Mode, title: str, subtitle: str) -> str:
    """Bold title, muted second line. Names go through `plain` before they come here."""
    return f"<b>{title}</b><br><span style='font-size:11.5px;color:{INK[mode].muted}'>{subtitle}</span>"


def figure(mode: Mode, title: str, subtitle: str, *, x: str, y: str, height: int = 320) -> go.Figure:
    """An empty figure: title, what better means in the subtitle, axis titles with their unit."""
    return go.Figure(
        layout={
            "template": template(mode),
            "height": height,
            "title": {"text": heading(mode, title, subtitle)},
            "xaxis": {"title": {"text": x}},
            "yaxis": {"title": {"text": y}},
        }
    )


def small_multiples(mode: Mode, titles: Sequence[str], x: str, height: int = 230) -> go.Figure:
    """One row of panels that share x and their legend; each panel's title names its unit and direction."""
    fig = make_subplots(rows=1, cols=len(titles), subplot_titles=list(titles), horizontal_spacing=0.06)
    fig.update_layout(
        template=template(mode),
        height=height,
        margin={"l": 36, "r": 10, "t": 54, "b": 38},
        legend={"y": 1, "yref": "container", "yanchor": "top"},
    )
    fig.update_annotations(
        font={"size": 12, "color": INK[mode].text}, xanchor="left", yanchor="bottom", yshift=4, xref="paper"
    )
    for place, note in enumerate(fig.layout.annotations):
        note.x = fig.layout[axis_name("x", place + 1)].domain[0]
    fig.update_xaxes(title={"text": x})
    return fig


def axis_name(axis: Literal["x", "y"], panel: int) -> str:
    """`xaxis`, `xaxis2` ...: how a layout names the axis of a panel counted from 1."""
    return f"{axis}axis" if panel == 1 else f"{axis}axis{panel}"


def log_ticks(low: float, high: float) -> list[float]:
    """1-2-5 steps between two positive bounds, for axes that people read (never 10^n); even steps in a narrow range."""
    first, last = floor(log10(low)), ceil(log10(high))
    steps = (1, 2, 5) if last - first <= 4 else (1,)
    inside = [m * 10.0**e for e in range(first, last + 1) for m in steps if low <= m * 10.0**e <= high]
    return inside if len(inside) >= 3 else _even_ticks(low, high)


def _even_ticks(low: float, high: float) -> list[float]:
    rough = (high - low) / 4
    size = 10.0 ** floor(log10(rough)) if rough > 0 else 0.0
    step = next((m * size for m in (1, 2, 5, 10) if m * size >= rough), 0.0)
    if not step:
        return [low]
    return [place * step for place in range(ceil(low / step), floor(high / step) + 1)]


def log_axis(fig: go.Figure, axis: str, low: float, high: float) -> None:
    """Make `xaxis`, `yaxis2` ... logarithmic with plain 1-2-5 labels."""
    ticks = log_ticks(low, high)
    fig.layout[axis].update(
        type="log", range=[log10(low), log10(high)], tickvals=ticks, ticktext=[f"{t:,.4g}" for t in ticks]
    )


def tint(colour: str, paper: str, share: float) -> str:
    """`colour` mixed into the paper: 1 is pure. Light load is pale, heavy load is full."""
    pairs = [(int(colour[i : i + 2], 16), int(paper[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(c * share + p * (1 - share)):02X}" for c, p in pairs)


def veil(colour: str, share: float) -> str:
    """`colour` as a see-through fill, so that the grid behind an area stays visible."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share:g})"
