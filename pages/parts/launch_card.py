"""What a launch will take and what to look at before it, true while the fields change."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st

from core.estimate import Estimate, Pace, at_most, seen_pace
from core.launch_checks import Seen, checks
from core.load import level_words
from core.plan import Configuration, Experiment, PlanError, RunPlan
from core.probe import ProbeResult
from core.quantities import span
from core.words import say
from pages.parts import calibrating, links, live_line, look, plan_fields, probing, state
from pages.parts.plan_state import KEPT, key
from pages.parts.text import count, escape_markdown, plural, quantity, short

HISTORY = 300  # rows looked through for an earlier pace


def show(chosen: Sequence[Configuration]) -> Experiment | None:
    """The card; launches when its button is pressed. Returns what the fields ask for, None while they cannot."""
    wanted, fault = None, ""
    try:
        asked = plan_fields.asked()
        wanted = asked.experiment(chosen) if chosen else None
    except PlanError as problem:
        fault = str(problem)
    with st.container(border=True, gap="small"):
        st.markdown(f"**{say('Before you launch')}**")
        if wanted is not None:
            _forecast(wanted)
        elif fault:
            look.problem(fault, level="act")
        else:
            st.markdown(f":gray[{say('Tick or add a configuration: time, requests and tokens are told here.')}]")
        _launch(wanted)
        words = say("Runs on after you close the tab. One launch at a time on this machine; the next waits in line.")
        if before := len(live_line.under_way(state.services().registry.live())):
            ahead = plural(before, "launch", "launches")
            words = say("It waits in line behind {ahead}, and runs on after you close the tab.", ahead=ahead)
        st.markdown(f":gray[:small[{words}]]")
    return wanted


def _forecast(wanted: Experiment) -> None:
    services = state.services()
    earlier = [row for row in services.runs.list_runs(limit=HISTORY) if row.ok]
    probes = {plan.configuration.endpoint.name: probing.last(plan.configuration.endpoint) for plan in wanted.plans}

    def pace(plan: RunPlan) -> Pace:
        probe = probes[plan.configuration.endpoint.name]
        return seen_pace(plan, earlier, probe.first_token_s if probe else None)

    plans, expected = at_most(wanted, pace)
    _cards(wanted, expected)
    seen = [_seen(name, probe) for name, probe in probes.items() if not _built_in(plans, name)]
    calibration = calibrating.last()
    kept = calibration.found.tokens_per_s if calibration else None
    found = checks(plans, expected, seen=seen, kept_tokens_per_s=kept, now=datetime.now(UTC))
    lines = [
        f"{look.LEVEL_ICON[check.level]} {escape_markdown(check.what)}"
        + (f" :gray[{escape_markdown(check.do)}]" if check.do else "")
        for check in found
    ]
    st.markdown("  \n".join(lines))


def _seen(name: str, probe: ProbeResult | None) -> Seen:
    if probe is None:
        return Seen(name=name)
    whole = len(probe.models) == probe.models_total
    return Seen(name=name, at=probe.at, ready=probe.ok, what=probe.what, models=probe.models if whole else ())


def _built_in(plans: Sequence[RunPlan], name: str) -> bool:
    return any(plan.configuration.endpoint.name == name and plan.configuration.endpoint.demo for plan in plans)


def _cards(wanted: Experiment, expected: Estimate) -> None:
    known = say("From earlier runs of these configurations.")
    assumed = say("No earlier run tells the pace: 0.5 s to the first token and 33 tokens/s a stream are assumed.")
    configurations = len({plan.configuration.id for plan in wanted.plans})
    runs = say("{n} configurations, each level, each repeat.", n=configurations)
    if wanted.is_adaptive:
        runs = say("{n} configurations; how many levels each needs shows itself on the way.", n=configurations)
    tokens = say("At most, and {n} prompt tokens.", n=quantity(expected.input_tokens))
    cards = (
        (
            say("Time"),
            ("" if wanted.is_adaptive else "≈ ") + span(expected.time_s),
            known if expected.known else assumed,
        ),
        (say("Runs"), count(expected.runs), runs),
        (say("Requests"), count(expected.requests), say("Warm-up included.")),
        (say("Output"), say("{n} tok", n=quantity(expected.output_tokens)), tokens),
    )
    left, right = st.columns(2)
    for place, (title, value, told) in zip((left, right, left, right), cards, strict=True):
        place.metric(say("{what}, up to", what=title) if wanted.is_adaptive else title, value, help=told)


def _launch(wanted: Experiment | None) -> None:
    name = st.text_input(say("Name"), key=key("name"), placeholder=suggested(wanted), max_chars=120, **KEPT)
    pressed = st.button(
        say("Launch"),
        type="primary",
        icon=":material/play_arrow:",
        width="stretch",
        shortcut="Ctrl+Enter",
        key="benchmark_launch",
        disabled=wanted is None,
    )
    if not pressed or wanted is None:
        return
    try:
        launched = state.launch(replace(wanted, name=name.strip() or suggested(wanted)))
    except PlanError as fault:
        look.problem(str(fault))
        return
    st.session_state[plan_fields.LAUNCHED] = True
    links.go("benchmark", view="live", experiment=launched)


def suggested(wanted: Experiment | None) -> str:
    """A name for a launch that was given none."""
    if wanted is None:
        return say("a name")
    labels = list(dict.fromkeys(plan.configuration.label for plan in wanted.plans))
    most = max(wanted.plans, key=lambda plan: plan.load.value).load.words()
    shown = short(", ".join(labels[:3]) + (say(" and {n} more", n=len(labels) - 3) if len(labels) > 3 else ""), 90)
    if wanted.search is not None:
        return say("{labels}, search up to {level}", labels=shown,
                   level=level_words(wanted.search.variable, wanted.search.high))  # fmt: skip
    if wanted.sweep is not None:
        return say("{labels}, levels up to {level}", labels=shown, level=level_words("concurrency", wanted.sweep.high))
    return say("{labels}, up to {level}, {size}", labels=shown, level=most, size=_size(wanted.plans[0]))


def _size(plan: RunPlan) -> str:
    """How long each run is: a short launch and a long one are told apart by it."""
    asked = plan.load
    if asked.requests is not None:
        return plural(asked.requests, "request", "requests")
    return say("{n} s", n=f"{asked.duration_s or 0:g}")
