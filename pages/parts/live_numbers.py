"""The row of numbers over a live launch: progress, time left, what comes in now, how the client fares."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

import streamlit as st

from core.charts.live import trailing
from core.doubts.client import late_for_ttft
from core.fleet.live import ENDED_STATES, LiveExperiment, LiveRun
from core.run import RunState
from core.words import say
from pages.parts import look
from pages.parts.measures import hint
from pages.parts.text import MISSING, clock, count, escape_markdown, ms, number, percent, rate, when


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One number with the small word under it."""

    title: str
    value: str
    note: str
    tone: Literal["off", "green", "red"] = "off"
    help: str | None = None


def show(found: LiveExperiment) -> None:
    """The bar and seven numbers in one frame."""
    run = found.current or next((run for run in reversed(found.runs) if run.sent), found.runs[0])
    cells = [_runs(found), _time(found), _in_flight(found, run), _sent(found), *_now(found, run), _lag(run)]
    with st.container(border=True, gap="small"):
        st.progress(_share(found))
        for place, cell in zip(look.pair("cards4_live", len(cells), gap="small"), cells, strict=True):
            place.metric(cell.title, cell.value, cell.note, help=cell.help, delta_color=cell.tone, delta_arrow="off")


def _share(found: LiveExperiment) -> float:
    """How much is done; once it has ended, how much of it was completed."""
    if found.state in ENDED_STATES:
        return sum(run.state is RunState.COMPLETED for run in found.runs) / len(found.runs)
    return min(1.0, found.share)


def _runs(found: LiveExperiment) -> Cell:
    done = [run for run in found.runs if run.state is RunState.COMPLETED]
    ended = found.state in ENDED_STATES
    number_done = len(done) if ended else found.finished_runs
    note = say("completed") if ended else percent(found.share, digits=0)
    return Cell(title=say("Runs"), value=f"{number_done} / {len(found.runs)}", note=note)


def _time(found: LiveExperiment) -> Cell:
    zone = look.zone()
    if found.ended_at:
        took = (found.ended_at - (found.started_at or found.ended_at)).total_seconds()
        return Cell(title=say("Time taken"), value=clock(took), note=say("ended {at}", at=_hour(found.ended_at)))
    if found.eta_s is None:
        return Cell(title=say("Time left"), value=MISSING, note=escape_markdown(found.stage) or say("not known yet"))
    done = datetime.now(UTC).astimezone(zone) + timedelta(seconds=found.eta_s)
    return Cell(title=say("Time left"), value=clock(found.eta_s), note=say("done {at}", at=_hour(done)))


def _hour(moment: datetime) -> str:
    return when(moment, look.zone()).rpartition(" ")[2]


def _in_flight(found: LiveExperiment, run: LiveRun) -> Cell:
    now = f"{run.in_flight} / {run.plan.load.concurrency}" if found.state is RunState.RUNNING else MISSING
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
    failed = sum(one.failed + one.empty for one in found.runs)
    return Cell(
        title=say("Sent"),
        value=count(sum(one.sent for one in found.runs)),
        note=say("{n} failed", n=count(failed)),
        tone="red" if failed else "green",
        help=hint(say("Requests sent so far, and how many of them failed or came back empty."), "success_rate"),
    )


def _now(found: LiveExperiment, run: LiveRun) -> list[Cell]:
    running = found.state is RunState.RUNNING
    recent = trailing(run.ttft_recent, 50, run.elapsed_s) if running else []
    ttft = recent[-1][1] if recent and recent[-1][0] == run.elapsed_s else None
    return [
        Cell(
            title=say("TTFT p50 now"),
            value=ms(ttft),
            note=say("last 10 s"),
            help=hint(
                say("First chunk of any channel minus sent, of the requests whose first token came in this time."),
                "ttft_s",
            ),
        ),
        Cell(
            title=say("Output now"),
            value=rate(run.output_tokens_per_s if running else None),
            note=say("last 2 s"),
            help=hint(
                say("Tokens of all streams together; a chunk whose tokens are not counted yet is taken at the mean."),
                "output_tokens_per_s",
            ),
        ),
    ]


def _lag(run: LiveRun) -> Cell:
    lag = run.client.loop_lag_p99_s
    late = late_for_ttft(lag, run.ttft_p50_s)
    word = say("client-limited") if late else say("healthy")
    return Cell(
        title=say("Client lag p99"),
        value=ms(lag),
        note=say("not known yet") if lag is None else word,
        tone="off" if lag is None else "red" if late else "green",
        help=hint(
            say(
                "How late the load generator's own loop was. Above 5 % of the TTFT median and 1 ms the run is marked "
                "client-limited."
            ),
            "loop_lag_p99_s",
        ),
    )
