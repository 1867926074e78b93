"""Which part of a closed loop's run its numbers are of: the whole, or its steady state. Says so, and reads it once."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core import summary
from core.findings import Finding, greyed, of_part
from core.metrics import METRICS
from core.quantiles import Sample
from core.quantities import number
from core.run import ENDED_STATES, Run
from core.steady_window import Window, in_steady_state, sent_within, steady_window
from core.summary import Summary
from core.words import say
from pages.parts.measures import hint, sentence
from pages.parts.run_data import LATENCIES, Opened, findings_of
from pages.parts.state import services
from pages.parts.text import count


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The numbers of a run, or of a part of it.

    Attributes:
        window: The part, in seconds since the run's start; None is the whole run.
    """

    summary: Summary
    findings: Sequence[Finding]
    grey: frozenset[tuple[str, str]]
    samples: dict[str, Sample]
    window: Window | None = None


def whole(found: Opened) -> Part:
    """The numbers of all of the run."""
    return Part(summary=found.summary, findings=found.findings, grey=found.grey, samples=found.samples)


def switched(found: Opened) -> Part:
    """The switch where a run may have a steady state, and in words what it leaves out; what it asks for."""
    if not has_switch(found.run):
        return whole(found)
    names = [say("Whole run"), say("Steady state")]
    picked = st.segmented_control(
        say("Numbers of"), names, default=names[0], key="window", required=True, bind="query-params",
        label_visibility="collapsed", help=hint(METRICS["steady_state"].definition, "steady_state"),
    )  # fmt: skip
    if picked != names[1]:
        return whole(found)
    part = steady(found.run.id)
    _told(found, part)
    return part or whole(found)


def _told(found: Opened, part: Part | None) -> None:
    if part is not None and part.window is not None:
        begin_s, end_s = part.window
        counts = part.summary.counts
        sentence(
            say(
                "Steady state: from {begin} s to {end} s, while all {n} were in flight. Latencies are those of the "
                "{sent} of {all} requests sent in it; throughput counts the tokens that arrived in it.",
                begin=number(begin_s),
                end=number(end_s),
                n=count(found.run.plan.load.concurrency),
                sent=count(sum(counts.values()) - counts.get("warmup", 0)),
                all=count(found.requests),
            )
        )
    else:
        level = count(found.run.plan.load.concurrency)
        sentence(
            say("There is no steady state: {n} were never in flight at once. These are of the whole run.", n=level)
        )


def has_switch(run: Run) -> bool:
    """Whether it may have a steady state: an ended closed loop at one level."""
    return run.plan.load.variable == "concurrency" and not run.plan.load.stages and run.state in ENDED_STATES


@st.cache_resource(max_entries=8, show_spinner=False)
def steady(run_id: str) -> Part | None:
    """The steady state of an ended run; None if it never had one."""
    run = services().runs.run(run_id, texts=False)
    window = steady_window(run.requests, run.plan.load.concurrency or 0)
    if window is None:
        return None
    found = in_steady_state(run.requests, window, run.plan.slo)
    sent = sent_within(run.requests, window)
    samples = {
        key: Sample(points=sorted(summary.values(sent, key)), count=its.count)
        for key, its in found.distributions.items()
        if key in LATENCIES
    }
    told = of_part(findings_of(run_id), run, found)
    return Part(summary=found, findings=told, grey=frozenset(greyed(run, found)), samples=samples, window=window)
