"""The row of numbers over a live launch: progress, time left, what comes in now, how the client fares."""

from datetime import UTC, datetime, timedelta

import streamlit as st

from core.charts.live import trailing
from core.doubts.client import late_for_ttft
from core.fleet.live import ENDED_STATES, LiveExperiment, LiveRun
from core.run import RunState
from core.words import say
from pages.parts import look
from pages.parts.text import clock, count, escape_markdown, ms, number, percent, rate, when


def show(found: LiveExperiment) -> None:
    run = found.current or next((run for run in reversed(found.runs) if run.state in ENDED_STATES), found.runs[0])
    sent, failed = sum(one.sent for one in found.runs), sum(one.failed + one.empty for one in found.runs)
    running = found.state is RunState.RUNNING
    with st.container(border=True, gap="small"):
        st.progress(min(1.0, found.share))
        cards = look.pair("cards4_live", 7, gap="small")
        cells = [
            (say("Runs"), f"{found.finished_runs} / {len(found.runs)}", percent(found.share, digits=0), None, "off"),
            (say("Time left"), clock(found.eta_s) if running else "–", _done_at(found), None, "off"),
            (
                say("In flight"),
                f"{run.in_flight} / {run.plan.load.concurrency}" if running else "–",
                say("mean {n}", n=number(run.mean_in_flight)),
                None,
                "off",
            ),
            (
                say("Sent"),
                count(sent),
                say("{n} failed", n=count(failed)),
                say("Requests sent so far, and how many of them failed or came back empty."),
                "red" if failed else "green",
            ),
            (say("TTFT p50 now"), *_ttft_now(run, running)),
            (
                say("Output now"),
                rate(run.output_tokens_per_s if running else None),
                say("last 2 s"),
                say("Output tokens of all streams together. A chunk not yet counted by the server is one token here."),
                "off",
            ),
            (say("Client lag p99"), *_lag(run)),
        ]
        for place, (title, value, note, hint, tone) in zip(cards, cells, strict=True):
            place.metric(title, value, note, help=hint, delta_color=tone, delta_arrow="off")


def _ttft_now(run: LiveRun, running: bool) -> tuple[str, str, str, str]:
    recent = trailing(run.ttft_recent, 50, run.elapsed_s)
    value = recent[-1][1] if running and recent and recent[-1][0] == run.elapsed_s else None
    return ms(value), say("last 10 s"), say("First chunk of any channel minus sent."), "off"


def _lag(run: LiveRun) -> tuple[str, str, str, str]:
    hint = say(
        "How late the load generator's own loop was. Above 5 % of the TTFT median and 1 ms the run is marked "
        "client-limited."
    )
    lag = run.client.loop_lag_p99_s
    if lag is None:
        return "–", say("not known yet"), hint, "off"
    limited = late_for_ttft(lag, run.ttft_p50_s)
    return ms(lag), say("client-limited") if limited else say("healthy"), hint, "red" if limited else "green"


def _done_at(found: LiveExperiment) -> str:
    if found.ended_at:
        return say("ended {at}", at=when(found.ended_at, look.zone()))
    if found.eta_s is None:
        return escape_markdown(found.stage) or say("not known yet")
    return say("done {at}", at=when(datetime.now(UTC) + timedelta(seconds=found.eta_s), look.zone()).rpartition(" ")[2])
