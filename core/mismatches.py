"""What makes several runs hard to hold against each other. Looks at plans and environments, never at who is faster."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.doubts.claims import engine, names_hardware
from core.doubts.client import limited
from core.doubts.evidence import Evidence, evidence
from core.doubts.finding import Finding, Level, in_order
from core.endpoint import SIMULATED
from core.load_mismatches import answer_mismatches, kind_mismatches, level_mismatches, shorter_mismatches
from core.run import Run
from core.summary import Summary
from core.words import say
from core.workload_words import LANGUAGES, exact_lengths, stop_words, text_words

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


def _is_simulated(seen: Evidence) -> bool:
    return seen.run.plan.configuration.endpoint.demo == SIMULATED


def _is_late(seen: Evidence) -> bool:
    return bool({"ttft", "tpot"} & set(limited(seen)))


def _is_of_unknown_engine(seen: Evidence) -> bool:
    return engine(seen.run) is None and not seen.run.plan.configuration.endpoint.demo


def _model(seen: Evidence) -> str | None:
    return None if _is_simulated(seen) else bare_model(seen.run.plan.configuration.model)  # a pace is no model


def _planned_lengths(seen: Evidence) -> str:
    trace = seen.run.plan.load.trace
    if trace is None:
        return say("{lengths} tokens", lengths=exact_lengths(seen.run.plan.workload))
    asked, answer = trace.lengths
    words = say("{input} → {output} tokens", input=f"{asked:,.0f}", output=f"{answer:,.0f}")
    return f"{words}, {trace.at_any_speed}"


def _way(seen: Evidence) -> str:
    return say("streamed") if seen.run.plan.workload.stream else say("not streamed")


def _token_source(seen: Evidence) -> str | None:
    return seen.summary.token_source and seen.summary.token_source.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """Something that spoils a comparison when it is so of some runs.

    Attributes:
        is_so: Whether it is so of one run.
        alike: Whether runs that all have it may be held against each other.
        what, why: With {labels} of those that have it, {count} of them, {all} runs.
    """

    kind: str
    level: Level
    is_so: Callable[[Evidence], bool]
    what: str
    why: str
    do: str
    alike: bool = False

    def found(self, seen: Sequence[Evidence]) -> Iterator[Finding]:
        """It, if it is there."""
        those = [one for one in seen if self.is_so(one)]
        if not those or (self.alike and len(those) == len(seen)):
            return
        labels = ", ".join(dict.fromkeys(one.run.plan.configuration.label for one in those))
        told = {"labels": labels, "count": len(those), "all": len(seen)}
        what, why = say(self.what, **told), say(self.why, **told)
        yield Finding(kind=self.kind, level=self.level, what=what, why=why, do=say(self.do))


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """Something in which runs of one comparison are alike or not.

    Attributes:
        told: What one run says of it; None where it says nothing.
        what: With {values}, each with the labels of those that say it.
    """

    kind: str
    level: Level
    told: Callable[[Evidence], str | None]
    what: str
    why: str
    do: str = ""

    def found(self, seen: Sequence[Evidence]) -> Iterator[Finding]:
        """It, if the runs do not all say the same."""
        groups: dict[str, dict[str, None]] = {}
        for one in seen:
            if (value := self.told(one)) is not None:
                groups.setdefault(value, {})[one.run.plan.configuration.label] = None
        if len(groups) > 1:
            values = "; ".join(f"{value} ({', '.join(labels)})" for value, labels in groups.items())
            what = say(self.what, values=values)
            yield Finding(kind=self.kind, level=self.level, what=what, why=say(self.why), do=say(self.do))


FLAWS = (
    Flaw(
        kind="simulated_and_real",
        level="stop",
        is_so=_is_simulated,
        alike=True,
        what="{labels}: simulated, the others are real.",
        why="A simulator sends at a pace it was told: no difference to it says anything.",
        do="Take the simulated runs out.",
    ),
    Flaw(
        kind="client_limited",
        level="stop",
        is_so=_is_late,
        what="In {count} of {all} runs the load generator was late.",
        why="Some of their times are partly the client's own delay: {labels}.",
        do="Measure them again from a machine that does nothing else.",
    ),
    Flaw(
        kind="engine_unknown",
        level="note",
        is_so=_is_of_unknown_engine,
        what="The engine is not known: {labels}.",
        why="Its version and settings may explain a difference.",
        do="Write engine and version into the configuration's settings.",
    ),
)
LENGTHS = Topic(
    kind="different_lengths",
    level="act",
    told=_planned_lengths,
    what="Different lengths were asked for: {values}.",
    why="A longer prompt raises TTFT, a longer answer E2E latency: that is not the server's doing.",
    do="Compare runs of one workload.",
)
TOPICS = (
    Topic(
        kind="different_models",
        level="act",
        told=_model,
        what="The models differ: {values}.",
        why="A smaller model is faster by its size, whatever serves it.",
        do="Compare one model, or read this as a choice between models.",
    ),
    Topic(
        kind="different_hardware",
        level="act",
        told=lambda seen: _hardware(seen.run),
        what="The hardware differs: {values}.",
        why="A difference may be the machine's, not the configuration's.",
        do="Compare on one machine, or read it as a choice between machines.",
    ),
    LENGTHS,
    Topic(
        kind="different_languages",
        level="act",
        told=lambda seen: say(LANGUAGES[seen.run.plan.workload.language]),
        what="The prompts are of different kinds of text: {values}.",
        why="What a model writes, and how long, follows what it is asked; texts also share more or less in a cache.",
        do="Compare runs of one workload.",
    ),
    Topic(
        kind="different_system_prompts",
        level="act",
        told=lambda seen: text_words(seen.run.plan.workload.system_prompt),
        what="The system prompts differ: {values}.",
        why="One that all requests share is worked through once where a prefix cache keeps it, and answers follow it.",
        do="Compare runs of one workload.",
    ),
    Topic(
        kind="different_stops",
        level="act",
        told=lambda seen: stop_words(seen.run.plan.workload),
        what="Answers end at different texts: {values}.",
        why="An answer that ends sooner is less work: E2E latency and requests/s compare only with equal answers.",
        do="Compare TTFT, TPOT and tokens/s, or runs of one workload.",
    ),
    Topic(
        kind="streamed_and_not",
        level="act",
        told=_way,
        what="Some were streamed, some not: {values}.",
        why="Without a stream there is no TTFT and no TPOT, and E2E latency runs to the end of the body.",
        do="Compare throughput only.",
    ),
    Topic(
        kind="different_token_sources",
        level="note",
        told=_token_source,
        what="Tokens were counted in different ways: {values}.",
        why="Two tokenizers count the same text differently.",
    ),
)


def mismatches(runs: Sequence[tuple[Run, Summary]]) -> list[Finding]:
    """What makes these runs hard to hold against each other, gravest first. Runs may be without their requests."""
    if len(runs) < 2:
        return []
    seen = [evidence(run, summary) for run, summary in runs]
    found = [finding for one in (*FLAWS, *TOPICS) for finding in one.found(seen)]
    # Where different lengths were asked for, that is the finding.
    of_lengths = () if any(LENGTHS.found(seen)) else (*answer_mismatches(seen), *shorter_mismatches(seen))
    return in_order([*found, *of_lengths, *kind_mismatches(seen), *level_mismatches(seen)])
