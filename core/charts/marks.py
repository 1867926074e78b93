"""Marks that several figures share: percentile lines, limits, speed bands, a legend with room. Draws no data."""

from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from math import ceil, log10
from typing import Literal

import plotly.graph_objects as go

from core.chart_style import INK, Mode, plain
from core.charts.sample import Series
from core.definitions.compared import SPEED_BANDS
from core.quantities import number
from core.shortening import distinct

KEY_PX, LETTER_PX = 43, 5.4  # of a legend: its line with the space around it, and a letter as measured
LEGEND = 24  # letters of a name in a legend


def marked(series: Iterable[Series], longest: int = LEGEND) -> dict[str, str]:
    """Title of each series -> its name as a figure may show it: cut but no two alike, its note whole behind it."""
    different = {one.title: one for one in series}
    names = distinct((one.name for one in different.values()), longest)
    return {
        one.title: plain(name + (f" ({one.note})" if one.note else ""), longest=10 * longest)
        for name, one in zip(names, different.values(), strict=True)
    }


def in_full(series: Series) -> str:
    """The name where there is room for it, such as under the pointer."""
    return marked([series], 40)[series.title]


def room_for_legend(fig: go.Figure, names: Iterable[str], width: int = 520, line: int = 19) -> None:
    """A legend that needs several lines in a plot of about this width gets them, instead of running into the title."""
    sizes = [KEY_PX + LETTER_PX * len(unescape(name)) for name in names]
    # What does not fit into one line stands in columns as wide as the longest name.
    lines = 1 if sum(sizes) <= width else ceil(len(sizes) / max(1, width // max(sizes)))
    if lines > 1:
        extra = line * (lines - 1)
        top = fig.layout.margin.t or fig.layout.template.layout.margin.t
        fig.update_layout(margin={"t": top + extra}, height=fig.layout.height + extra)


def percentile_lines(fig: go.Figure, mode: Mode, points: Mapping[str, float], faint: Sequence[str] = ()) -> None:
    """Thin verticals with their value on top: p50 solid and one row higher, the others dotted, so labels never collide.

    `faint` names the percentiles that rest on too few samples: their labels are thin and say so.
    """
    muted, last = INK[mode].muted, list(points)[-1]
    log = fig.layout.xaxis.type == "log"
    for name, value in points.items():
        middle, weak = name == "p50", name in faint
        fig.add_vline(
            x=value,
            opacity=0.45 if weak else 1,
            line={"width": 1, "color": muted, "dash": "solid" if middle else "dot"},
        )
        text = number(value)
        fig.add_annotation(
            x=log10(value) if log else value,  # shapes take values, annotations take exponents
            y=1,
            yref="paper",
            yanchor="bottom",
            showarrow=False,
            text=f"<i>{name} {text}</i>" if weak else f"{name} <b>{text}</b>",
            opacity=0.7 if weak else 1,
            font={"size": 11, "color": muted},
            yshift=13 if middle else 0,
            xanchor="center" if middle else "left" if name == last else "right",
        )


def limit_line(fig: go.Figure, mode: Mode, axis: Literal["x", "y"], limit: float, text: str, *, panel: int = 1) -> None:
    """Shade what breaks a limit and draw the limit; the good side stays clean."""
    ink, far, ref = INK[mode], 1e7, "" if panel == 1 else str(panel)
    span = {"x0": limit, "x1": far, "y0": 0, "y1": 1} if axis == "x" else {"x0": 0, "x1": 1, "y0": limit, "y1": far}
    refs = {
        "xref": f"x{ref}" if axis == "x" else f"x{ref} domain",
        "yref": f"y{ref}" if axis == "y" else f"y{ref} domain",
    }
    fig.add_shape(type="rect", layer="below", fillcolor=ink.bad, opacity=0.06, line_width=0, **span, **refs)
    edge = span | ({"x1": limit} if axis == "x" else {"y1": limit})
    fig.add_shape(type="line", line={"color": ink.bad, "width": 1, "dash": "dash"}, **edge, **refs)
    at = log10(limit) if fig.layout[f"{axis}axis{ref}"].type == "log" else limit
    place = {"x": at, "y": 0.02, "xanchor": "left"} if axis == "x" else {"x": 1, "y": at, "xanchor": "right"}
    fig.add_annotation(
        text=text,
        showarrow=False,
        font={"size": 11, "color": ink.bad},
        yanchor="bottom",
        xshift=4 if axis == "x" else 0,
        **place,
        **refs,
    )


def speed_bands(fig: go.Figure, mode: Mode, top: float, **panel: int) -> None:
    """Faint bands of decode speed (tokens/s of one stream) that people quote.

    Their names stand right, where speed under load has fallen away from them.
    """
    for band in SPEED_BANDS:
        if band.brief and band.low < top:
            fig.add_hrect(
                y0=band.low,
                y1=min(band.high or top, top),
                fillcolor=INK[mode].band,
                line_width=0,
                layer="below",
                annotation_text=band.brief,
                annotation_position="top right",
                annotation_font={"size": 10.5, "color": INK[mode].muted},
                **panel,
            )
