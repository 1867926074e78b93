"""What happened when, in one run: each request as a bar, and the output of all of them over time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from core.chart_style import INK, Mode, figure, plain, significant, tint, veil
from core.charts.sample import MOST_POINTS, Numbers
from core.records import Outcome, RequestRecord
from core.words import say

STEPS = (0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Output of a run over time.

    Attributes:
        step_s: Width of a step; `rates[i]` holds from `i * step_s` on.
        unit: "tokens", or "chunks" where no request has a token count.
    """

    step_s: float
    rates: Sequence[float]
    mean: float
    unit: str


def requests_over_time(mode: Mode, records: Sequence[RequestRecord], *, slot: int, most: int = 120) -> go.Figure:
    """Bars of the first requests: pale until the first token, full while decoding, red if failed."""
    sent = sorted((r for r in records if r.sent_s is not None and r.ended_s is not None), key=lambda r: r.sent_s or 0)
    drawn = sent[: min(most, MOST_POINTS)]
    colour, ink = INK[mode].colour(slot), INK[mode]
    unstreamed = any(not r.streamed and r.outcome is Outcome.OK for r in drawn)
    waiting = say("pale: waiting for the whole answer") if unstreamed else say("pale: waiting for the first token")
    fig = figure(
        mode,
        say("Requests over time"),
        say("first {shown} of {all}", shown=f"{len(drawn):,}", all=f"{len(sent):,}")
        + f" · {waiting}"
        + ("" if unstreamed else say(", full: decoding")),
        x=say("seconds since start"),
        y=say("request"),
        height=330,
    )
    good = [(place, r) for place, r in enumerate(drawn) if r.outcome is Outcome.OK]
    bad = [(place, r) for place, r in enumerate(drawn) if r.outcome in (Outcome.FAILED, Outcome.EMPTY)]
    cut = [(place, r) for place, r in enumerate(drawn) if r.outcome in (Outcome.CANCELLED, Outcome.INCOMPLETE)]
    wait_name = say("answer") if unstreamed else say("TTFT")
    _spans(fig, wait_name, tint(colour, ink.paper, 0.35), [(p, r.sent_s, _first(r), "") for p, r in good])
    _spans(fig, say("decode"), colour, [(p, _first(r), _last(r), "") for p, r in good if r.streamed])
    _spans(fig, say("failed"), ink.bad, [(p, r.sent_s, r.ended_s, _why(r)) for p, r in bad])
    _spans(fig, say("cancelled"), ink.line, [(p, r.sent_s, r.ended_s, "") for p, r in cut])
    fig.update_layout(barmode="overlay", showlegend=len(fig.data) > 1)
    fig.update_yaxes(range=[max(len(drawn), 1) - 0.5, -0.5], showgrid=False)
    fig.update_xaxes(showgrid=True, rangemode="tozero")
    return fig


def _first(record: RequestRecord) -> float | None:
    return record.first_token_s if record.streamed else record.last_token_s


def _last(record: RequestRecord) -> float | None:
    return record.last_token_s


def _why(record: RequestRecord) -> str:
    failure = record.failure
    return "" if failure is None else f"<br>{plain(f'{failure.kind}: {failure.message}', 90)}"


def _spans(
    fig: go.Figure, name: str, colour: str, spans: Sequence[tuple[int, float | None, float | None, str]]
) -> None:
    whole = [(place, start, end, why) for place, start, end, why in spans if start is not None and end is not None]
    if not whole:
        return
    fig.add_bar(
        y=[place for place, *_ in whole],
        x=[end - start for _, start, end, _ in whole],
        base=[start for _, start, _, _ in whole],
        customdata=[why for *_, why in whole],
        orientation="h",
        marker_color=colour,
        name=name,
        width=0.8,
        hovertemplate=f"{say('request')} %{{y}}<br>{name} %{{x:.3f}} s%{{customdata}}<extra></extra>",
    )


def output_rates(records: Sequence[RequestRecord], *, mean: float | None = None) -> Output | None:
    """Tokens of each successful request spread over its decoding; None if there is nothing to spread.

    `mean` is the run's own throughput, so that the dotted line and the headline agree.
    """
    ok = [r for r in records if r.outcome is Outcome.OK and not r.warmup and r.last_token_s is not None]
    unit = "tokens" if any(r.output_tokens is not None for r in ok) else "chunks"
    amounts = np.array([(r.output_tokens if unit == "tokens" else len(r.chunk_us)) or 0 for r in ok], dtype=float)
    if not amounts.any():
        return None
    start = np.array([r.first_token_s if r.first_token_s is not None else r.sent_s for r in ok], dtype=float)
    end = np.maximum(np.array([r.last_token_s for r in ok], dtype=float), start + 1e-4)
    last = float(end.max())
    step = next((s for s in STEPS if last / s <= 240), last / 240)
    edges = np.arange(0, last + step, step)
    done = _cumulated(start, end, amounts, edges)
    rates = np.diff(done) / step
    span = last - min(r.sent_s or 0.0 for r in ok)
    whole = mean if mean is not None and unit == "tokens" else float(amounts.sum()) / span
    return Output(step_s=step, rates=rates.tolist(), mean=whole, unit=unit)


def _cumulated(start: Numbers, end: Numbers, amounts: Numbers, edges: Numbers) -> Numbers:
    """Amount that had come by each edge, each request's own flowing evenly from its start to its end."""
    slopes = amounts / (end - start)
    turns = np.concatenate([start, end])
    order = np.argsort(turns, kind="stable")
    at = turns[order]
    speed = np.cumsum(np.concatenate([slopes, -slopes])[order])
    came = np.concatenate([[0.0], np.cumsum(speed[:-1] * np.diff(at))])
    done: Numbers = np.interp(edges, at, came, left=0.0, right=float(came[-1]))
    return done


def output_over_time(mode: Mode, output: Output, *, slot: int) -> go.Figure:
    """The rate over time as a line on a faint area; the whole run's mean is dotted and named in the second line."""
    colour = INK[mode].colour(slot)
    unit = say("tokens/s") if output.unit == "tokens" else say("chunks/s")
    spread = say("tokens spread over each request's decoding")
    if output.unit != "tokens":
        spread = say("no token counts came, so chunks are counted")
    fig = figure(
        mode,
        say("Output over time"),
        f"{spread}, "
        + say("{step} s steps · dotted: whole run, {mean}", step=f"{output.step_s:g}", mean=significant(output.mean)),
        x=say("seconds since start"),
        y=unit,
        height=330,
    )
    fig.add_scatter(
        x=np.arange(len(output.rates)) * output.step_s + output.step_s / 2,
        y=list(output.rates),
        mode="lines",
        line={"color": colour, "width": 1.8},
        fill="tozeroy",
        fillcolor=veil(colour, 0.10),
        showlegend=False,
        hovertemplate=f"%{{x:.2f}} s<br>%{{y:,.4g}} {unit}<extra></extra>",
    )
    fig.add_hline(y=output.mean, line={"width": 1, "dash": "dot", "color": INK[mode].muted})
    fig.update_yaxes(rangemode="tozero", tickformat=",~r")
    fig.update_xaxes(rangemode="tozero")
    fig.update_layout(margin={"t": 60})
    return fig
