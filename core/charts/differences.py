"""Differences to the baseline with their intervals, as a forest. Draws verdicts that others have reached."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from plotly.graph_objects import Figure

from core.chart_style import INK, Ink, Mode, figure, symbol
from core.charts.marks import in_full, marked, room_for_legend
from core.charts.sample import Series
from core.words import say

Standing = Literal["good", "bad", "neutral"]
PALE = 0.4  # of what rests on too little
FARTHEST = 300.0  # %; beyond this an arrow at the edge says more than a squeezed chart

LETTER = 0.027  # of the room for the values
APART = "\N{NO-BREAK SPACE}" * 4  # of a label from its mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """One configuration's difference in one metric, in per cent of the baseline.

    Attributes:
        low, high: Ends of the interval; None where no interval could be made.
        weak: Whether it rests on too little: drawn pale.
        label: What stands beside it, such as "−25 % better".
    """

    series: Series
    value: float
    low: float | None
    high: float | None
    label: str
    standing: Standing
    weak: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One metric: its title with the arrow of the good direction, and an interval a configuration."""

    title: str
    intervals: Sequence[Interval]


def forest(mode: Mode, rows: Sequence[Row], *, title: str, margin: float, reading: str = "") -> Figure:
    """One row a metric; grey zone: differences within the margin are not worth naming."""
    ink = INK[mode]
    sub = reading or _reading(rows, margin)
    most = max((len(row.intervals) for row in rows), default=1)
    fig = figure(mode, title, sub, x="%", y="", height=max(400, 110 + len(rows) * (24 + 22 * most)))
    fig.add_vrect(x0=-margin, x1=margin, fillcolor=ink.band, line_width=0, layer="below")
    fig.add_vline(x=0, line={"width": 1, "color": ink.line})
    order = _series_in_order(rows)
    names = marked(order)
    for place, series in enumerate(order):
        _one_configuration(fig, ink, rows, (series, names[series.title]), _dodge(place, len(order)))
    titles = [row.title for row in reversed(rows)]
    fig.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=titles,
        showgrid=False,
        range=[-0.6, len(rows) - 0.4],
        tickfont={"size": 12, "color": ink.text},
    )
    low, high = _ends(rows, margin)
    room = high - low
    left, right = (_longest_label(rows, left=left) for left in (True, False))
    fig.update_xaxes(range=[low - (0.06 + left) * room, high + (0.06 + right) * room], showgrid=True, zeroline=False)
    fig.update_layout(showlegend=True)
    room_for_legend(fig, names.values(), width=400)
    return fig


def _reading(rows: Sequence[Row], margin: float) -> str:
    """How it is to be read; of bars only where there are some."""
    zone = say("grey zone: within ±{margin} %, no difference worth naming", margin=f"{margin:g}")
    barred = any(interval.low is not None for row in rows for interval in row.intervals)
    return f"{say('bars are 95 % intervals') if barred else say('too few requests for intervals')} · {zone}"


def _is_left(interval: Interval) -> bool:
    """Whether its label stands on the left, so that it never lies on the line of no difference."""
    return (interval.value if interval.high is None else interval.high) < 0


def _series_in_order(rows: Sequence[Row]) -> list[Series]:
    seen: dict[str, Series] = {}
    for row in rows:
        for interval in row.intervals:
            seen.setdefault(interval.series.title, interval.series)
    return list(seen.values())


def _dodge(place: int, count: int) -> float:
    step = 0.32 if count <= 2 else 0.76 / count
    return ((count - 1) / 2 - place) * step


def _longest_label(rows: Sequence[Row], *, left: bool) -> float:
    """The room for the labels on one side, as a share of that for the values."""
    longest = max((len(i.label) for row in rows for i in row.intervals if _is_left(i) is left), default=0)
    return 0.04 + LETTER * longest if longest else 0.0


def _clamped(value: float) -> float:
    return max(-FARTHEST, min(FARTHEST, value))


def _ends(rows: Sequence[Row], margin: float) -> tuple[float, float]:
    found = [0.0, -2 * margin, 2 * margin]
    for row in rows:
        for i in row.intervals:
            found += [_clamped(v) for v in (i.value, i.low, i.high) if v is not None]
    return min(found), max(found)


def _one_configuration(fig: Figure, ink: Ink, rows: Sequence[Row], named: tuple[Series, str], dodge: float) -> None:
    series, name = named
    mine = [
        (len(rows) - 1 - place + dodge, row.title, interval)
        for place, row in enumerate(rows)
        for interval in row.intervals
        if interval.series.title == series.title
    ]
    heights = [height for height, _, _ in mine]
    values = [_clamped(i.value) for _, _, i in mine]
    ends = [
        (_clamped(i.value if i.low is None else i.low), _clamped(i.value if i.high is None else i.high))
        for _, _, i in mine
    ]
    colour = ink.colour(series.slot)
    pale = [PALE if i.weak else 1.0 for _, _, i in mine]
    fig.add_scatter(
        x=values,
        y=heights,
        mode="markers",
        name=name,
        marker={"color": colour, "size": 9, "symbol": symbol(series.slot), "opacity": pale},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [high - value for value, (_, high) in zip(values, ends, strict=True)],
            "arrayminus": [value - low for value, (low, _) in zip(values, ends, strict=True)],
            "thickness": 2,
            "width": 0,
            "color": colour,
        },
        customdata=[[title, _in_words(i)] for _, title, i in mine],
        hovertemplate=f"<b>{in_full(series)}</b><br>%{{customdata[0]}}: %{{customdata[1]}}<extra></extra>",
        cliponaxis=False,
    )
    inks = {"good": ink.good, "bad": ink.bad, "neutral": ink.muted}
    fig.add_scatter(
        x=[low if _is_left(i) else high for (_, _, i), (low, high) in zip(mine, ends, strict=True)],
        y=heights,
        mode="text",
        text=[_label(i) for _, _, i in mine],
        textposition=["middle left" if _is_left(i) else "middle right" for _, _, i in mine],
        textfont={"size": 11, "color": [ink.muted if i.weak else inks[i.standing] for _, _, i in mine]},
        showlegend=False,
        hoverinfo="skip",
        cliponaxis=False,
    )


def _label(interval: Interval) -> str:
    told = f"<i>{interval.label}</i>" if interval.weak else interval.label
    return f"{told}{APART}" if _is_left(interval) else f"{APART}{told}"


def _in_words(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return interval.label
    ends = f"[{interval.low:+.1f}, {interval.high:+.1f}]".replace("-", "−")
    return f"{interval.label} {ends}"
