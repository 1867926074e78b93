"""Lengths that a workload draws, as a small histogram of prompts over one of answers. Draws no measured value."""

from collections.abc import Sequence
from math import ceil

import plotly.graph_objects as go

from core.chart_style import INK, Mode, small_multiples, tint
from core.words import say

MOST_BARS, FEW = 24, 5


def drawn_lengths(mode: Mode, drawn: Sequence[tuple[int, int]]) -> go.Figure:
    """Two panels, how often each length in tokens came up: of the prompt on the left, of the answer on the right."""
    ink = INK[mode]
    fig = small_multiples(mode, (say("Prompt"), say("Answer")), say("tokens"), height=250)
    for place, lengths in enumerate(zip(*drawn, strict=True), start=1):
        edges, counts = _counted(lengths)
        fig.add_bar(
            x=[(low + high) / 2 for low, high in edges],
            y=counts,
            width=[high - low + 0.9 for low, high in edges],
            marker_color=tint(ink.muted, ink.paper, 0.55),
            customdata=[_span(low, high) for low, high in edges],
            hovertemplate=f"%{{customdata}} {say('tokens')}: %{{y}} {say('requests')}<extra></extra>",
            row=1,
            col=place,
        )
        least, most = edges[0][0], edges[-1][1]
        room = max(1.0, (most - least) * 0.06)
        fig.update_xaxes(range=[least - room, most + room], tickformat=",d", nticks=5, row=1, col=place)
        if most - least < FEW:  # no ticks between whole tokens
            fig.update_xaxes(tickvals=list(range(least, most + 1)), row=1, col=place)
    fig.update_yaxes(rangemode="tozero", nticks=4)
    fig.update_yaxes(title={"text": say("requests")}, row=1, col=1)
    fig.update_layout(showlegend=False, margin={"t": 26})
    return fig


def _counted(lengths: Sequence[int]) -> tuple[list[tuple[int, int]], list[int]]:
    """Bars of equal width in whole tokens, each with its first and last length, and how many fall into each."""
    least, most = min(lengths), max(lengths)
    width = max(1, ceil((most - least + 1) / MOST_BARS))
    edges = [(low, low + width - 1) for low in range(least, most + 1, width)]
    counts = [0] * len(edges)
    for length in lengths:
        counts[(length - least) // width] += 1
    return edges, counts


def _span(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"
