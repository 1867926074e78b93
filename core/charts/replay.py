"""How often requests of a recorded load come, over its time. Draws a plan and no measured value."""

import plotly.graph_objects as go

from core.chart_style import INK, Mode, template, veil
from core.trace import Rows
from core.words import say

STEPS = 120


def requests_over_time(mode: Mode, rows: Rows, speed: float = 1.0) -> go.Figure:
    """A small picture: seconds at that speed to the right, requests/s upwards from 0."""
    ink = INK[mode]
    at_s, rates = binned(rows, speed)
    fig = go.Figure(
        layout={
            "template": template(mode),
            "height": 150,
            "margin": {"l": 44, "r": 10, "t": 10, "b": 34},
            "xaxis": {"title": {"text": say("seconds since the first request")}, "rangemode": "tozero"},
            "yaxis": {"title": {"text": say("requests/s")}, "rangemode": "tozero", "nticks": 4},
            "showlegend": False,
        }
    )
    fig.add_scatter(
        x=at_s,
        y=rates,
        mode="lines",
        line={"color": ink.muted, "width": 1.5, "shape": "hv"},
        fill="tozeroy",
        fillcolor=veil(ink.muted, 0.10),
        hovertemplate=f"%{{x:.3r}} s<br>%{{y:,.3r}} {say('requests/s')}<extra></extra>",
    )
    return fig


def binned(rows: Rows, speed: float = 1.0) -> tuple[list[float], list[float]]:
    """Begin and requests/s of equal stretches, with the end of the last one behind them."""
    span_us = max(rows.at_us[-1], 1) if len(rows) else 1
    counts = [0] * STEPS
    for at_us in rows.at_us:
        counts[min(STEPS - 1, at_us * STEPS // span_us)] += 1
    width_s = span_us / 1e6 / speed / STEPS
    rates = [count / width_s for count in counts]
    return [place * width_s for place in range(STEPS + 1)], [*rates, rates[-1]]
