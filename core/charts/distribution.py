"""How values spread: one run's histogram with its cumulative line, and many runs' ECDF, boxes and violins."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import plotly.graph_objects as go

from core.chart_style import (
    INK,
    Mode,
    figure,
    log_axis,
    symbol,
    template,
    tint,
)
from core.charts.marks import in_full, marked, percentile_lines, room_for_legend
from core.charts.sample import Series, Unit, time_unit
from core.percentile import too_few
from core.quantiles import Sample
from core.quantities import number
from core.words import say

BINS = 44
CUT = 0.996  # a single straggler must not squeeze the rest into one bar
WIDE = 5.0  # largest / smallest from which a log axis reads better
BOX = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


def distribution(
    mode: Mode,
    sample: Sample,
    percentiles: Mapping[str, float],
    *,
    title: str,
    note: str,
    counted: str,
    slot: int,
    faint: Sequence[str] = (),
) -> go.Figure:
    """Histogram and cumulative line of one metric of one run.

    `percentiles` are exact values in seconds by name, `faint` those that rest on too few samples.
    """
    unit = time_unit(percentiles[list(percentiles)[-1]])
    colour, ink = INK[mode].colour(slot), INK[mode]
    cut = _cut(sample)
    first, last = sample.at([0.0, cut])
    if first == last:
        first, last = first * 0.9 - 1e-6, last * 1.1 + 1e-6
    fig = figure(mode, title, note + _hidden(sample, cut), x=unit.name, y=counted, height=270)
    _bars(fig, sample, (float(first), float(last)), unit, colour=tint(colour, ink.paper, 0.45), counted=counted)
    values, shares = sample.cumulated()
    shown = shares <= cut
    fig.add_scatter(
        x=values[shown] * unit.per_second,
        y=shares[shown],
        yaxis="y2",
        mode="lines",
        line={"color": colour, "width": 2, "shape": "hv"},
        hovertemplate=f"%{{y:.0%}} {say('within')} %{{x:.4g}} {unit.name}<extra></extra>",
    )
    percentile_lines(fig, mode, {name: value * unit.per_second for name, value in percentiles.items()}, faint)
    fig.update_layout(
        template=template(mode),
        showlegend=False,
        margin={"t": 72, "r": 40},
        xaxis={"tickformat": ",~r", "range": [value * unit.per_second for value in _padded(first, last, percentiles)]},
        yaxis={"nticks": 5, "rangemode": "tozero", "tickformat": ",~r"},
        yaxis2={
            "overlaying": "y",
            "side": "right",
            "tickformat": ".0%",
            "range": [0, 1.04],
            "showgrid": False,
            "tickvals": [0, 0.5, 1],
        },
    )
    return fig


def _cut(sample: Sample) -> float:
    """Hide the last 0.4 % only where they would squeeze the rest."""
    if sample.count < 1 / (1 - CUT):
        return 1.0
    low, body, top = sample.at([0.0, CUT, 1.0])
    return CUT if top - low > 1.5 * (body - low) else 1.0


def _hidden(sample: Sample, cut: float) -> str:
    hidden = round((1 - cut) * sample.count)
    return " · " + say("{count} further right", count=f"{hidden:,}") if hidden else ""


def _padded(first: float, last: float, percentiles: Mapping[str, float]) -> tuple[float, float]:
    low, high = min(first, *percentiles.values()), max(last, *percentiles.values())
    room = (high - low) * 0.03
    return low - room, high + room


def _bars(fig: go.Figure, sample: Sample, span: tuple[float, float], unit: Unit, *, colour: str, counted: str) -> None:
    edges = np.linspace(*span, min(BINS, max(8, sample.count)) + 1)
    counts = sample.counted(edges)
    scaled = edges * unit.per_second
    fig.add_bar(
        x=(scaled[1:] + scaled[:-1]) / 2,
        y=counts,
        width=np.diff(scaled) * 0.94,
        marker_color=colour,
        customdata=np.column_stack([scaled[:-1], scaled[1:]]),
        hovertemplate=(
            f"%{{customdata[0]:.4g}}–%{{customdata[1]:.4g}} {unit.name}: %{{y:,.0f}} {counted}<extra></extra>"
        ),
    )


def ecdf(
    mode: Mode,
    curves: Sequence[tuple[Series, Sample]],
    *,
    title: str,
    metric: str,
    share_of: str,
    share: float,
) -> go.Figure:
    """Every value of several runs as cumulative lines; the dotted line is the chosen percentile."""
    unit = time_unit(max(float(sample.at([share])[0]) for _, sample in curves))
    ends = np.array([sample.at([0.0, 1.0]) for _, sample in curves]) * unit.per_second
    low, high = float(ends[:, 0].min()), float(ends[:, 1].max())
    log = low > 0 and high / low > WIDE
    fig = figure(
        mode,
        title,
        say("further left is better · read across at {p} % for p{p}", p=f"{share * 100:g}"),
        x=f"{metric}, {unit.name}" + (say(" (log)") if log else ""),
        y=share_of,
    )
    names = marked(series for series, _ in curves)
    for series, sample in curves:
        values, shares = sample.cumulated()
        fig.add_scatter(
            x=values * unit.per_second,
            y=shares,
            name=names[series.title],
            mode="lines",
            line={"color": INK[mode].colour(series.slot), "shape": "hv"},
            hovertemplate=f"<b>{in_full(series)}</b><br>%{{y:.0%}} {say('within')} %{{x:.4g}} {unit.name}"
            "<extra></extra>",
        )
    muted = INK[mode].muted
    fig.add_hline(
        y=share,
        line={"width": 1, "dash": "dot", "color": muted},
        annotation_text=f"p{share * 100:g}",
        annotation_position="bottom right",
        annotation_font={"size": 11, "color": muted},
    )
    if log:
        log_axis(fig, "xaxis", low * 0.9, high * 1.1)
    fig.update_yaxes(tickformat=".0%", range=[0, 1.02])
    fig.update_xaxes(showgrid=True)
    fig.update_layout(showlegend=len(curves) > 1)
    room_for_legend(fig, names.values())
    return fig


def boxes(
    mode: Mode,
    rows: Sequence[tuple[Series, Sample]],
    *,
    title: str,
    shape: Literal["box", "violin"] = "box",
) -> go.Figure:
    """One box (p25 to p75, whiskers p5 and p95) or violin a run, with a dot and the number at p99."""
    tops = [float(sample.at([0.99])[0]) for _, sample in rows]
    unit = time_unit(max(tops))
    reading = {
        "box": say("lower is better · box p25–p75, whiskers p5–p95, dot p99"),
        "violin": say("lower is better · width is how often, up to p99, line the median, dot p99"),
    }
    fig = figure(mode, title, reading[shape], x=unit.name, y="", height=max(200, 140 + 46 * len(rows)))
    for place, (series, sample) in enumerate(reversed(rows)):
        draw = _box if shape == "box" else _violin
        draw(fig, mode, place, (series, sample), unit)
        top, weak = float(sample.at([0.99])[0]) * unit.per_second, too_few("p99", sample.count)
        fig.add_scatter(
            x=[top],
            y=[place],
            mode="markers+text",
            text=[f" <i>p99 {number(top)}</i>" if weak else f" p99 {number(top)}"],
            textposition="middle right",
            textfont={"size": 11, "color": INK[mode].muted},
            marker={
                "color": INK[mode].colour(series.slot),
                "size": 7,
                "symbol": symbol(series.slot),
                "opacity": 0.4 if weak else 1,
            },
            showlegend=False,
            cliponaxis=False,
            hovertemplate=f"<b>{in_full(series)}</b><br>p99 %{{x:.4g}} {unit.name}<extra></extra>",
        )
    names = list(reversed(marked((series for series, _ in rows), 22).values()))
    fig.update_xaxes(showgrid=True, range=[0, 1.22 * max(tops) * unit.per_second])
    fig.update_yaxes(
        showgrid=False,
        tickvals=list(range(len(names))),
        ticktext=names,
        range=[-0.6, len(names) - 0.4],
        tickfont={"size": 12, "color": INK[mode].text},
    )
    fig.update_layout(showlegend=False)
    return fig


def _box(fig: go.Figure, mode: Mode, place: int, row: tuple[Series, Sample], unit: Unit) -> None:
    series, sample = row
    colour = INK[mode].colour(series.slot)
    low, q1, middle, q3, high, _ = sample.at(BOX) * unit.per_second
    fig.add_trace(
        go.Box(
            y=[place],
            lowerfence=[low],
            q1=[q1],
            median=[middle],
            q3=[q3],
            upperfence=[high],
            orientation="h",
            name=in_full(series),
            line={"color": colour, "width": 1.5},
            fillcolor=tint(colour, INK[mode].paper, 0.22),
            width=0.45,
            hoverinfo="skip",
        )
    )
    parts = zip(("p5", "p25", "p50", "p75", "p95"), (low, q1, middle, q3, high), strict=True)
    fig.add_scatter(  # plotly's own labels of a box are trace names and bare numbers: this point says it in words
        x=[middle],
        y=[place],
        mode="markers",
        marker={"size": 18, "opacity": 0},
        hovertemplate=f"<b>{in_full(series)}</b><br>"
        + "<br>".join(f"{name} {number(float(value))} {unit.name}" for name, value in parts)
        + "<extra></extra>",
        showlegend=False,
    )


def _violin(fig: go.Figure, mode: Mode, place: int, row: tuple[Series, Sample], unit: Unit) -> None:
    series, sample = row
    colour = INK[mode].colour(series.slot)
    fig.add_trace(
        go.Violin(
            x=sample.at(np.linspace(0, 0.99, 200)) * unit.per_second,
            y0=place,
            orientation="h",
            name=in_full(series),
            line={"color": colour, "width": 1.5},
            fillcolor=tint(colour, INK[mode].paper, 0.22),
            points=False,
            spanmode="hard",
            width=0.8,
            meanline={"visible": False},
            box={"visible": True, "width": 0.08},
            hoverinfo="skip",
        )
    )
