"""What the last probe of one endpoint found: the outcome in a sentence, what to do next, and the checklist."""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.background import Job
from core.hosts import address, host_text
from core.key_file import example
from core.probe import Check, CheckState, ProbeResult, ProbeState
from core.words import say
from pages.parts.endpoint_table import Line
from pages.parts.look import CROSS, RUNNING, TICK
from pages.parts.text import code, count, escape_markdown, short, since

LONGEST_DETAIL = 90
MARKS = {
    CheckState.YES: TICK,
    CheckState.NO: CROSS,
    CheckState.DOUBT: ":orange[:material/warning:]",
}
ICONS = {
    ProbeState.READY: ":green[:material/check_circle:]",
    ProbeState.BUFFERED: ":orange[:material/warning:]",
    ProbeState.NOT_STREAMED: ":orange[:material/warning:]",
    ProbeState.BUSY: ":orange[:material/warning:]",
}


def outcome(line: Line, job: Job | None = None, fault: str = "") -> None:
    """What is wrong or right in one bold sentence, what was sent and answered, what comes next."""
    probe = line.probe
    if job is not None:
        host = host_text(*address(line.endpoint.base_url))
        where = escape_markdown(job.stage) if job.stage else code(host)
        st.markdown(f"{RUNNING} :shimmer[{say('Probing')}] &ensp; {where} &ensp; **{since(job.started_at)}**")
        return
    if fault:
        st.markdown(f":red[:material/error:] **{say('The probe could not be made.')}** {escape_markdown(fault)}")
        return
    if probe is None:
        _not_probed(line)
        return
    st.markdown(f"{ICONS.get(probe.state, ':red[:material/error:]')} **{escape_markdown(probe.what)}**")
    if probe.sent:
        st.markdown(escape_markdown(probe.sent))
    for note in probe.notes:
        st.markdown(f":gray[:material/info:] {escape_markdown(note)}")
    if probe.next_step:
        st.markdown(f":gray[{say('Next:')} {escape_markdown(probe.next_step)}]")
    if probe.state is ProbeState.KEY_MISSING and line.endpoint.key_name is None:
        st.code(example(host_text(*address(line.endpoint.base_url))), language="toml")


def _not_probed(line: Line) -> None:
    if line.endpoint.demo:
        st.markdown(f":gray[:material/deployed_code:] **{say('Built in: Paceline starts it for a run or a try.')}**")
        st.markdown(f":gray[{say('It needs no probe. The probe starts it once, and says what it found.')}]")
        return
    st.markdown(f":gray[:material/help:] **{say('Not probed yet.')}**")
    st.markdown(
        f":gray[{say('The probe asks for the models, the engine and one tiny answer, and says what it found.')}]"
    )


def checklist(probe: ProbeResult | None) -> None:
    """One row a check: tick, cross, or not tried."""
    if probe is None:
        st.markdown(f":gray[{say('The checklist of the probe appears here.')}]")
        return
    rows = [(escape_markdown(say(check.title)), found(check)) for check in probe.checks]
    rows += [(escape_markdown(name), fact(value)) for name, value in probe.details]
    if probe.max_model_len:
        rows.append((say("Context length"), say("{n} tokens", n=count(probe.max_model_len))))
    st.table(pd.DataFrame(rows, columns=["Check", "Found"]), border="horizontal", hide_index=True, hide_header=True)


def fact(value: str) -> str:
    """What the server says of its model: whole numbers with commas."""
    line = short(value, LONGEST_DETAIL)
    return count(int(line)) if line.isdecimal() and len(line) > 4 else escape_markdown(line)


def found(check: Check) -> str:
    """What a check saw, with its mark."""
    if check.state is CheckState.NOT_TRIED:
        return f":gray[{escape_markdown(check.detail or say('not tried'))}]"
    return f"{MARKS[check.state]} {escape_markdown(short(check.detail, LONGEST_DETAIL))}"


def models(probe: ProbeResult | None, place: DeltaGenerator) -> None:
    """The models it lists, folded."""
    if probe is None or not probe.models:
        return
    total = probe.models_total or len(probe.models)
    title = say("1 model") if total == 1 else say("{n} models", n=count(total))
    with place.expander(title, type="compact"):
        st.markdown("  \n".join(code(name) for name in probe.models[:50]))
        if total > 50:
            st.markdown(f":gray[{say('and {n} more', n=count(total - 50))}]")
