"""What an open loop adds to a run's page: its rates, its slip, each latency from the send and from the schedule."""

from collections.abc import Collection

import pandas as pd
import streamlit as st

from core.charts.timeline import in_flight_over_time
from core.metrics import METRICS
from core.quantities import seconds_alike
from core.run import Run
from core.summary import Summary
from core.timeline import Series
from core.words import say
from pages.parts.look import mode, pair, plot, section
from pages.parts.measures import Card, draw_cards, hint, weak
from pages.parts.text import MISSING, rate

SHOWN = ("p50", "p95", "p99")
FROM_BOTH = (("ttft_s", "scheduled_ttft_s"), ("e2e_s", "scheduled_e2e_s"))
OMISSION = (
    "A request that is held back waits before it is sent. Counted from the send, that wait is in no latency: this is "
    "coordinated omission. Counted from the schedule it is, as somebody feels it who came at that moment. The "
    "difference is the slip."
)


def cards(run: Run, summary: Summary, grey: Collection[tuple[str, str]]) -> None:
    """Rates and slip; nothing for a closed loop."""
    if run.plan.load.variable == "rate":
        draw_cards(pair("cards3_rates", 5, gap="xsmall"), _cards(run, summary, grey))


def moments(run: Run, summary: Summary, in_flight: Series) -> None:
    """Latencies from both moments, and what was in flight; nothing for a closed loop."""
    load = run.plan.load
    if load.variable != "rate":
        return
    left, right = pair("pair_rates", [1, 1.2], gap="medium")
    with left:
        st.markdown(f"**{say('From the send and from the schedule')}**", help=hint(say(OMISSION), "scheduled_ttft_s"))
        rows = _rows(summary)
        if rows:
            st.table(pd.DataFrame(rows), border="horizontal", hide_index=True)
        else:
            st.markdown(f":gray[{say('No request succeeded.')}]")
    with right:
        if in_flight.times_s:
            fig = in_flight_over_time(mode(), in_flight, slot=run.plan.configuration.slot, most=load.max_in_flight)
            plot(fig, "in_flight_over_time")
        else:
            section(say("In flight over time"))
            st.markdown(f":gray[{say('No request has ended.')}]")


def _cards(run: Run, summary: Summary, grey: Collection[tuple[str, str]]) -> list[Card]:
    load = run.plan.load
    slip = summary.distributions.get("slip_s")
    half, mean = seconds_alike(slip.p50, slip.mean) if slip else (MISSING, "")
    tail, most = seconds_alike(slip.p99, slip.max) if slip else (MISSING, "")
    nominal = say("the highest of its stages") if load.stages else load.arrivals_words()
    return [
        Card(title=say("Requests, nominal"), value=rate(load.rate), note=nominal, metric="offered_rate_per_s"),
        Card(title=say("Requests, offered"), value=rate(summary.throughput.get("offered_rate_per_s")),
             note=say("as the schedule was drawn"), metric="offered_rate_per_s"),
        Card(title=say("Requests, achieved"), value=rate(summary.throughput.get("achieved_rate_per_s")),
             note=say("sent"), metric="achieved_rate_per_s"),
        Card(title=say("Slip p50"), value=half, metric="slip_s",
             note=say("mean {slip}", slip=mean) if slip else ""),
        Card(title=say("Slip p99"), value=tail, metric="slip_s",
             note=say("at most {slip}", slip=most) if slip else "", weak=weak(grey, slip, "slip_s", "p99")),
    ]  # fmt: skip


def _rows(summary: Summary) -> list[dict[str, str]]:
    rows = []
    for sent, scheduled in FROM_BOTH:
        for name in SHOWN:
            values = [summary.statistic(metric, name) for metric in (sent, scheduled)]
            if any(value is not None for value in values):
                sent_words, scheduled_words = seconds_alike(*values)
                rows.append(
                    {
                        say("Latency"): f"{METRICS[sent].title} {name}",
                        say("From the send"): sent_words,
                        say("From the schedule"): f"**{scheduled_words}**",
                    }
                )
    return rows
