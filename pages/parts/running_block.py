"""What is running now, in one frame: a progress bar, six facts, the way to the live view. Any session sees the same."""

import streamlit as st

from core.doubts.client import late_for_ttft
from core.fleet.live import ENDED_STATES, LiveExperiment
from core.run import RunState
from core.words import say
from pages.parts import links, live_view, look, state
from pages.parts.text import count, escape_markdown, ms, plural, span

TICK_S = 2.0
SEPARATOR = " &ensp;·&ensp; "


def show() -> None:
    """Nothing while nothing runs; looks again by itself."""
    st.fragment(_again, run_every=TICK_S)()


def _again() -> None:
    live = [one for one in state.services().registry.live() if one.state not in ENDED_STATES]
    known = "overview_running"
    if st.session_state.get(known) and not live:
        st.session_state[known] = False
        st.rerun(scope="app")  # it has ended: the verdict and the table below are other ones now
    st.session_state[known] = bool(live)
    for one in live:
        _frame(one)


def _frame(one: LiveExperiment) -> None:
    with st.container(border=True, gap="xsmall"):
        row = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
        word = f":shimmer[{say('Running')}]" if one.state is RunState.RUNNING else f":gray[{say('In line')}]"
        name = f"{look.RUNNING} {word} &ensp; **{live_view.title(one)}** &ensp;:gray[{live_view.subtitle(one)}]"
        row.markdown(name, width="content")
        links.link(row, "benchmark", say("Watch live"), view="live", experiment=one.id)
        if one.state is RunState.RUNNING:
            st.progress(min(1.0, one.share))
            st.markdown(SEPARATOR.join(_facts(one)))


def _facts(one: LiveExperiment) -> list[str]:
    facts = [say("{n} of {all} runs", n=one.finished_runs, all=len(one.runs))]
    facts.append(say("about {span} left", span=span(one.eta_s)) if one.eta_s else escape_markdown(one.stage))
    sent = sum(run.sent for run in one.runs)
    failed = sum(run.failed + run.empty for run in one.runs)
    run = one.current
    if run is not None:
        facts.append(say("{n} in flight", n=count(run.in_flight)))
    facts.append(say("{n} failed of {all}", n=count(failed), all=plural(sent, "request", "requests")))
    lag = run.client.loop_lag_p99_s if run else None
    if run is not None and lag is not None:
        late = late_for_ttft(lag, run.ttft_p50_s)
        word = f":red-badge[{say('client-limited')}]" if late else f":green-badge[{say('client healthy')}]"
        facts.append(f"{say('client lag p99')} {ms(lag)} &ensp;{word}")
    return [fact for fact in facts if fact]
