"""What a reader can set on a comparison, all of it bound to the link: baseline, load, percentile, metric, shape."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.comparison import Statistic
from core.lineup import Lineup
from core.metrics import METRICS
from core.words import say
from pages.parts import links
from pages.parts.compare_data import recent
from pages.parts.compare_words import chip_of, load_title, name_of
from pages.parts.look import empty_state, header, problem, section, zone
from pages.parts.measures import definition, definitions
from pages.parts.text import escape_markdown, plural, short, when
from storage.runs import RunRow

T = TypeVar("T")
Shape = Literal["box", "violin"]
SHAPES: tuple[Shape, ...] = ("box", "violin")
PERCENTILES: tuple[Statistic, ...] = ("p50", "p90", "p95", "p99")
NAMED = 6  # levels of runs that stand aside
METRIC_CHOICES = ("ttft_s", "tpot_s", "e2e_s", "gap_s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What the reader looks at: a load, how far into the tail, and which latency."""

    level: float
    percentile: Statistic
    metric: str


def contenders(line: Lineup) -> None:
    """The configurations with their colours, and the way to change the baseline."""
    with st.container(width="content", gap="xxsmall"):
        st.markdown(f":small[:gray[{say('Configurations')}]]")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            chips = [chip_of(c, say("baseline") if c is line.baseline else "") for c in line.contenders]
            st.markdown(" &emsp; ".join(chips), width="content")
            if len(line.contenders) > 1:
                _baseline_choice(line)


def _baseline_choice(line: Lineup) -> None:
    names = {contender.key: name_of(contender) for contender in line.contenders}
    with st.popover(say("change"), type="tertiary"):
        chosen = st.radio(
            say("Baseline: what the others are held against"),
            list(names),
            index=list(names).index(line.baseline.key),
            format_func=lambda key: escape_markdown(names[key]),
        )
        if chosen != line.baseline.key:
            st.query_params["baseline"] = chosen
            st.rerun()
        links.link(st.container(), "runs", say("Choose other runs"))


def looked_at(line: Lineup) -> Look:
    """What the reader looks at, in one row."""
    levels = [level for level in line.common_levels if level in line.baseline.cells] or line.levels
    with st.container(horizontal=True, vertical_alignment="bottom", width="content", gap="small"):
        level = levels[-1]
        if len(levels) > 1:
            _forget("at", levels)
            told = definition("offered_rate_per_s" if line.variable == "rate" else "mean_in_flight")
            level = _one_of("at", load_title(line), levels, levels[-1], "{:g}".format, told=told)
        metrics = _metrics(line)
        return Look(
            level=level,
            percentile=_one_of("pct", say("Percentile"), PERCENTILES, "p95", told=definition("percentile")),
            metric=_one_of("metric", say("Latency"), metrics, "ttft_s", _metric_title, told=definitions(metrics)),
        )


def other_kind(line: Lineup) -> None:
    """Which runs stand aside for their kind of load, and the way to them."""
    if not line.aside:
        return
    levels = sorted({entry.run.plan.load.value for entry in line.aside})
    told = ", ".join(f"{level:g}" for level in levels[:NAMED]) + (" …" if len(levels) > NAMED else "")
    words = say(
        "Drawn apart: {runs} at {levels} {unit}.",
        runs=plural(len(line.aside), "run", "runs"),
        levels=told,
        unit=say("requests in flight") if line.variable == "rate" else say("requests/s"),
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        problem(words, level="note")
        query = {key: st.query_params[key] for key in ("runs", "experiment") if key in st.query_params}
        st.button(
            say("Show these instead"),
            type="tertiary",
            on_click=links.turn,
            kwargs=query | {"baseline": line.aside[0].run.id},
        )


def _metrics(line: Lineup) -> tuple[str, ...]:
    """Open loops have a latency from the schedule, too."""
    found = (*METRIC_CHOICES, "scheduled_ttft_s") if line.variable == "rate" else METRIC_CHOICES
    _forget("metric", found)
    return found


def spread_of() -> tuple[str, Shape]:
    """What the boxes show, and whether they are boxes."""
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        metric = _one_of("spread", say("Spread of"), METRIC_CHOICES, "gap_s", _metric_title)
        return metric, _one_of("shape", say("Shape"), SHAPES, "box", say)


def _metric_title(metric: str) -> str:
    return METRICS[metric].title


def _one_of(
    key: str, label: str, options: Sequence[T], default: T, words: Callable[[T], str] = str, *, told: str = ""
) -> T:
    """A choice whose label stands over it, with its "?", or is for screen readers only where it needs none."""
    chosen: T = st.segmented_control(
        label,
        options,
        default=default,
        required=True,
        key=key,
        bind="query-params",
        format_func=words,
        help=told or None,
        label_visibility="visible" if told else "collapsed",
    )
    return chosen


def _forget(key: str, options: Sequence[object]) -> None:
    """A load or a latency of the last comparison may not exist in this one."""
    if key in st.session_state and st.session_state[key] not in options:
        del st.session_state[key]


def nothing_chosen(gone: list[str]) -> None:
    """No run is named: say so and offer the last experiments."""
    header(say("Compare"), say("Configurations side by side, one of them the baseline."))
    found = recent()
    words = say("Choose one of the last experiments, or tick two or more runs.")
    if gone:
        words = say("The runs of this link are gone: they were deleted. Choose others.")
    elif not found:
        words = say("Nothing to compare yet: it takes two configurations, measured at the same load.")
    row = empty_state(say("Choose what to compare"), words)
    _experiments(row, found)


def _experiments(row: DeltaGenerator, found: list[tuple[str, str, list[RunRow]]]) -> None:
    with row:
        if st.button(say("Choose runs"), type="primary", icon=":material/list_alt:"):
            links.go("runs")
    if found:
        section(say("Last experiments"), say("with two configurations or more, newest first"))
    for key, name, rows in found:
        line = st.container(horizontal=True, vertical_alignment="center", gap="small")
        label = escape_markdown(short(name, 60)) or say("Experiment")
        if line.button(label, icon=":material/compare_arrows:", key=f"experiment_{key}"):
            links.go("compare", experiment=key)
        told = f"{plural(len(rows), 'run', 'runs')} · {when(rows[0].started_at, zone())}"
        line.markdown(f":gray[:small[{told}]]", width="content")
