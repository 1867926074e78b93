"""The level that stages lead through, over their time. Draws a plan and no measured value."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from core.chart_style import INK, Mode, template, veil
from core.load import Stage
from core.words import say

STEPS = 24  # of an exponential stage
Line = Mapping[str, float | str]


def stages_over_time(mode: Mode, stages: Sequence[Stage], unit: str) -> go.Figure:
    """A small picture: seconds to the right, the level upwards from 0."""
    at_s, levels, begin_s = [0.0], [stages[0].start], 0.0
    for stage in stages:
        steps = STEPS if stage.shape == "exponential" else 1
        for step in range(steps + 1):
            at_s.append(begin_s + stage.seconds * step / steps)
            levels.append(stage.level(step / steps))
        begin_s += stage.seconds
    return planned(mode, at_s, levels, unit, line={"width": 2})


def planned(mode: Mode, at_s: Sequence[float], levels: Sequence[float], unit: str, *, line: Line) -> go.Figure:
    """A small picture of what a load will be: seconds to the right, `unit` upwards from 0."""
    ink = INK[mode]
    fig = go.Figure(
        layout={
            "template": template(mode),
            "height": 150,
            "margin": {"l": 44, "r": 10, "t": 10, "b": 34},
            "xaxis": {"title": {"text": say("seconds since the first request")}, "rangemode": "tozero"},
            "yaxis": {"title": {"text": unit}, "rangemode": "tozero", "nticks": 4},
            "showlegend": False,
        }
    )
    fig.add_scatter(
        x=at_s,
        y=levels,
        mode="lines",
        line={"color": ink.muted, **line},
        fill="tozeroy",
        fillcolor=veil(ink.muted, 0.10),
        hovertemplate=f"%{{x:.3r}} s<br>%{{y:,.3r}} {unit}<extra></extra>",
    )
    return fig
