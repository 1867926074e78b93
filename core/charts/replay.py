"""How often requests of a recorded load come, over its time. Draws a plan and no measured value."""

import plotly.graph_objects as go

from core.chart_style import Mode
from core.charts.stages import planned
from core.trace import Rows
from core.words import say

STEPS = 120


def requests_over_time(mode: Mode, rows: Rows, speed: float = 1.0) -> go.Figure:
    """A small picture: seconds at that speed to the right, requests/s upwards from 0."""
    at_s, rates = binned(rows, speed)
    return planned(mode, at_s, rates, say("requests/s"), line={"width": 1.5, "shape": "hv"})


def binned(rows: Rows, speed: float = 1.0) -> tuple[list[float], list[float]]:
    """Begin and requests/s of equal stretches, with the end of the last one behind them."""
    span_us = max(rows.at_us[-1], 1) if len(rows) else 1
    counts = [0] * STEPS
    for at_us in rows.at_us:
        counts[min(STEPS - 1, at_us * STEPS // span_us)] += 1
    width_s = span_us / 1e6 / speed / STEPS
    rates = [count / width_s for count in counts]
    return [place * width_s for place in range(STEPS + 1)], [*rates, rates[-1]]
