"""The charts of one run: how its latencies spread, and what happened when. Draws values that it is given."""

from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from core.charts.distribution import distribution
from core.charts.timeline import output_over_time, requests_over_time
from core.metrics import METRICS
from core.quantiles import Sample
from core.quantities import percent
from core.records import RequestRecord
from core.summary import ITL_SHARE, Summary
from core.timeline import Series
from core.words import say
from pages.parts.look import mode, pair, plot

SHOWN = ("p50", "p95", "p99")
DRAWN = (120, 500)


def spreads(summary: Summary, samples: Mapping[str, Sample], grey: Collection[tuple[str, str]], slot: int) -> None:
    """Histogram and cumulative line of each latency that this run has, two to a row."""
    metrics = [
        metric for metric in ("ttft_s", _gap_metric(summary), "tpot_s", "e2e_s") if metric in summary.distributions
    ]
    for start in range(0, len(metrics), 2):
        row = metrics[start : start + 2]
        places = pair(f"pair_spread_{start}", 2, gap="medium")
        for place, metric in zip(places, row, strict=False):
            with place:
                _spread(summary, metric, samples[metric], grey, slot)


def _gap_metric(summary: Summary) -> str:
    return "itl_s" if "itl_s" in summary.distributions else "gap_s"


def _spread(summary: Summary, metric: str, sample: Sample, grey: Collection[tuple[str, str]], slot: int) -> None:
    found = summary.distributions[metric]
    percentiles = {name: float(getattr(found, name)) for name in SHOWN}
    fig = distribution(
        mode(),
        sample,
        percentiles,
        title=_title(summary, metric),
        note=_note(summary, metric),
        counted=say("gaps") if metric in ("gap_s", "itl_s") else say("requests"),
        slot=slot,
        faint=[name for name in SHOWN if (metric, name) in grey],
    )
    plot(fig, f"spread_{metric}")


def _title(summary: Summary, metric: str) -> str:
    if metric == "itl_s" and summary.itl_share == 1:
        return say("Chunk gap = ITL")
    return METRICS[metric].title


def _note(summary: Summary, metric: str) -> str:
    if metric == "itl_s":
        if summary.itl_share == 1:
            return say("lower is better · every chunk is one token here, so the gap is ITL")
        return say(
            "lower is better · over the {share} whose chunks are tokens", share=percent(summary.itl_share, digits=1)
        )
    if metric == "gap_s":
        if summary.itl_share is None or summary.itl_share < ITL_SHARE:
            return say("lower is better · chunks are not tokens here, so this is no ITL")
        return say("lower is better")
    if metric == "tpot_s":
        return say("lower is better · one value a request")
    return say("lower is better · bars count, line cumulates")


def over_time(
    records: Sequence[RequestRecord],
    output: Series,
    summary: Summary,
    *,
    requests: int,
    slot: int,
    steady: bool = False,
) -> None:
    """Requests as bars, and the output of all of them; the summary's throughput is dotted, and said to be whose."""
    left, right = pair("pair_time", [1.2, 1], gap="medium")
    with left:
        most = DRAWN[0]
        if requests > DRAWN[0]:
            most = st.session_state.get("drawn") or DRAWN[0]
        plot(requests_over_time(mode(), records, slot=slot, most=most, all_requests=requests), "requests_over_time")
        if requests > DRAWN[0]:
            st.segmented_control(
                say("Requests drawn"),
                DRAWN,
                default=DRAWN[0],
                required=True,
                key="drawn",
                label_visibility="collapsed",
                format_func=lambda most: say("first {n}", n=min(most, requests)),
            )
    with right:
        if output.values:
            mean = summary.throughput.get("output_tokens_per_s")
            streamed = any(record.streamed for record in records)
            of = say("steady state") if steady else say("whole run")
            plot(output_over_time(mode(), output, mean=mean, of=of, slot=slot, streamed=streamed), "output_over_time")
        else:
            st.markdown(f"**{say('Output over time')}**")
            none = say("No request succeeded, so there is no output.")
            if summary.counts.get("ok"):
                none = say("No token counts came, so there is no output in tokens to draw.")
            st.markdown(f":gray[{none}]")
