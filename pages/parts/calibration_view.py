"""What this machine can measure: the card, the button, and the progress while it is found out."""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.calibration import Calibration
from core.calibration_result import LASTS
from core.quantities import number, seconds
from core.words import say
from pages.parts import calibrating, following, look
from pages.parts.calibrating import Last
from pages.parts.look import CROSS, TICK
from pages.parts.measures import definitions, hint, sentence
from pages.parts.text import ago_now, escape_markdown, rate


def going() -> bool:
    """Whether one is under way: asked once a drawing, so that the button and the progress tell the same."""
    job = calibrating.job()
    return job is not None and job.running


def button(place: DeltaGenerator, under_way: bool, *, label: str | None = None) -> None:
    """Starts a calibration."""
    pressed = place.button(
        label or say("Calibrate this machine"),
        icon=":material/straighten:",
        key="calibrate",
        disabled=under_way,
        help=say(
            "Takes {lasts}, against a local server with exactly known times. No endpoint of yours is asked.",
            lasts=LASTS,
        ),
    )
    if pressed:
        calibrating.start()
        st.rerun()


def show(under_way: bool) -> None:
    """The whole block on the page of endpoints: progress, or the last result."""
    if calibrating.job() is None and calibrating.last() is None:
        return
    look.section(say("This machine"), say("what it can measure, and how well"))
    with st.container(border=True, gap="small"):
        body(under_way)


def body(under_way: bool) -> None:
    """Progress while one goes on, else the last result; draws itself again while it goes on."""
    following.follow(under_way, lambda: not going(), _state)


def _state() -> None:
    job = calibrating.job()
    if job is not None and job.running:
        st.markdown(f"{look.RUNNING} :shimmer[{say('Calibrating')}] &ensp; :gray[{escape_markdown(job.stage)}]")
        st.progress(min(1.0, max(0.0, job.share)))
        return
    if job is not None and job.message:
        look.problem(job.message)
    last = calibrating.last()
    if last is not None:
        _result(last)
    elif job is None:
        st.markdown(f":gray[{say('Not calibrated yet: how many tokens/s it keeps, and with what error, is unknown.')}]")


def _result(last: Last) -> None:
    found, best = last.found, last.found.best
    cards = look.pair("cards4_calibration", 4, gap="small")
    numbers(found, (cards[0], cards[1]))
    error, lag = best.span_error_p99_s if best else None, found.loop_lag_p99_s
    cards[2].metric(
        say("Decode error p99"),
        seconds(error),
        help=hint(say("Time from first to last token, reported minus true."), "prefill_s"),
    )
    cards[3].metric(
        say("Client lag p99"),
        seconds(lag),
        help=hint(say("How late the load generator's own loop was."), "loop_lag_p99_s"),
    )
    st.markdown(escape_markdown(found.verdict))
    if found.doubt:
        look.problem(found.doubt, level="act")
    st.markdown(f":gray[{say('Calibrated')} {ago_now(last.at)}.]")
    with st.expander(say("Every level"), type="compact"):
        sentence(say("What the columns are"), help_text=_columns())
        st.table(levels(found), border="horizontal", hide_index=True)


def _columns() -> str:
    lines = (
        (say("Streams"), say("requests in flight at all times")),
        (say("Offered"), say("the tokens/s of so many streams at the pace of the server")),
        (say("Kept"), say("the tokens/s that were measured")),
        (say("TTFT error"), say("time to first token, reported minus true")),
        (say("Decode error"), say("time from first to last token, reported minus true")),
        (say("Client lag"), say("how late the load generator's own loop was")),
        (say("Priority"), say("of the measuring process, as the system permitted")),
        (say("Good enough"), say("whether all of it is within what a benchmark may rest on")),
    )
    told = "\n".join(f"- **{name}**: {words}" for name, words in lines)
    return f"{told}\n\n{definitions(('ttft_s', 'loop_lag_p99_s'))}"


def levels(found: Calibration) -> pd.DataFrame:
    """One row a level of load."""
    return pd.DataFrame(
        {
            say("Streams"): [row.streams for row in found.levels],
            say("Offered, tok/s"): [number(row.offered_tokens_per_s) for row in found.levels],
            say("Kept, tok/s"): [number(row.kept_tokens_per_s) for row in found.levels],
            say("TTFT error p50"): [seconds(row.ttft_error_p50_s) for row in found.levels],
            say("TTFT error p99"): [seconds(row.ttft_error_p99_s) for row in found.levels],
            say("Decode error p99"): [seconds(row.span_error_p99_s) for row in found.levels],
            say("Client lag p99"): [seconds(row.loop_lag_p99_s) for row in found.levels],
            say("Priority"): [row.priority for row in found.levels],
            say("Good enough"): [
                TICK if row.good else f"{CROSS} {escape_markdown('; '.join(row.misses))}" for row in found.levels
            ],
        }
    )


def numbers(found: Calibration, places: tuple[DeltaGenerator, DeltaGenerator]) -> None:
    """The two numbers that matter."""
    left, right = places
    best = found.best
    left.metric(
        say("Tokens kept"),
        rate(found.tokens_per_s),
        help=hint(
            say("The highest rate at which 90 % of the tokens of a paced server came in time and were stamped right."),
            "output_tokens_per_s",
        ),
    )
    right.metric(
        say("TTFT error p99"),
        seconds(best.ttft_error_p99_s if best else None),
        help=hint(say("Against a server with exactly known times, at that rate."), "ttft_s"),
    )
