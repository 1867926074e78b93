"""The order of an experiment's runs: which one comes next, from what the ones before showed. Pure; runs nothing."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.judging import Judged, judge, meets, unknown
from core.levels import between
from core.plan import Configuration, Experiment, RunPlan, Sweep
from core.run import Run, RunState, StoppedBy
from core.search import MOST_PROBES, Edge, Probe, Search, amount, edge, next_level, sentence, so_far
from core.summary import Summary
from core.words import ended, say

MOST_RUNS = 40  # of a search, whatever its range and its luck


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A run that has ended, and what it amounts to."""

    run: Run
    summary: Summary

    @property
    def level(self) -> float:
        """Requests in flight, or requests/s."""
        return self.run.plan.load.value


def following(experiment: Experiment, done: Sequence[Done]) -> RunPlan | None:
    """The plan of the next run; None once the experiment is complete. The same runs give the same answer."""
    if not experiment.is_adaptive:
        return _next_fixed(experiment, done)
    found = [
        (len(its), place, level)
        for place, template in enumerate(experiment.plans)
        for its in [[one for one in done if one.run.plan.configuration.id == template.configuration.id]]
        if (level := _next_level(experiment, its)) is not None
    ]
    if not found:
        return None
    _, place, level = min(found)  # in turns, so that drift of the machine hits all alike
    return at_level(experiment.plans[place], level)


def expected_runs(experiment: Experiment) -> int:
    """How many runs there will be, at most."""
    if experiment.search is not None:
        return MOST_PROBES * len(experiment.plans)
    if experiment.sweep is not None:
        return (experiment.sweep.between + 2) * len(experiment.plans)
    return len(experiment.plans)


def at_level(plan: RunPlan, level: float) -> RunPlan:
    """The plan with another level; its stages, which led to the old one, are left out."""
    load = plan.load
    if load.variable == "rate":
        return replace(plan, load=replace(load, rate=level, stages=()))
    return replace(plan, load=replace(load, concurrency=round(level), stages=()))


def probes(experiment: Experiment, done: Sequence[Done]) -> tuple[Probe, ...]:
    """What the runs of one configuration say about the search's SLO. One that too many errors stopped keeps none.

    One that was cancelled, that Paceline could not make, or that lacks the limited number says nothing about its level.
    """
    return tuple(Probe(level=one.level, met=_met(one, experiment)) for one in done if _tells(one, experiment))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One probe of a search, with the numbers that its SLO limits."""

    run_id: str
    level: float
    met: bool
    judged: tuple[Judged, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What a search knows of one configuration.

    Attributes:
        cut_short: Why it ended before its end, in a sentence; "" if it did not.
    """

    search: Search
    configuration: Configuration
    tried: tuple[Tried, ...]
    edge: Edge
    ended: bool
    cut_short: str = ""

    def sentence(self, slo: str = "") -> str:
        """What was found, or why nothing was and what is known so far; `slo` are other words for the limits."""
        if not self.cut_short:
            return sentence(self.search, self.edge, slo)
        return f"{self.cut_short} {so_far(self.search, self.edge, slo)}"


def searched(experiment: Experiment, done: Sequence[Done], *, over: bool = False) -> tuple[Searched, ...]:
    """The search so far, a configuration each in the experiment's order; empty if nothing is searched.

    `over`: no run will follow, whether or not the edge was found.
    """
    search = experiment.search
    if search is None:
        return ()
    found = []
    for plan in experiment.plans:
        its = [one for one in done if one.run.plan.configuration.id == plan.configuration.id]
        tried = tuple(
            Tried(run_id=one.run.id, level=one.level, met=_met(one, experiment), judged=judge(one.summary, search.slo))
            for one in its
            if _tells(one, experiment)
        )
        complete = _next_level(experiment, its) is None
        found.append(
            Searched(
                search=search,
                configuration=plan.configuration,
                tried=tried,
                edge=found_edge(experiment, its),
                ended=complete or over,
                cut_short=_cut_short(experiment, its)
                or (say("The search was cut short.") if over and not complete else ""),
            )
        )
    return tuple(found)


def found_edge(experiment: Experiment, done: Sequence[Done]) -> Edge:
    """The edge that the runs of one configuration have found so far."""
    return edge(probes(experiment, done))


def told(experiment: Experiment, done: Sequence[Done], plan: RunPlan) -> dict[str, Any]:
    """What a run keeps of its experiment: {"id", "name", "repeat", "position"}, both 0-based, and how it goes on.

    With its plan it is enough to lay out the experiment again from stored runs (core.recalled).
    """
    known: dict[str, Any] = {
        "id": experiment.id,
        "name": experiment.name,
        "repeat": sum(one.run.plan == plan for one in done),
        "position": len(done),
    }
    search = experiment.search
    if search is not None:
        known["search"] = asdict(search)
    if experiment.sweep is not None:
        known["sweep"] = asdict(experiment.sweep)
    if experiment.cooldown_s:
        known["cooldown_s"] = experiment.cooldown_s
    if experiment.skip_saturated:
        known["skip_saturated"] = True
    return known


def found(experiment: Experiment, done: Sequence[Done]) -> dict[str, Any] | None:
    """The `search` of the run file; None if nothing was searched. Of several configurations the first one's edge."""
    search = experiment.search
    if search is None or not done:
        return None
    its = [one for one in done if one.run.plan.configuration.id == done[0].run.plan.configuration.id]
    return {
        "variable": search.variable,
        "slo": [str(limit) for limit in search.slo.limits],
        "edge": found_edge(experiment, its).level,
        "probes": [one.run.id for one in its if _tells(one, experiment)],
    }


def _tells(one: Done, experiment: Experiment) -> bool:
    """Whether it says something about its level."""
    return _was_made(one) and not _unjudged(one, experiment)


def _was_made(one: Done) -> bool:
    return one.run.state is RunState.COMPLETED or one.run.stopped_by is StoppedBy.ERRORS


def _is_sound(one: Done) -> bool:
    return one.run.state is RunState.COMPLETED and one.run.stopped_by is not StoppedBy.SATURATION


def _unjudged(one: Done, experiment: Experiment) -> str:
    """Why a level cannot be judged that was measured; one that was too much is, whatever its numbers."""
    assert experiment.search is not None
    return unknown(one.summary, experiment.search.slo) if _is_sound(one) else ""


def _ended_by(experiment: Experiment, its: Sequence[Done]) -> Done | None:
    """The run after which a search cannot go on; a preflight that failed between runs is tried once more."""
    for place, one in enumerate(its):
        if _tells(one, experiment):
            continue
        asked = one.run.preflight
        in_vain = asked is not None and asked.failure_message is not None and not _was_made(one)
        if not (in_vain and place and _tells(its[place - 1], experiment)):
            return one
    return None


def _cut_short(experiment: Experiment, its: Sequence[Done]) -> str:
    """Why a search of one configuration ended before its end, in a sentence; "" if it did not."""
    last = _ended_by(experiment, its)
    if last is None:
        if _answers_nothing(its):
            message = its[0].run.message or say("no request was answered.")
            return say("The search ended, as its lowest level had no answer: {message}", message=ended(message))
        return ""
    if words := _unjudged(last, experiment):
        return words
    at = amount(last.run.plan.load.variable, last.level)
    if last.run.message is None:
        return say("The search was stopped at {level}.", level=at)
    return say("The search was cut short at {level}: {message}", level=at, message=ended(last.run.message))


def _answers_nothing(its: Sequence[Done]) -> bool:
    return bool(its) and not its[0].summary.counts.get("ok")


def _met(one: Done, experiment: Experiment) -> bool:
    assert experiment.search is not None
    return _is_sound(one) and meets(one.summary, experiment.search.slo)


def _next_level(experiment: Experiment, its: Sequence[Done]) -> float | None:
    if experiment.search is not None:
        if _ended_by(experiment, its) is not None or len(its) >= MOST_RUNS:
            return None  # cut short: what was found so far stands, and is called unfinished
        if _answers_nothing(its):
            return None  # at the lowest level: there is no edge to look for
        return next_level(experiment.search, probes(experiment, its))
    assert experiment.sweep is not None
    return _swept(experiment.sweep, its)


def _swept(sweep: Sweep, its: Sequence[Done]) -> float | None:
    if len(its) < 2:
        return (1, sweep.high)[len(its)]
    one, all_at_once = its[0].summary, its[1].summary
    levels = between(
        one.statistic("e2e_s", "p50"), all_at_once.throughput.get("requests_per_s"),
        high=sweep.high, count=sweep.between,
    )  # fmt: skip
    left = [level for level in levels if level not in {done.level for done in its}]
    return left[0] if left else None


def _next_fixed(experiment: Experiment, done: Sequence[Done]) -> RunPlan | None:
    left = iter(experiment.plans)
    for one in done:  # those that were left out were so before these, and are again
        while next(left) != one.run.plan:
            pass
    return next((plan for plan in left if not _is_left_out(experiment, plan, done)), None)


def _is_left_out(experiment: Experiment, plan: RunPlan, done: Sequence[Done]) -> bool:
    return experiment.skip_saturated and any(
        one.run.stopped_by is StoppedBy.SATURATION
        and one.run.plan.configuration.id == plan.configuration.id
        and one.level < plan.load.value
        for one in done
    )
