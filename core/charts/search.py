"""A search for the highest level that keeps an SLO: the way it took, and the limited number at each level it tried."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

import plotly.graph_objects as go

from core.chart_style import INK, Mode, figure, log_axis, symbol
from core.charts.marks import in_full, marked, room_for_legend
from core.charts.sample import Series
from core.quantities import number
from core.words import say

ROOM = 1.35  # beside the lowest and the highest level, as a factor


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One probe.

    Attributes:
        value: The limited number, in the unit of its axis; None where the run had none.
    """

    level: float
    met: bool
    value: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """The probes of one configuration, in their order, and the highest level that keeps the SLO so far."""

    series: Series
    tried: Sequence[Tried]
    edge: float | None = None


def search_course(mode: Mode, ways: Sequence[Way], *, unit: str, low: float, high: float) -> go.Figure:
    """Levels on a log axis in the order in which they were tried; the edge is dashed."""
    fig = figure(
        mode,
        say("The way of the search"),
        say("filled: keeps the limits · cross: does not · dashed: the highest that does"),
        x=say("probe"),
        y=unit + say(" (log)"),
        height=320,
    )
    names = marked(way.series for way in ways)
    for way in ways:
        places = range(1, len(way.tried) + 1)
        _probes(fig, mode, way, places, [one.level for one in way.tried], name=names[way.series.title])
        if way.edge is not None:
            _edge(fig, mode, way)
    most = max((len(way.tried) for way in ways), default=0)
    fig.update_xaxes(range=[0.5, max(most, 8) + 0.5], dtick=1 if most <= 14 else 2)
    levels = [one.level for way in ways for one in way.tried] or [low, high]
    log_axis(fig, "yaxis", min(levels) / ROOM, max(levels) * ROOM)
    fig.update_layout(showlegend=len(ways) > 1, margin={"t": 78 if len(ways) > 1 else 58})
    room_for_legend(fig, names.values())
    return fig


def limit_by_level(mode: Mode, ways: Sequence[Way], *, title: str, unit: str, axis: str, limit: float) -> go.Figure:
    """The number that one limit is about, at every level tried; a limit that is a lower bound has a negative sign.

    `unit` is that of the levels, `axis` that of the number.
    """
    upper, bound = limit >= 0, abs(limit)
    reading = say("has to stay below the dashed line") if upper else say("has to stay above the dashed line")
    fig = figure(mode, title, reading, x=unit + say(" (log)"), y=axis, height=320)
    names = marked(way.series for way in ways)
    for way in ways:
        seen = [one for one in sorted(way.tried, key=lambda one: one.level) if one.value is not None]
        shown = Way(series=way.series, tried=seen, edge=way.edge)
        _probes(fig, mode, shown, [one.level for one in seen], [one.value or 0.0 for one in seen],
                name=names[way.series.title])  # fmt: skip
    values = [one.value for way in ways for one in way.tried if one.value is not None]
    top = max([*values, bound]) * 1.12
    ink = INK[mode]
    fig.add_hrect(y0=bound if upper else 0, y1=top if upper else bound, fillcolor=ink.bad, opacity=0.06, line_width=0,
                  layer="below")  # fmt: skip
    fig.add_hline(
        y=bound,
        line={"color": ink.bad, "width": 1, "dash": "dash"},
        annotation={"text": say("limit {n}", n=number(bound)), "font": {"size": 11, "color": ink.bad}},
        annotation_position="top left" if upper else "bottom left",
    )
    fig.update_yaxes(range=[0, top], tickformat=",~r")
    levels = [one.level for way in ways for one in way.tried] or [1.0, 10.0]
    log_axis(fig, "xaxis", min(levels) / ROOM, max(levels) * ROOM)
    fig.update_layout(showlegend=len(ways) > 1, margin={"t": 78 if len(ways) > 1 else 58})
    room_for_legend(fig, names.values())
    return fig


def _probes(fig: go.Figure, mode: Mode, way: Way, x: Sequence[float], y: Sequence[float], *, name: str) -> None:
    colour, mark = INK[mode].colour(way.series.slot), symbol(way.series.slot)
    words = [say("keeps the limits") if one.met else say("does not keep them") for one in way.tried]
    fig.add_scatter(
        x=list(x),
        y=list(y),
        name=name,
        mode="lines+markers",
        line={"color": colour, "width": 1.2},
        marker={
            "color": colour,
            "size": [9 if one.met else 8 for one in way.tried],
            "symbol": [mark if one.met else "x-thin" for one in way.tried],
            "line": {"color": colour, "width": [0 if one.met else 2 for one in way.tried]},
        },
        customdata=words,
        hovertemplate=f"<b>{in_full(way.series)}</b><br>%{{x:,.4r}}: %{{y:,.4r}}<br>%{{customdata}}<extra></extra>",
    )


def _edge(fig: go.Figure, mode: Mode, way: Way) -> None:
    assert way.edge is not None
    colour = INK[mode].colour(way.series.slot)
    fig.add_hline(y=way.edge, line={"color": colour, "width": 1, "dash": "dash"})
    fig.add_annotation(
        x=0.01,
        xref="x domain",
        xanchor="left",
        y=log10(way.edge),  # shapes take values, annotations take exponents
        yanchor="bottom",
        showarrow=False,
        text=say("edge <b>{n}</b>", n=number(way.edge)),
        font={"size": 11, "color": INK[mode].text},
    )
