"""What is running, what was learned last, and the next step."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.words import say
from pages.parts import builtin_start, calibrating, calibration_view, last_verdict, links, look, recent_runs, state
from pages.parts import running_block as running
from pages.parts.text import ago_now

SHOWN_RUNS = 6


def steps() -> None:
    """Three steps for a newcomer."""
    name, benchmark, read = look.pair("pair_steps", 3, gap="medium")
    step(name, 1, say("Name an endpoint"), say("Paste a base URL; the probe tells you what answers."))
    links.link(name, "endpoints", say("Endpoints"))
    step(benchmark, 2, say("Benchmark two configurations"), say("Same workload, same load, interleaved."))
    links.link(benchmark, "benchmark", say("Benchmark"))
    step(read, 3, say("Read the verdict"), say("With its interval, then share the link."))
    links.link(read, "compare", say("Compare"))


def step(place: DeltaGenerator, number: int, title: str, words: str) -> None:
    """One of them."""
    place.markdown(f"**{number} &ensp;{title}**  \n:gray[{words}]")


def machine() -> None:
    """What this machine can measure."""
    look.overline(say("THIS MACHINE CAN MEASURE"))
    under_way = calibration_view.going()
    last = calibrating.last()
    if under_way or last is None:
        calibration_view.body(under_way)
        calibration_view.button(st.container(), under_way, label=say("Calibrate"))
        return
    places = st.columns(2)
    calibration_view.numbers(last.found, (places[0], places[1]))
    cores = last.found.environment.get("cores")
    on = say(" on {n} cores", n=cores) if cores else ""
    st.markdown(f":gray[{say('Calibrated')} {ago_now(last.at)}{on}.]")
    if last.found.doubt:
        look.problem(last.found.doubt, level="act")
        calibration_view.button(st.container(), under_way, label=say("Calibrate again"))


def newcomer() -> None:
    """While there are no runs: what this is for, and the two ways to begin."""
    with look.empty_state(
        say("Which one is faster, for whom, and how sure is that?"),
        say("The built-in comparison answers it in three minutes for a small model on this machine,  \n"
            "with nothing to set up. Or name the endpoints that you want to know about."),
    ):  # fmt: skip
        builtin_start.button(st.container(width="content"), "overview_first", primary=True)
        if st.button(say("Name an endpoint"), icon=":material/dns:", key="overview_endpoints"):
            links.go("endpoints")


rows = state.services().runs.list_runs(limit=SHOWN_RUNS)
actions = look.header(say("Overview"), say("What is running, what you learned last, and the next step."))
if rows:
    builtin_start.button(actions, "overview_builtin")
if actions.button(
    say("New benchmark"), type="primary" if rows else "secondary", icon=":material/add:", key="overview_new"
):
    links.go("benchmark")
running.show()
if not rows:
    newcomer()
    with st.container(border=True):
        steps()
left, right = look.pair("pair_top", [1.45, 1], gap="small") if rows else (None, st.container())
if left is not None:
    with left.container(border=True, gap="xsmall", height="stretch"):
        last_verdict.show()
with right.container(border=True, gap="small", height="stretch" if rows else "content"):
    machine()
if rows:
    look.section(say("Recent runs"), say("newest first"))
    recent_runs.show(rows)
    with st.expander(say("First time here? Three steps")):
        steps()
