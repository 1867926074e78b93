"""What makes several runs hard to hold against each other. Looks at plans and environments, never at who is faster."""

import re
from collections.abc import Callable, Iterator, Sequence

from core.doubts.claims import names_hardware
from core.doubts.client import limited
from core.doubts.evidence import Evidence, evidence
from core.doubts.finding import Finding, in_order
from core.quantities import number
from core.run import Run
from core.summary import Distribution, Summary
from core.words import say

SIMULATED = "simulated"
LENGTH_SHARE = 0.05
# How a model's name tells its form: what is left is the model itself.
FORM = re.compile(
    r"[-_. ]?(i?q[2-8](_[a-z0-9]+)*|int[48]|w\d+a\d+|fp?(4|8|16|32)|bf16|nvfp4|mxfp4|awq|gptq|gguf|ggml|mlx|exl2)"
    r"(?![a-z0-9])",
    re.IGNORECASE,
)


def bare_model(name: str) -> str:
    """The model behind a name, without folder and quantization: "org/Qwen2.5-7B-AWQ" is "qwen2.5-7b"."""
    return FORM.sub("", name.rsplit("/", 1)[-1]).strip("-_. :").lower() or name.lower()


def _hardware(run: Run) -> str | None:
    for name, value in run.plan.configuration.settings:
        if names_hardware(name) and value.strip():
            return value.strip()
    if run.plan.configuration.endpoint.demo and isinstance(run.environment.get("cpu"), str):
        return str(run.environment["cpu"])
    return None


def engine(run: Run) -> str | None:
    """The engine that the server told of, None if it told none."""
    server = run.environment.get("server")
    found = server.get("engine") if isinstance(server, dict) else None
    return found if isinstance(found, str) and found not in ("", "unknown") else None


def _groups(seen: Sequence[Evidence], told: Callable[[Evidence], str | None]) -> dict[str, list[str]]:
    # What each value is told for: value -> labels, in order of appearance.
    found: dict[str, list[str]] = {}
    for one in seen:
        value, label = told(one), one.run.plan.configuration.label
        if value is not None and label not in found.setdefault(value, []):
            found[value].append(label)
    return found


def _listed(groups: dict[str, list[str]]) -> str:
    return "; ".join(f"{value} ({', '.join(labels)})" for value, labels in groups.items())


def _planned_lengths(seen: Evidence) -> str:
    workload = seen.run.plan.workload
    return say("{input} → {output} tokens", input=f"{workload.input_tokens:,}", output=f"{workload.output_tokens:,}")


def _labels(seen: Sequence[Evidence]) -> str:
    return ", ".join(dict.fromkeys(one.run.plan.configuration.label for one in seen))


def _source_mismatches(seen: Sequence[Evidence]) -> Iterator[Finding]:
    simulated = [one for one in seen if one.run.plan.configuration.endpoint.demo == SIMULATED]
    if simulated and len(simulated) < len(seen):
        yield Finding(
            kind="simulated_and_real",
            level="stop",
            what=say("{labels}: simulated, the others are real.", labels=_labels(simulated)),
            why=say("A simulator sends at a pace it was told: no difference to it says anything."),
            do=say("Take the simulated runs out."),
        )
    late = [one for one in seen if {"ttft", "tpot"} & set(limited(one))]
    if late:
        yield Finding(
            kind="client_limited",
            level="stop",
            what=say("In {count} of {all} runs the load generator was late.", count=len(late), all=len(seen)),
            why=say("Some of their times are partly the client's own delay: {labels}.", labels=_labels(late)),
            do=say("Measure them again from a machine that does nothing else."),
        )


def _model_mismatches(seen: Sequence[Evidence]) -> Iterator[Finding]:
    real = [one for one in seen if one.run.plan.configuration.endpoint.demo != SIMULATED]  # a pace is no model
    models = _groups(real, lambda one: bare_model(one.run.plan.configuration.model))
    if len(models) > 1:
        yield Finding(
            kind="different_models",
            level="act",
            what=say("The models differ: {models}.", models=_listed(models)),
            why=say("A smaller model is faster by its size, whatever serves it."),
            do=say("Compare one model, or read this as a choice between models."),
        )
    hardware = _groups(seen, lambda one: _hardware(one.run))
    if len(hardware) > 1:
        yield Finding(
            kind="different_hardware",
            level="act",
            what=say("The hardware differs: {hardware}.", hardware=_listed(hardware)),
            why=say("A difference may be the machine's, not the configuration's."),
            do=say("Compare on one machine, or read it as a choice between machines."),
        )
    unknown = [one for one in seen if engine(one.run) is None and not one.run.plan.configuration.endpoint.demo]
    if unknown:
        yield Finding(
            kind="engine_unknown",
            level="note",
            what=say("The engine is not known: {labels}.", labels=_labels(unknown)),
            why=say("Its version and settings may explain a difference."),
            do=say("Write engine and version into the configuration's settings."),
        )


def _length_mismatches(seen: Sequence[Evidence]) -> Iterator[Finding]:
    planned = _groups(seen, _planned_lengths)
    if len(planned) > 1:
        yield Finding(
            kind="different_lengths",
            level="act",
            what=say("Different lengths were asked for: {lengths}.", lengths=_listed(planned)),
            why=say("A longer prompt raises TTFT, a longer answer E2E latency: that is not the server's doing."),
            do=say("Compare runs of one workload."),
        )
        return
    apart = {level: means for level, means in _answer_lengths(seen).items() if _differ(list(means.values()))}
    if apart:
        labels = {one.run.plan.configuration.id: one.run.plan.configuration.label for one in seen}
        told = " · ".join(
            say(
                "{means} at {level} in flight",
                means="; ".join(f"{number(mean)} ({labels[key]})" for key, mean in means.items()),
                level=f"{level:,}",
            )
            for level, means in sorted(apart.items())
        )
        yield Finding(
            kind="different_answers",
            level="act",
            what=say("The answers differ in length, tokens on average: {told}.", told=told),
            why=say("E2E latency and requests/s then compare different work."),
            do=say("Compare TTFT, TPOT and tokens/s, or demand an exact length (ignore_eos)."),
        )


def _answer_lengths(seen: Sequence[Evidence]) -> dict[int, dict[str, float]]:
    """Level -> configuration's id -> mean answer over its repeats, in tokens; load may shorten answers, so by level."""
    found: dict[int, dict[str, list[Distribution]]] = {}
    for one in seen:
        if spread := one.summary.distributions.get("output_tokens"):
            plan = one.run.plan
            found.setdefault(plan.load.concurrency, {}).setdefault(plan.configuration.id, []).append(spread)
    return {
        level: {
            key: sum(one.mean * one.count for one in spreads) / sum(one.count for one in spreads)
            for key, spreads in of_level.items()
        }
        for level, of_level in found.items()
    }


def _differ(means: Sequence[float]) -> bool:
    known = [mean for mean in means if mean]
    return bool(known) and max(known) > (1 + LENGTH_SHARE) * min(known)


def _load_mismatches(seen: Sequence[Evidence]) -> Iterator[Finding]:
    levels: dict[str, set[int]] = {}
    labels = {one.run.plan.configuration.id: one.run.plan.configuration.label for one in seen}
    for one in seen:
        levels.setdefault(one.run.plan.configuration.id, set()).add(one.run.plan.load.concurrency)
    if len(set(map(frozenset, levels.values()))) <= 1:
        return
    common = set.intersection(*levels.values())
    told = "; ".join(f"{labels[key]}: {', '.join(map(str, sorted(found)))}" for key, found in levels.items())
    yield Finding(
        kind="different_concurrency",
        level="note" if common else "act",
        what=say("Not measured at the same loads, in flight: {told}.", told=told),
        why=say("Latency grows with load, so only the common loads compare.")
        if common
        else say("Latency grows with load, so none of these compare."),
        do=say("Measure the missing loads."),
    )


def _way_mismatches(seen: Sequence[Evidence]) -> Iterator[Finding]:
    streams = _groups(seen, lambda one: say("streamed") if one.run.plan.workload.stream else say("not streamed"))
    if len(streams) > 1:
        yield Finding(
            kind="streamed_and_not",
            level="act",
            what=say("Some were streamed, some not: {told}.", told=_listed(streams)),
            why=say("Without a stream there is no TTFT and no TPOT, and E2E latency runs to the end of the body."),
            do=say("Compare throughput only."),
        )
    sources = _groups(seen, _token_source)
    if len(sources) > 1:
        yield Finding(
            kind="different_token_sources",
            level="note",
            what=say("Tokens were counted in different ways: {told}.", told=_listed(sources)),
            why=say("Two tokenizers count the same text differently."),
        )


def _token_source(seen: Evidence) -> str | None:
    return seen.summary.token_source and seen.summary.token_source.value


def mismatches(runs: Sequence[tuple[Run, Summary]]) -> list[Finding]:
    """What makes these runs hard to hold against each other, gravest first. Runs may be without their requests."""
    if len(runs) < 2:
        return []
    seen = [evidence(run, summary) for run, summary in runs]
    topics = (_source_mismatches, _model_mismatches, _length_mismatches, _load_mismatches, _way_mismatches)
    return in_order(finding for topic in topics for finding in topic(seen))
