"""What a launch will take: time, requests and tokens; of a search or a sweep the most it may take.

Arithmetic over plans and over what is known of their configurations. Asks nothing and measures nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil, log2
from typing import Protocol

from core.course import at_level
from core.levels import between
from core.plan import Configuration, Experiment, Load, RunPlan, Slo, Workload
from core.search import Probe, Search, next_level

BETWEEN_RUNS_S = 2.5  # preflight, opening connections, closing the run
EDGES = 12  # places where a search's edge is supposed to be, for the longest way to it
LEVEL_STEPS = 200  # of a level that changes, for its mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast one stream is expected to be.

    Attributes:
        known: Seen in a run or a probe; False where it is only assumed.
    """

    ttft_s: float = 0.5
    tpot_s: float = 0.03
    known: bool = False

    def request_s(self, output_tokens: float) -> float:
        """Expected duration of one request."""
        return self.ttft_s + max(0, output_tokens - 1) * self.tpot_s


class Observed(Protocol):
    """What an earlier run tells of a pace; a row of the table of runs is one."""

    @property
    def configuration_id(self) -> str: ...
    @property
    def concurrency(self) -> int | None: ...
    @property
    def rate(self) -> float | None: ...
    @property
    def ttft_p50_s(self) -> float | None: ...
    @property
    def tpot_p50_s(self) -> float | None: ...


def seen_pace(plan: RunPlan, earlier: Iterable[Observed], probed_ttft_s: float | None = None) -> Pace:
    """The pace of the earlier run of this configuration whose load is nearest; else of the probe, else assumed.

    Loads of the same kind come first. To the other kind the lightest is nearest: below saturation each request of an
    open loop is nearly alone, above it its waits tell how long was measured.
    """
    like = [run for run in earlier if run.configuration_id == plan.configuration.id and run.ttft_p50_s is not None]
    if like:
        nearest = min(like, key=lambda run: _distance(run, plan.load))
        tpot_s = nearest.tpot_p50_s if nearest.tpot_p50_s is not None else Pace().tpot_s
        return Pace(ttft_s=nearest.ttft_p50_s or 0.0, tpot_s=tpot_s, known=nearest.tpot_p50_s is not None)
    return Pace() if probed_ttft_s is None else Pace(ttft_s=probed_ttft_s)


def _distance(run: Observed, load: Load) -> tuple[bool, float]:
    level = run.rate if run.concurrency is None else float(run.concurrency)
    alike = (run.concurrency is None) == (load.concurrency is None)
    return not alike, abs(log2((level or 1.0) / load.value)) if alike else level or 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What all runs of a launch will take together.

    Attributes:
        peak_tokens_per_s: The most output tokens a second that any of the runs should bring.
        in_flight: The most requests that should be on their way at once; of open loops by Little's law.
        known: Whether every pace was seen before, rather than assumed.
    """

    time_s: float
    runs: int
    requests: int
    input_tokens: int
    output_tokens: int
    peak_tokens_per_s: float
    known: bool
    in_flight: int = 0


def interleaved(
    configurations: Sequence[Configuration],
    workload: Workload,
    loads: Sequence[Load],
    *,
    repeats: int = 1,
    slo: Slo | None = None,
) -> tuple[RunPlan, ...]:
    """Every configuration at every load, level by level, so that drift hits all alike.

    Repeats of a level go over the configurations there and back, A B C, C B A: what drifts evenly then adds as much to
    each of them.
    """
    return tuple(
        RunPlan(configuration=configuration, workload=workload, load=load, slo=slo)
        for load, repeat in product(loads, range(repeats))
        for configuration in (reversed(configurations) if repeat % 2 else configurations)
    )


def estimate(plans: Iterable[RunPlan], pace: Callable[[RunPlan], Pace]) -> Estimate:
    """Add up what the plans will take at the pace expected of each."""
    plans = tuple(plans)
    paces = [pace(plan) for plan in plans]
    requests = [_requests(plan, its) for plan, its in zip(plans, paces, strict=True)]
    return Estimate(
        time_s=sum(_time_s(plan, its) for plan, its in zip(plans, paces, strict=True)),
        runs=len(plans),
        requests=sum(requests),
        input_tokens=sum(round(n * plan.lengths[0]) for n, plan in zip(requests, plans, strict=True)),
        output_tokens=sum(round(n * plan.lengths[1]) for n, plan in zip(requests, plans, strict=True)),
        peak_tokens_per_s=max(
            (_requests_per_s(plan, its) * plan.lengths[1] for plan, its in zip(plans, paces, strict=True)),
            default=0.0,
        ),
        known=all(its.known for its in paces),
        in_flight=max((_in_flight(plan, its) for plan, its in zip(plans, paces, strict=True)), default=0),
    )


def _requests(plan: RunPlan, pace: Pace) -> int:
    load = plan.load
    if load.requests is not None:
        return load.requests + load.warmup_requests
    per_s = _requests_per_s(plan, pace) if load.concurrency is not None else _mean_level(load, load.duration_s or 0.0)
    sent = ceil(round((load.duration_s or 0.0) * per_s, 6))
    return (sent if load.trace is None else min(sent, load.trace.rows)) + load.warmup_requests


def _requests_per_s(plan: RunPlan, pace: Pace) -> float:
    """At the most: at the highest of its levels."""
    load = plan.load
    return load.value if load.concurrency is None else load.concurrency / pace.request_s(plan.lengths[1])


def _in_flight(plan: RunPlan, pace: Pace) -> int:
    """On average at the highest level: a rate times how long one request takes, capped as the load is."""
    load = plan.load
    if load.concurrency is not None:
        return load.concurrency
    return min(load.most_in_flight, ceil(round(load.value * pace.request_s(plan.lengths[1]), 6)))


def _mean_level(load: Load, seconds: float) -> float:
    """The mean of a level that changes, over its first seconds."""
    steps = [(place + 0.5) / LEVEL_STEPS for place in range(LEVEL_STEPS)]
    return sum(load.level_at(share * seconds) for share in steps) / LEVEL_STEPS


def _time_s(plan: RunPlan, pace: Pace) -> float:
    load, one = plan.load, pace.request_s(plan.lengths[1])
    warm = ceil(load.warmup_requests / (load.concurrency or 1)) * one
    if load.requests is None:
        measured = (load.duration_s or 0.0) + one
    elif load.concurrency is not None:
        measured = ceil(load.requests / load.concurrency) * one
    else:
        measured = _sending_s(load, load.requests) + one
    return warm + measured + BETWEEN_RUNS_S


def _sending_s(load: Load, requests: int) -> float:
    """Until so many requests were due."""
    if load.trace is not None:
        return (requests - 1) / load.value
    due, begin_s = 0.0, 0.0
    for stage in load.stages:
        its = (stage.start + stage.end) / 2 * stage.seconds
        if due + its >= requests:
            return begin_s + stage.seconds * (requests - due) / its
        due, begin_s = due + its, begin_s + stage.seconds
    return begin_s + (requests - due) / load.level_at(begin_s)


def at_most(experiment: Experiment, pace: Callable[[RunPlan], Pace]) -> tuple[tuple[RunPlan, ...], Estimate]:
    """The runs of the launch and what they take; of a search or a sweep those of the longest course it may take.

    With the rest between two runs.
    """
    plans, found = _at_most(experiment, pace)
    return plans, replace(found, time_s=found.time_s + max(0, found.runs - 1) * experiment.cooldown_s)


def _at_most(experiment: Experiment, pace: Callable[[RunPlan], Pace]) -> tuple[tuple[RunPlan, ...], Estimate]:
    if not experiment.is_adaptive:
        return experiment.plans, estimate(experiment.plans, pace)
    courses = [
        tuple(at_level(plan, level) for plan in experiment.plans for level in levels) for levels in _courses(experiment)
    ]
    found = [(plans, estimate(plans, pace)) for plans in courses]
    longest, its = max(found, key=lambda one: one[1].time_s)
    return longest, replace(
        its,
        runs=max(one.runs for _, one in found),
        requests=max(one.requests for _, one in found),
        input_tokens=max(one.input_tokens for _, one in found),
        output_tokens=max(one.output_tokens for _, one in found),
        peak_tokens_per_s=max(one.peak_tokens_per_s for _, one in found),
        in_flight=max(one.in_flight for _, one in found),
    )


def _courses(experiment: Experiment) -> Iterator[list[float]]:
    """The levels that one configuration may meet, wherever its edge is."""
    search, sweep = experiment.search, experiment.sweep
    if search is None:
        assert sweep is not None
        yield [1, sweep.high, *between(None, None, high=sweep.high, count=sweep.between)]
        return
    for place in range(EDGES + 1):
        yield _probed(search, search.low * (search.high / search.low) ** (place / EDGES))


def _probed(search: Search, edge: float) -> list[float]:
    probes: list[Probe] = []
    while (level := next_level(search, probes)) is not None:
        probes.append(Probe(level=level, met=level <= edge))
    return [probe.level for probe in probes]
