"""The fields of a benchmark plan, as they stand: they survive page changes, and a loaded plan fills them in."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core import pasted
from core.estimate import interleaved
from core.plan import Configuration, Load, RunPlan, Workload
from core.words import say
from pages.parts import fields

LEVELS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
BY_REQUESTS, BY_SECONDS = "requests", "seconds"
AVOID, MEASURE = "avoid", "measure"
LAUNCHED = "benchmark_launched"  # the next plan begins without the last one's name
START: dict[str, object] = {
    "input": 128,
    "output": 128,
    "exact": False,
    "prefix": AVOID,
    "stream": True,
    "temperature": 0.0,
    "extra": "",
    "keep_text": True,
    "end": BY_REQUESTS,
    "requests": 100,
    "seconds": 30.0,
    "warmup": 4,
    "repeats": 1,
    "levels": [1, 4, 16],
    "more_levels": "",
    "error_share": 90,
    "most_tokens": None,
    "name": "",
}


def key(name: str) -> str:
    """The key of a field's widget."""
    return f"benchmark_{name}"


def prepare() -> None:
    """Give every field its first value, so that widgets need no value of their own."""
    if st.session_state.pop(LAUNCHED, False):
        st.session_state[key("name")] = ""
    for name, value in START.items():
        st.session_state.setdefault(key(name), value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the fields ask for: values that refuse nonsense."""

    workload: Workload
    loads: tuple[Load, ...]
    repeats: int
    error_share: float
    most_tokens: int | None

    def plans(self, configurations: Sequence[Configuration]) -> tuple[RunPlan, ...]:
        """One run for every configuration, level and repeat. Raises PlanError."""
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
        return interleaved(capped, self.workload, self.loads, repeats=self.repeats)


def asked() -> Asked:
    """The fields as values. Raises PlanError."""
    typed = {name: st.session_state[key(name)] for name in START}
    by_requests = typed["end"] == BY_REQUESTS
    return Asked(
        workload=Workload(
            input_tokens=typed["input"],
            output_tokens=typed["output"],
            stream=typed["stream"],
            temperature=typed["temperature"],
            ignore_eos=typed["exact"],
            extra_body=pasted.extra_body(typed["extra"]),
            nonce=typed["prefix"] == AVOID,
            keep_text=typed["keep_text"],
        ),
        loads=tuple(
            Load(
                concurrency=level,
                requests=typed["requests"] if by_requests else None,
                duration_s=None if by_requests else typed["seconds"],
                warmup_requests=typed["warmup"],
            )
            for level in fields.levels(typed["levels"], typed["more_levels"])
        ),
        repeats=typed["repeats"],
        error_share=typed["error_share"] / 100,
        most_tokens=typed["most_tokens"],
    )


def fill(plans: Sequence[RunPlan]) -> str:
    """Put a loaded plan into the fields; one sentence on what they cannot hold of it, "" if they hold it all."""
    first = plans[0]
    workload, load, limits = first.workload, first.load, first.limits
    levels = sorted({plan.load.concurrency for plan in plans})
    pairs = Counter((plan.configuration.id, plan.load.concurrency) for plan in plans)
    values = {
        "input": workload.input_tokens,
        "output": workload.output_tokens,
        "exact": workload.ignore_eos,
        "prefix": AVOID if workload.nonce else MEASURE,
        "stream": workload.stream,
        "temperature": workload.temperature,
        "extra": pasted.extra_text(workload.extra_body),
        "keep_text": workload.keep_text,
        "end": BY_REQUESTS if load.requests is not None else BY_SECONDS,
        "requests": load.requests or START["requests"],
        "seconds": load.duration_s or START["seconds"],
        "warmup": load.warmup_requests,
        "repeats": max(pairs.values()),
        "levels": [level for level in levels if level in LEVELS],
        "more_levels": ", ".join(str(level) for level in levels if level not in LEVELS),
        "error_share": round(limits.error_share * 100),
        "most_tokens": limits.max_output_tokens,
    }
    for name, value in values.items():
        st.session_state[key(name)] = value
    like = [replace(load, concurrency=plan.load.concurrency) == plan.load for plan in plans]
    if all(like) and all(plan.workload == workload for plan in plans) and len(set(pairs.values())) == 1:
        return ""
    return say("The plan's runs differ in more than configuration and level: the fields hold those of its first run.")
