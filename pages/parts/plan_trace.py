"""A recorded load of a benchmark plan: its upload, what was understood of it, its speeds. Touches the fields only."""

from dataclasses import replace

import streamlit as st

from core import trace_reading, trace_shelf
from core.charts.replay import requests_over_time
from core.levels import read_speeds
from core.plan import PlanError
from core.quantities import number, span
from core.trace import Rows, Trace
from core.words import say
from pages.parts import look
from pages.parts.plan_state import KEPT, key, put, typed
from pages.parts.text import count, escape_markdown, quantity, short

START: dict[str, object] = {"trace": None, "trace_told": (), "trace_fault": "", "speeds": "1"}
KINDS = ["csv", "jsonl", "json", "txt"]
WANTED = (
    "CSV or JSON lines, a request each, with a timestamp, a prompt length and an answer length in tokens. The names of "
    "the mooncake and BurstGPT traces are understood; names like timestamp_ms and timestamp_s say what a time counts."
)


def upload() -> None:
    """The file, and what was understood of the last one."""
    st.file_uploader(
        say("Trace"),
        type=KINDS,
        max_upload_size=trace_reading.MOST_MB,
        key=key("trace_file"),
        on_change=_take,
        help=say(WANTED),
    )
    if typed("trace_fault"):
        look.problem(typed("trace_fault"))
    trace: Trace | None = typed("trace")
    if trace is not None:
        _preview(trace)


def speeds() -> None:
    """How fast it is replayed."""
    st.text_input(
        say("Speed"), key=key("speeds"), placeholder=say("1 or 1, 2, 4"), **KEPT,
        help=say("2 replays twice as fast: at twice the rate, in half the time. Several make a run each."),
    )  # fmt: skip


def traces() -> tuple[Trace, ...]:
    """The trace at each speed. Raises PlanError."""
    trace: Trace | None = typed("trace")
    if trace is None:
        raise PlanError(say("Upload the trace that shall be replayed."))
    if not trace_shelf.has(trace):
        raise PlanError(say("The rows of the trace {name} are not on this machine: upload it again.", name=trace.name))
    return tuple(replace(trace, speed=speed) for speed in read_speeds(typed("speeds")))


def fill(found: list[Trace]) -> None:
    """Put traces of a plan into the fields; they differ in their speeds."""
    for name, value in START.items():
        put(name, value)
    if found:
        put("trace", replace(found[0], speed=1.0))
        put("speeds", ", ".join(f"{speed:g}" for speed in sorted({trace.speed for trace in found})))


def _take() -> None:
    """Read what was uploaded, once; the one before stays if it is taken away or is no trace."""
    file = st.session_state[key("trace_file")]
    put("trace_fault", "")
    if file is None:
        return
    try:
        found = trace_reading.read(file.getvalue(), file.name)
        trace_shelf.keep(found.rows)
    except PlanError as fault:
        put("trace_fault", str(fault))
        return
    put("trace", found.rows.trace(found.name))
    put("trace_told", tuple(found.notes()))


def _preview(trace: Trace) -> None:
    rows = _rows(trace)
    with st.container(gap="xsmall"):
        st.markdown(f"**{escape_markdown(short(trace.name, 80))}**")
        if rows is not None:
            _numbers(trace, rows)
            look.plot(requests_over_time(look.mode(), rows), "benchmark_trace_drawn")
        for words in typed("trace_told"):
            st.markdown(f":gray[:small[{escape_markdown(words)}]]")


def _numbers(trace: Trace, rows: Rows) -> None:
    (prompt, longest_prompt), (answer, longest_answer) = _spread(trace.digest, rows)
    cards = (
        (say("Requests"), count(trace.rows), ""),
        (say("Lasts"), span(trace.span_s), say("at speed 1")),
        (say("Requests/s, mean"), number(trace.rate), say("at speed 1")),
        (say("Prompt p50"), say("{n} tok", n=quantity(prompt)),
         say("at most {n}", n=count(longest_prompt))),
        (say("Answer p50"), say("{n} tok", n=quantity(answer)),
         say("at most {n}", n=count(longest_answer))),
    )  # fmt: skip
    for place, (title, value, note) in zip(look.pair("cards3_trace", 5, gap="xsmall"), cards, strict=True):
        place.metric(title, value, help=note or None)


@st.cache_resource(max_entries=4, show_spinner=False)
def _kept(digest: str, _trace: Trace) -> Rows | None:
    """By its digest, as a redraw of the page must not read a large file again."""
    del digest
    return trace_shelf.find(_trace)


@st.cache_resource(max_entries=4, show_spinner=False)
def _spread(digest: str, _rows: Rows) -> tuple[tuple[float, int], tuple[float, int]]:
    del digest
    return _rows.spread()


def _rows(trace: Trace) -> Rows | None:
    rows = _kept(trace.digest, trace)
    if rows is None:
        _kept.clear(trace.digest, trace)  # it may be uploaded again
    return rows
