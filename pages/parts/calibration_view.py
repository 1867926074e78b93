"""What this machine can measure: the card, the button, and the progress while it is found out."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.calibration import Calibration
from core.words import say
from pages.parts import calibrating, dialog, look
from pages.parts.calibrating import Last
from pages.parts.text import ago_now, escape_markdown, ms, rate


def button(place: DeltaGenerator, *, label: str | None = None) -> None:
    """Starts a calibration."""
    job = calibrating.job()
    going = job is not None and job.running
    pressed = place.button(
        label or say("Calibrate this machine"),
        icon=":material/straighten:",
        key="calibrate",
        disabled=going,
        help=say("About a minute, against a local server with exactly known times. No endpoint of yours is asked."),
    )
    if pressed:
        calibrating.start()
        st.rerun()


def show() -> None:
    """The whole block on the page of endpoints: progress, or the last result."""
    if calibrating.job() is None and calibrating.last() is None:
        return
    look.section(say("This machine"), say("what it can measure, and how well"))
    with st.container(border=True, gap="small"):
        body()


def body() -> None:
    """Progress while one goes on, else the last result; draws itself again while it goes on."""
    job = calibrating.job()
    going = job is not None and job.running
    st.fragment(_again, run_every=1 if going else None)(going)


def _again(going: bool) -> None:
    job = calibrating.job()
    if job is not None and job.running:
        st.markdown(f"{look.RUNNING} :shimmer[{say('Calibrating')}] &ensp; :gray[{escape_markdown(job.stage)}]")
        st.progress(min(1.0, max(0.0, job.share)))
        return
    if going and not dialog.is_open():
        st.rerun(scope="app")
    if job is not None and job.message:
        look.problem(job.message)
    last = calibrating.last()
    if last is not None:
        _result(last)
    elif job is None:
        st.markdown(f":gray[{say('Not calibrated yet: how many tokens/s it keeps, and with what error, is unknown.')}]")


def _result(last: Last) -> None:
    numbers(last.found)
    st.markdown(f":gray[{say('Calibrated')} {ago_now(last.at)}.]")


def numbers(found: Calibration) -> None:
    """The two numbers that matter."""
    left, right = st.columns(2)
    left.metric(
        say("Tokens kept"),
        rate(found.tokens_per_s),
        help=say("Highest rate at which the tokens of a paced server were stamped in time."),
    )
    right.metric(
        say("TTFT error p99"),
        ms(found.ttft_error_p99_s),
        help=say("Against a server with exactly known times, at that rate."),
    )
