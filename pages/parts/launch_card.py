"""What a launch will take and what to look at before it, true while the fields change."""

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from core.estimate import Estimate, Pace, Seen, checks, estimate, seen_pace
from core.plan import Configuration, Experiment, PlanError, RunPlan
from core.probe import ProbeResult
from core.words import say
from pages.parts import calibrating, links, live_line, look, plan_fields, probing, state
from pages.parts.text import count, escape_markdown, plural, quantity, short, span

HISTORY = 300  # rows looked through for an earlier pace


def show(chosen: Sequence[Configuration]) -> tuple[RunPlan, ...]:
    """The card; launches when its button is pressed. Returns the plans that the fields make, none while they cannot."""
    plans: tuple[RunPlan, ...] = ()
    fault = ""
    try:
        plans = plan_fields.asked().plans(chosen)
    except PlanError as problem:
        fault = str(problem)
    with st.container(border=True, gap="small"):
        st.markdown(f"**{say('Before you launch')}**")
        if plans:
            _forecast(plans)
        elif fault:
            look.problem(fault, level="act")
        else:
            st.markdown(f":gray[{say('Tick or add a configuration: time, requests and tokens are told here.')}]")
        _launch(plans)
        words = say("Runs on after you close the tab. One launch at a time on this machine; the next waits in line.")
        if before := len(live_line.under_way(state.services().registry.live())):
            ahead = plural(before, "launch", "launches")
            words = say("It waits in line behind {ahead}, and runs on after you close the tab.", ahead=ahead)
        st.markdown(f":gray[:small[{words}]]")
    return plans


def _forecast(plans: tuple[RunPlan, ...]) -> None:
    services = state.services()
    earlier = [row for row in services.runs.list_runs(limit=HISTORY) if row.ok]
    probes = {plan.configuration.endpoint.name: probing.last(plan.configuration.endpoint) for plan in plans}

    def pace(plan: RunPlan) -> Pace:
        probe = probes[plan.configuration.endpoint.name]
        return seen_pace(plan, earlier, probe.first_token_s if probe else None)

    expected = estimate(plans, pace)
    _cards(plans, expected)
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


def _cards(plans: Sequence[RunPlan], expected: Estimate) -> None:
    known = say("From earlier runs of these configurations.")
    assumed = say("No earlier run tells the pace: 0.5 s to the first token and 33 tokens/s a stream are assumed.")
    left, right = st.columns(2)
    left.metric(say("Time"), f"≈ {span(expected.time_s)}", help=known if expected.known else assumed)
    configurations = len({plan.configuration.id for plan in plans})
    right.metric(
        say("Runs"), count(expected.runs), help=say("{n} configurations, each level, each repeat.", n=configurations)
    )
    left.metric(say("Requests"), count(expected.requests), help=say("Warm-up included."))
    right.metric(
        say("Output"),
        say("{n} tok", n=quantity(expected.output_tokens)),
        help=say("At most, and {n} prompt tokens.", n=quantity(expected.input_tokens)),
    )


def _launch(plans: tuple[RunPlan, ...]) -> None:
    name = st.text_input(
        say("Name"), key=plan_fields.key("name"), placeholder=suggested(plans), max_chars=120, persist_state="session"
    )
    pressed = st.button(
        say("Launch"),
        type="primary",
        icon=":material/play_arrow:",
        width="stretch",
        shortcut="Ctrl+Enter",
        key="benchmark_launch",
        disabled=not plans,
    )
    if not pressed or not plans:
        return
    try:
        experiment = Experiment(id=uuid.uuid4().hex[:12], name=name.strip() or suggested(plans), plans=plans)
        launched = state.launch(experiment)
    except PlanError as fault:
        look.problem(str(fault))
        return
    st.session_state[plan_fields.LAUNCHED] = True
    links.go("benchmark", view="live", experiment=launched)


def suggested(plans: Sequence[RunPlan]) -> str:
    """A name for a launch that was given none."""
    labels = list(dict.fromkeys(plan.configuration.label for plan in plans))
    if not labels:
        return say("a name")
    most = max(plan.load.concurrency for plan in plans)
    shown = ", ".join(labels[:3]) + (say(" and {n} more", n=len(labels) - 3) if len(labels) > 3 else "")
    return say("{labels}, up to {n} in flight", labels=short(shown, 90), n=most)
