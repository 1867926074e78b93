"""How throughput and latency move with load: the trade-off with its frontier, and small multiples against load."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from plotly.graph_objects import Figure

from core.chart_style import (
    INK,
    Mode,
    axis_name,
    figure,
    log_axis,
    small_multiples,
    symbol,
)
from core.charts.marks import in_full, limit_line, marked, room_for_legend, speed_bands
from core.charts.sample import Series, time_unit
from core.quantities import number
from core.words import say

PALE = 0.4
LABELLED = (1, 8, 16, 32, 64)  # where more levels than these would write over each other
PLACES = ("top left", "bottom right", "top right", "bottom left")
LOAD_TICKS = (1 / 256, 1 / 64, 1 / 16, 1 / 4, 1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
MOST_LABELS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One load of one configuration: its level, latency in seconds, output tokens/s."""

    level: float
    latency_s: float
    throughput: float
    weak: bool = False  # a latency that rests on too little: drawn pale


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The loads of one configuration, ascending."""

    series: Series
    points: Sequence[Point]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One configuration in one panel: a value a level, in the panel's unit."""

    series: Series
    levels: Sequence[float]
    values: Sequence[float | None]
    name: str
    tail: bool = False  # a p99: thin and dotted


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One small multiple. Its title names unit and direction."""

    title: str
    curves: Sequence[Curve] = field(default_factory=tuple)
    bands: bool = False


def frontier(points: Sequence[Point]) -> list[Point]:
    """The best throughput within each latency limit: from left to right, only what rises."""
    best: list[Point] = []
    for point in sorted(points, key=lambda p: (p.latency_s, -p.throughput)):
        if not best or point.throughput > best[-1].throughput:
            best.append(point)
    return best


def throughput_against_latency(
    mode: Mode, lines: Sequence[Line], *, metric: str, limit_s: float | None = None, unit_of_load: str = ""
) -> Figure:
    """A line a configuration, its loads as labelled points; the grey stair is the frontier.

    `unit_of_load` is what levels count, "in flight" unless told.
    """
    every = [point for line in lines for point in line.points]
    unit = time_unit(max(point.latency_s for point in every))
    reading = say("upper left is better · labels are {what}", what=unit_of_load or say("requests in flight"))
    if limit_s is not None:
        reading += say(" · shaded: over the limit")
    low, high = (f(p.latency_s for p in every) * unit.per_second for f in (min, max))
    log = low > 0 and high / low > 1.5
    fig = figure(
        mode,
        say("Throughput against latency"),
        reading,
        x=f"{metric}, {unit.name}" + (say(" (log)") if log else ""),
        y=say("output tokens/s"),
        height=400,
    )
    # A noted line is no peer, such as a simulator: the frontier is drawn without it.
    best = frontier([point for line in lines if not line.series.note for point in line.points] or every)
    if len(best) > 1:
        _stair(fig, mode, best, unit.per_second)
    labelled = _labelled(sorted({point.level for point in every}))
    names = marked(line.series for line in lines)
    for place, line in enumerate(lines):
        latency = (f"{metric} %{{x:.4g}} {unit.name}", unit.per_second)
        _line(
            fig,
            mode,
            line,
            latency,
            name=names[line.series.title],
            place=PLACES[place % len(PLACES)],
            labelled=labelled,
            load=unit_of_load or say("in flight"),
        )
    if log:
        log_axis(fig, "xaxis", low * 0.85, high * 1.2)
    else:
        fig.update_xaxes(range=[low - (high * 0.1), high * 1.1])
    fig.update_yaxes(range=[0, 1.14 * max(point.throughput for point in every)], tickformat=",~r")
    if limit_s is not None:
        limit_line(fig, mode, "x", limit_s * unit.per_second, f" {number(limit_s * unit.per_second)} {unit.name}")
    fig.update_layout(showlegend=True)
    room_for_legend(fig, [*names.values(), *([say("frontier")] if len(best) > 1 else [])])
    return fig


def _labelled(levels: Sequence[float]) -> set[float]:
    """Those levels that get their number beside their point, so that numbers do not write over each other."""
    if len(levels) <= MOST_LABELS:
        return set(levels)
    usual = {level for level in levels if level in LABELLED}
    if len(usual) > 1:
        return usual
    last = len(levels) - 1
    return {levels[round(place * last / (MOST_LABELS - 1))] for place in range(MOST_LABELS)}


def _stair(fig: Figure, mode: Mode, best: Sequence[Point], per_second: float) -> None:
    fig.add_scatter(
        x=[point.latency_s * per_second for point in best],
        y=[point.throughput for point in best],
        mode="lines",
        name=say("frontier"),
        line={"color": INK[mode].muted, "width": 8, "shape": "hv"},
        opacity=0.16,
        hoverinfo="skip",
        legendrank=2000,
    )


def _line(
    fig: Figure,
    mode: Mode,
    line: Line,
    latency: tuple[str, float],
    *,
    name: str,
    place: str,
    labelled: set[float],
    load: str,
) -> None:
    reading, per_second = latency
    ink = INK[mode]
    fig.add_scatter(
        x=[point.latency_s * per_second for point in line.points],
        y=[point.throughput for point in line.points],
        name=name,
        mode="lines+markers+text",
        text=[f"{point.level:g}" if point.level in labelled else "" for point in line.points],
        customdata=[f"{point.level:,g}" for point in line.points],
        textposition=place,
        textfont={"size": 10.5, "color": ink.muted},
        line={"color": ink.colour(line.series.slot)},
        marker={
            "symbol": symbol(line.series.slot),
            "size": 8,
            "line": {"width": 1.5, "color": ink.paper},
            "opacity": [PALE if point.weak else 1.0 for point in line.points],
        },
        cliponaxis=False,
        hovertemplate=f"<b>{in_full(line.series)}</b> · %{{customdata}} {load}<br>{reading}<br>"
        f"%{{y:,.4g}} {say('tokens/s')}<extra></extra>",
    )


def against_load(mode: Mode, panels: Sequence[Panel], *, legend: bool, x: str = "") -> Figure:
    """Panels of one row over the same loads: log2 by its ticks, y from zero, p99 dotted."""
    fig = small_multiples(mode, [panel.title for panel in panels], x or say("in flight"), 250)
    names = marked(curve.series for panel in panels for curve in panel.curves)
    named: set[str] = set()
    for place, panel in enumerate(panels, start=1):
        for curve in panel.curves:
            first = legend and place == 1 and not curve.tail and curve.series.title not in named
            named.add(curve.series.title)
            _curve(fig, mode, curve, place, name=names[curve.series.title], legend=first)
        _load_axis(fig, place, [level for curve in panel.curves for level in curve.levels])
        top = max((v for curve in panel.curves for v in curve.values if v is not None), default=0.0)
        fig.update_yaxes(range=[0, top * 1.08 if top else 1], row=1, col=place)
        if panel.bands and top:
            speed_bands(fig, mode, top * 1.08, row=1, col=place)
    fig.update_yaxes(tickformat=",~r")
    fig.update_layout(hovermode="x unified", showlegend=legend)
    room_for_legend(fig, names.values(), line=24)  # without one too: neighbours stay level
    return fig


def _curve(fig: Figure, mode: Mode, curve: Curve, panel: int, *, name: str, legend: bool) -> None:
    ink, slot = INK[mode], curve.series.slot
    style: Literal["lines", "lines+markers"] = "lines" if curve.tail else "lines+markers"
    fig.add_scatter(
        x=list(curve.levels),
        y=list(curve.values),
        row=1,
        col=panel,
        mode=style,
        name=name,
        legendgroup=name,
        showlegend=legend,
        connectgaps=False,
        line={
            "color": ink.colour(slot),
            "dash": "dot" if curve.tail else "solid",
            "width": 1.5 if curve.tail else 2,
        },
        marker={"size": 5, "symbol": symbol(slot)},
        hovertemplate=f"{in_full(curve.series)} {curve.name} <b>%{{y:,.4g}}</b><extra></extra>",
    )


def _load_axis(fig: Figure, panel: int, levels: Sequence[float]) -> None:
    low, high = min(levels, default=1), max(levels, default=1)
    axis = axis_name("x", panel)
    log_axis(fig, axis, low * 0.9, high * 1.12)
    known = sorted(set(levels))
    ticks = known if len(known) <= 4 else [tick for tick in LOAD_TICKS if low <= tick <= high]
    if len(ticks) < 2:  # many levels close together
        ticks = [known[0], known[-1]] if len(known) > 1 else known
    fig.layout[axis].update(tickvals=ticks, ticktext=[f"{tick:,g}" for tick in ticks])
