"""The row of numbers over a launch that goes on: progress, time left, what comes in now, how the client fares."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Literal

import streamlit as st

from core.charts.live import trailing
from core.fleet.live import LiveExperiment, LiveRun
from core.quantities import number, percent, seconds
from core.run import RunState
from core.words import say
from pages.parts import live_doubts, look
from pages.parts.live_names import finishing
from pages.parts.measures import hint
from pages.parts.text import MISSING, clock, count, escape_markdown, rate, when

MOST_IN_A_ROW = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One number with the small word under it."""

    title: str
    value: str
    note: str
    tone: Literal["off", "green", "orange", "red"] = "off"
    help: str | None = None


def show(found: LiveExperiment) -> None:
    """The bar and the numbers in one frame."""
    run = found.current or next((run for run in reversed(found.runs) if run.sent), found.runs[0])
    cells = [
        _runs(found),
        _time(found),
        _in_flight(run),
        _sent(found),
        *_now(run),
        *rates(run),
        _lag(run),
    ]
    with st.container(border=True, gap="small"):
        st.progress(min(1.0, found.share))
        draw(cells, "cards4_live")


def draw(cells: Sequence[Cell], key: str) -> None:
    """Numbers side by side, in two rows where one would cut their titles off."""
    rows = ceil(len(cells) / MOST_IN_A_ROW)
    wide = ceil(len(cells) / rows)
    for row in range(rows):
        places = look.pair(f"{key}_{row}", wide, gap="small")
        for place, cell in zip(places, cells[row * wide : (row + 1) * wide], strict=False):
            place.metric(cell.title, cell.value, cell.note, help=cell.help, delta_color=cell.tone, delta_arrow="off")


def _runs(found: LiveExperiment) -> Cell:
    fell = sum(run.state is RunState.FAILED for run in found.runs)
    done = finishing(found) or percent(found.share, digits=0)
    grows = found.expected_runs > len(found.runs)  # levels are found on the way
    return Cell(
        title=say("Runs"),
        value=count(found.finished_runs) if grows else f"{found.finished_runs} / {len(found.runs)}",
        note=say("{share}, {n} failed", share=done, n=count(fell))
        if fell
        else say("at most {n}", n=found.expected_runs)
        if grows
        else done,
        tone="red" if fell else "off",
    )


def _time(found: LiveExperiment) -> Cell:
    last = finishing(found)
    if found.eta_s is None or last:
        note = last or escape_markdown(found.stage) or say("not known yet")
        return Cell(title=say("Time left"), value=MISSING, note=note)
    done = datetime.now(UTC) + timedelta(seconds=found.eta_s)
    return Cell(title=say("Time left"), value=clock(found.eta_s), note=say("done {at}", at=hour(done)))


def hour(moment: datetime | None) -> str:
    """The time of day in the reader's zone."""
    return when(moment, look.zone()).rpartition(" ")[2]


def _in_flight(run: LiveRun) -> Cell:
    asked = run.plan.load.concurrency or run.plan.load.max_in_flight
    now = f"{run.in_flight}" + (f" / {asked}" if asked else "") if run.state is RunState.RUNNING else MISSING
    mean = say("not known yet") if run.mean_in_flight is None else say("mean {n}", n=number(run.mean_in_flight))
    return Cell(
        title=say("In flight"),
        value=now,
        note=mean,
        help=hint(
            say("Requests open at this moment, of those asked for; below it the mean over the run."), "mean_in_flight"
        ),
    )


def _sent(found: LiveExperiment) -> Cell:
    failed = sum(one.unanswered for one in found.runs)
    return Cell(
        title=say("Sent"),
        value=count(sum(one.sent for one in found.runs)),
        note=say("{n} without an answer", n=count(failed)),
        tone="red" if failed else "green",
        help=hint(say("Requests sent so far, and how many of them failed or came back empty."), "success_rate"),
    )


def _now(run: LiveRun) -> list[Cell]:
    running = run.state is RunState.RUNNING
    recent = trailing(run.ttft_recent, 50, run.elapsed_s) if running else []
    ttft = recent[-1][1] if recent and recent[-1][0] == run.elapsed_s else None
    return [
        Cell(
            title=say("TTFT p50 now"),
            value=seconds(ttft),
            note=say("last 10 s"),
            help=hint(
                say("First chunk of any channel minus sent, of the requests whose first token came in this time."),
                "ttft_s",
            ),
        ),
        Cell(
            title=say("Output tokens now"),
            value=rate(run.output_tokens_per_s if running else None),
            note=say("last 2 s") if run.output_tokens_per_s is not None or not run.ok else say("no token counts"),
            help=hint(
                say(
                    "Tokens of all streams together; a chunk whose tokens are not counted yet is taken at the mean of "
                    "those that are. Known once the server has counted the tokens of an answer."
                ),
                "output_tokens_per_s",
            ),
        ),
    ]


def rates(run: LiveRun) -> list[Cell]:
    """Of an open loop: what was sent against what the schedule wanted, and how late."""
    if run.plan.load.variable != "rate":
        return []
    return [
        Cell(
            title=say("Requests, achieved"),
            value=rate(run.achieved_rate_per_s),
            note=say("offered {rate}", rate=rate(run.offered_rate_per_s)),
            help=hint(
                say("Requests sent a second, of those that have ended, and the rate of their schedule."),
                "achieved_rate_per_s",
            ),
        ),
        Cell(
            title=say("Slip p99"),
            value=seconds(run.slip_p99_s),
            note=say("p50 {slip}", slip=seconds(run.slip_p50_s)),
            help=hint(say("How long requests were held back after they were due: sent minus scheduled."), "slip_s"),
        ),
    ]


def _lag(run: LiveRun) -> Cell:
    health = live_doubts.health(run)
    busy = run.client.machine_busy_share
    words = say(
        "How late the load generator's own loop was so far. Above 5 % of the TTFT median and 1 ms, or 1 % of the "
        "median decode span, the run is marked client-limited."
    )
    if busy is not None:
        words += " " + say(
            "This machine was {share} busy meanwhile, by whatever ran on it.", share=percent(busy, digits=0)
        )
    return Cell(
        title=say("Client lag p99"),
        value=seconds(run.client.loop_lag_p99_s),
        note=health.word,
        tone=health.tone,
        help=hint(words, "loop_lag_p99_s"),
    )
