"""The two small charts of the level that is running: a fixed window of two minutes that ends now."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.chart_style import INK, Mode, plain, small_multiples, veil
from core.words import say

WINDOW_S, STEP_S, TRAILING_S = 120.0, 2.0, 10.0
Points = Sequence[tuple[float, float]]


def live(
    mode: Mode,
    *,
    name: str,
    slot: int,
    now_s: float,
    tokens_per_s: Points,
    ttft: Points,
    in_flight: Points | None = None,
) -> go.Figure:
    """Output and TTFT over the last two minutes; `now_s` is the run's elapsed time, points are (run time, value).

    `in_flight` is drawn where it is given: in open loop it shows whether the server keeps up.
    """
    colour = INK[mode].colour(slot)
    titles = [say("Output, tokens/s ↑"), say("TTFT p50 and p95, ms ↓")]
    if in_flight is not None:
        titles.append(say("In flight"))
    fig = small_multiples(mode, titles, say("seconds ago"), height=262)
    label = plain(name)
    shown = [(at - now_s, value) for at, value in tokens_per_s if now_s - at <= WINDOW_S]
    line(fig, 1, shown, {"color": colour}, f"{label}<br>%{{y:,.3r}} tokens/s<extra></extra>")
    fig.data[0].update(fill="tozeroy", fillcolor=veil(colour, 0.10))
    styles: dict[int, dict[str, Any]] = {50: {"color": colour}, 95: {"color": colour, "dash": "dot", "width": 1.5}}
    for share, style in styles.items():
        values = [(at - now_s, value * 1e3) for at, value in trailing(ttft, share, now_s)]
        line(fig, 2, values, style, f"{label}<br>p{share} %{{y:,.3r}} ms<extra></extra>")
    if in_flight is not None:
        waiting = [(at - now_s, value) for at, value in in_flight if now_s - at <= WINDOW_S]
        line(fig, 3, waiting, {"color": colour}, f"{label}<br>%{{y:,.0f}} {say('in flight')}<extra></extra>")
    fig.update_xaxes(range=[-WINDOW_S, 0], tickvals=[-120, -90, -60, -30, 0])
    fig.update_yaxes(rangemode="tozero", tickformat=",~r")
    fig.update_layout(margin={"t": 26, "l": 44}, showlegend=False, uirevision=label)
    for panel, empty in ((1, not shown), (2, not ttft)):
        if empty:
            fig.update_yaxes(range=[0, 1], showticklabels=False, row=1, col=panel)
    return fig


def line(fig: go.Figure, panel: int, points: Points, style: dict[str, Any], hover: str) -> None:
    """One line in a panel; a lone point is drawn as a marker, since a line needs two."""
    fig.add_scatter(
        x=[at for at, _ in points],
        y=[value for _, value in points],
        mode="lines" if len(points) > 1 else "markers",
        line=style,
        marker={"color": style["color"], "size": 6},
        hovertemplate=hover,
        row=1,
        col=panel,
    )


def trailing(points: Points, share: float, now_s: float) -> list[tuple[float, float]]:
    """The percentile over the ten seconds before each step; steps without an answer are left out."""
    if not points:
        return []
    at = np.array([moment for moment, _ in points])
    values = np.array([value for _, value in points])
    steps = now_s - np.arange(WINDOW_S, -STEP_S / 2, -STEP_S)
    found = []
    for step in steps[steps > 0]:
        inside = values[(at > step - TRAILING_S) & (at <= step)]
        if inside.size:
            found.append((float(step), float(np.percentile(inside, share))))
    return found
