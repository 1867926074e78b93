"""What is running now, in one frame: a progress bar, six facts, the way to the live view. Any session sees the same."""

import streamlit as st

from core.fleet.live import LiveExperiment
from core.quantities import seconds, span
from core.run import RunState
from core.words import say
from pages.parts import links, live_doubts, live_line, live_names, look, state
from pages.parts.text import count, escape_markdown, plural

TICK_S = 2.0
SEPARATOR = " &ensp;·&ensp; "


def show() -> None:
    """Nothing while nothing runs; looks again by itself."""
    st.fragment(_again, run_every=TICK_S)()


def _again() -> None:
    line = live_line.under_way(state.services().registry.live())
    known = "overview_running"
    if st.session_state.get(known) and not line:
        st.session_state[known] = False
        st.rerun(scope="app")  # it has ended: the verdict and the table below are other ones now
    st.session_state[known] = bool(line)
    if line:
        _frame(line[0], line[1:])


def _frame(one: LiveExperiment, then: list[LiveExperiment]) -> None:
    with st.container(border=True, gap="xsmall"):
        row = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
        name = f"**{live_names.title(one)}** &ensp;:gray[{live_names.subtitle(one)}]"
        row.markdown(f"{look.RUNNING} :shimmer[{say('Running')}] &ensp; {name}", width="content")
        links.link(row, "benchmark", say("Watch live"), view="live", experiment=one.id)
        st.progress(min(1.0, one.share))
        st.markdown(SEPARATOR.join(_facts(one)))
        if then:
            st.markdown(f":gray[{say('Then in line:')}] {live_line.named(then)}")


def _facts(one: LiveExperiment) -> list[str]:
    words = say("{n} of {all} runs")
    if one.expected_runs > len(one.runs):
        words = say("{n} of at most {all} runs")
    facts = [words.format(n=one.finished_runs, all=max(one.expected_runs, len(one.runs)))]
    fell = sum(run.state is RunState.FAILED for run in one.runs)
    if fell:
        facts.append(f":red[{plural(fell, 'run failed', 'runs failed')}]")
    last = live_names.finishing(one)
    if not last:
        facts.append(say("about {span} left", span=span(one.eta_s)) if one.eta_s else escape_markdown(one.stage))
    sent = sum(run.sent for run in one.runs)
    failed = sum(run.unanswered for run in one.runs)
    run = one.current
    if run is not None:
        facts.append(last or say("{n} in flight", n=count(run.in_flight)))
    facts.append(say("{n} of {all} without an answer", n=count(failed), all=plural(sent, "request", "requests")))
    if run is not None and run.client.loop_lag_p99_s is not None:
        health = live_doubts.health(run)
        word = say("client healthy") if health.tone == "green" else health.word
        badge = f":{health.tone}-badge[{word}]"
        facts.append(f"{say('client lag p99')} {seconds(run.client.loop_lag_p99_s)} &ensp;{badge}")
    return [fact for fact in facts if fact]
