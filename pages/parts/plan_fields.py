"""The fields of a benchmark plan, as they stand: they survive page changes, and a loaded plan fills them in."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core import pasted, trace_shelf
from core.asked import AskedLoad
from core.estimate import interleaved
from core.plan import Configuration, Experiment, Limits, PlanError, RunPlan, Workload
from core.words import say
from pages.parts import plan_loads, plan_slo
from pages.parts.plan_state import key, put, renew, typed

MOST_SEED = 2**53 - 1  # a browser knows no larger whole number
LAUNCHED = "benchmark_launched"  # the next plan begins without the last one's name
START: dict[str, object] = {
    "input": 128,
    "output": 128,
    "exact": False,
    "nonce": True,  # no widget: only a loaded plan can do without
    "held": None,  # no widget: a saved workload that was taken, or one of a loaded plan that the fields cannot hold
    "stream": True,
    "temperature": 0.0,
    "seed": 0,
    "extra": "",
    "keep_text": True,
    **plan_loads.START,
    **plan_slo.START,
    "error_share": 90,
    "most_tokens": None,
    "name": "",
}


def prepare() -> None:
    """Give every field its first value, so that widgets need no value of their own."""
    if st.session_state.pop(LAUNCHED, False):
        renew(START)
        put("name", "")
    for name, value in START.items():
        st.session_state.setdefault(key(name), value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the fields ask for: values that refuse nonsense."""

    workload: Workload
    load: AskedLoad
    error_share: float
    most_tokens: int | None
    cooldown_s: float
    skip_saturated: bool

    def experiment(self, configurations: Sequence[Configuration]) -> Experiment:
        """One run for every configuration, level and repeat, or one a configuration to find them from.

        Its name is still empty. Raises PlanError.
        """
        capped = [
            replace(
                one,
                endpoint=replace(
                    one.endpoint,
                    limits=replace(
                        one.endpoint.limits, error_share=self.error_share, max_output_tokens=self.most_tokens
                    ),
                ),
            )
            for one in configurations
        ]
        load = self.load
        return Experiment(
            id=uuid.uuid4().hex[:12],
            name="",
            plans=interleaved(capped, self.workload, load.loads, repeats=load.repeats, slo=load.slo),
            search=load.search,
            sweep=load.sweep,
            cooldown_s=self.cooldown_s,
            skip_saturated=self.skip_saturated,
        )


def take(taken: Workload | None) -> None:
    """Ask for this workload instead of what the fields say; None goes back to the fields."""
    put("held", taken)


def held() -> Workload | None:
    """The workload that is taken as it is; None where the fields say what is asked."""
    found: Workload | None = typed("held")
    return found


def workload() -> Workload:
    """What is asked. Raises PlanError."""
    taken = held()
    if taken is not None:
        return replace(taken, keep_text=typed("keep_text"))
    return Workload(
        input_tokens=typed("input"),
        output_tokens=typed("output"),
        stream=typed("stream"),
        temperature=typed("temperature"),
        ignore_eos=typed("exact"),
        extra_body=pasted.extra_body(typed("extra")),
        nonce=typed("nonce"),
        seed=typed("seed") or 0,
        keep_text=typed("keep_text"),
    )


def asked() -> Asked:
    """The fields as values. Raises PlanError."""
    return Asked(
        workload=workload(),
        load=plan_loads.asked(),
        error_share=typed("error_share") / 100,
        most_tokens=typed("most_tokens"),
        cooldown_s=typed("cooldown"),
        skip_saturated=typed("skip_saturated") and typed("kind") == plan_loads.OPEN,
    )


def fill(experiment: Experiment, *, limits: Limits) -> str:
    """Put a loaded plan into the fields; one sentence on what they cannot hold of it, "" if they hold it all.

    `limits` are the plan's own; its endpoint may stand here with others.
    """
    asked_of = experiment.plans[0].workload
    renew(START)
    plan_loads.fill(experiment)
    values = {
        "input": asked_of.input_tokens,
        "output": asked_of.output_tokens,
        "exact": asked_of.ignore_eos,
        "nonce": asked_of.nonce,
        "stream": asked_of.stream,
        "temperature": asked_of.temperature,
        "seed": max(-MOST_SEED, min(MOST_SEED, asked_of.seed)),
        "extra": pasted.extra_text(asked_of.extra_body),
        "keep_text": asked_of.keep_text,
        "error_share": round(limits.error_share * 100),
        "most_tokens": limits.max_output_tokens,
    }
    for name, value in values.items():
        put(name, value)
    take(None)
    take(None if asked_of.saved_name is None and _is_typed(asked_of) else asked_of)
    trace = experiment.plans[0].load.trace
    if trace is not None and not trace_shelf.has(trace):
        return say("The rows of the trace {name} are not on this machine: upload it under Load.", name=trace.name)
    if _holds(experiment):
        return ""
    return say("The plan's runs differ in more than configuration and level: the fields hold those of its first run.")


def _is_typed(wanted: Workload) -> bool:
    """Whether the fields alone now ask for all of this workload."""
    try:
        return workload() == wanted
    except PlanError:
        return False


def _holds(experiment: Experiment) -> bool:
    """Whether the fields now ask for the very runs of this plan, in whichever order."""
    configurations = list({plan.configuration.id: plan.configuration for plan in experiment.plans}.values())
    try:
        found = asked().experiment(configurations)
    except PlanError:
        return False
    return (
        sorted(map(_told, found.plans)) == sorted(map(_told, experiment.plans))
        and (found.search, found.sweep) == (experiment.search, experiment.sweep)
        and (found.cooldown_s, found.skip_saturated) == (experiment.cooldown_s, experiment.skip_saturated)
    )


def _told(plan: RunPlan) -> str:
    return repr((plan.configuration.id, plan.workload, plan.load, plan.slo))
