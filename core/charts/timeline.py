"""What happened when, in one run: each request as a bar, and the output of all of them over time."""

from collections.abc import Sequence

import plotly.graph_objects as go

from core.chart_style import INK, Mode, figure, plain, tint, veil
from core.charts.sample import MOST_POINTS, thinned
from core.quantities import number
from core.records import Outcome, RequestRecord
from core.timeline import Series as Steps
from core.words import say


def requests_over_time(
    mode: Mode, records: Sequence[RequestRecord], *, slot: int, most: int = 120, all_requests: int | None = None
) -> go.Figure:
    """Bars of the first requests: pale until the first token, full while decoding, red if failed.

    `all_requests` is how many the run has, where only its first are given.
    """
    sent = sorted((r for r in records if r.sent_s is not None and r.ended_s is not None), key=lambda r: r.sent_s or 0)
    drawn = sent[: min(most, MOST_POINTS)]
    colour, ink = INK[mode].colour(slot), INK[mode]
    unstreamed = any(not r.streamed and r.outcome is Outcome.OK for r in drawn)
    reading = say("pale: waiting for the first token, full: decoding")
    if unstreamed:
        reading = say("pale: waiting for the whole answer")
    fig = figure(
        mode,
        say("Requests over time"),
        say("first {shown} of {all}", shown=f"{len(drawn):,}", all=f"{all_requests or len(sent):,}")
        + (f" · {reading}" if any(r.outcome is Outcome.OK for r in drawn) else ""),
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
    fig.update_layout(barmode="overlay", showlegend=len(fig.data) > 1 or bool(bad))
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


def output_over_time(
    mode: Mode, output: Steps, *, mean: float | None, slot: int, streamed: bool = True, of: str = "whole run"
) -> go.Figure:
    """Tokens/s as a line on a faint area; the mean is dotted, and the second line says what it is the mean `of`."""
    spread = "tokens spread over each request's decoding" if streamed else "each answer's tokens when it came"
    reading = say(spread) + say(", {step} s steps", step=number(output.step_s))
    if mean is not None:
        reading += " · " + say("dotted: {of}, {mean} tokens/s", of=say(of), mean=number(mean))
    fig = figure(mode, say("Output over time"), reading, x=say("seconds since start"), y=say("tokens/s"), height=330)
    _area(fig, mode, output, slot=slot, dotted=mean, hover=f"%{{y:,.4g}} {say('tokens/s')}")
    return fig


def in_flight_over_time(mode: Mode, in_flight: Steps, *, slot: int, most: int | None) -> go.Figure:
    """Requests on their way; `most` is how many were allowed, dotted. A line that only rises is a server overrun."""
    reading = say("steady: the server keeps up · only rising: it does not")
    if most is not None:
        reading += " · " + say("dotted: no more than {n} were allowed", n=f"{most:,}")
    fig = figure(mode, say("In flight over time"), reading, x=say("seconds since start"), y=say("requests"), height=330)
    _area(fig, mode, in_flight, slot=slot, dotted=most, hover=f"%{{y:,.3r}} {say('in flight')}")
    return fig


def _area(fig: go.Figure, mode: Mode, steps: Steps, *, slot: int, dotted: float | None, hover: str) -> None:
    """Steps over time as a line on a faint area from zero, with a dotted line across."""
    colour = INK[mode].colour(slot)
    fig.add_scatter(
        x=thinned(steps.times_s),
        y=thinned(steps.values),
        mode="lines",
        line={"color": colour, "width": 1.8},
        fill="tozeroy",
        fillcolor=veil(colour, 0.10),
        showlegend=False,
        hovertemplate=f"%{{x:.2f}} s<br>{hover}<extra></extra>",
    )
    if dotted is not None:
        fig.add_hline(y=dotted, line={"width": 1, "dash": "dot", "color": INK[mode].muted})
    fig.update_yaxes(rangemode="tozero", tickformat=",~r")
    fig.update_xaxes(rangemode="tozero")
    fig.update_layout(margin={"t": 60})
