"""The fields that say how it is asked, read into loads, a search or a sweep, and filled again. Draws nothing."""

from collections import Counter
from collections.abc import Sequence

from core.asked import AskedLoad, Manner
from core.levels import read_stages, short, written_stages
from core.load import Variable
from core.plan import Experiment, Load, PlanError, RunPlan, Slo, Sweep
from core.search import Search
from core.words import say
from pages.parts import fields, plan_restraint, plan_slo, plan_trace
from pages.parts.plan_state import put, typed

CLOSED, OPEN, STAGES, TRACE, SWEEP, SEARCH = KINDS = ("closed", "open", "stages", "trace", "sweep", "search")
GIVEN = (CLOSED, OPEN, STAGES, TRACE)  # kinds whose levels are known beforehand
BY_REQUESTS, BY_SECONDS, BY_STAGES, BY_TRACE = "requests", "seconds", "stages", "trace"
POISSON, CONSTANT, BURSTY = ARRIVALS = ("poisson", "constant", "bursty")
LEVELS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
START: dict[str, object] = {
    "kind": CLOSED,
    "levels": [1, 4, 16],
    "more_levels": "",
    "rates": "1, 2, 4",
    "arrivals": POISSON,
    "burstiness": 0.5,
    "max_in_flight": None,
    "stages": "30s@1, 60s@1..8, 30s@8",
    "sweep_high": 64,
    "sweep_between": 4,
    "variable": "concurrency",
    "low_concurrency": 1,
    "high_concurrency": 256,
    "low_rate": 0.5,
    "high_rate": 64.0,
    "end": BY_REQUESTS,
    "stages_end": BY_STAGES,
    "trace_end": BY_TRACE,
    "requests": 100,
    "seconds": 30.0,
    "warmup": 4,
    "repeats": 1,
    "cooldown": 0.0,
    "stop_when_saturated": False,
    "skip_saturated": False,
    **plan_trace.START,
    **plan_restraint.START,
}


def asked() -> AskedLoad:
    """The fields as values. Raises PlanError."""
    kind, slo = typed("kind"), plan_slo.slo()
    if kind == SEARCH:
        return _manner().searching(searched(slo))
    if kind == SWEEP:
        return _manner().sweeping(sweep(), slo)
    return AskedLoad(loads=loads(), slo=slo, repeats=typed("repeats"))


def loads() -> tuple[Load, ...]:
    """The loads whose levels are given. Raises PlanError."""
    kind = typed("kind")
    if kind == STAGES:
        end = typed("stages_end")
        return (_manner(end).along(read_stages(typed("stages")), to_their_end=end == BY_STAGES),)
    if kind == TRACE:
        end = typed("trace_end")
        return tuple(_manner(end).replaying(one, to_its_end=end == BY_TRACE) for one in plan_trace.traces())
    if kind == OPEN:
        return tuple(_manner().at("rate", level) for level in fields.rates(typed("rates")))
    levels = fields.levels(typed("levels"), typed("more_levels"))
    return tuple(_manner().at("concurrency", level) for level in levels)


def searched(slo: Slo | None) -> Search:
    """What is looked for. Raises PlanError."""
    if slo is None:
        raise PlanError(say("A search needs a limit to keep: choose at least one."))
    variable: Variable = typed("variable")
    low, high = typed(f"low_{variable}"), typed(f"high_{variable}")
    return Search(variable=variable, low=low or 0, high=high or 0, slo=slo)


def sweep() -> Sweep:
    """The levels to find. Raises PlanError."""
    return Sweep(high=typed("sweep_high") or 0, between=typed("sweep_between") or 0)


def _manner(end: str | None = None) -> Manner:
    by_requests = (end or typed("end")) == BY_REQUESTS
    arrivals = typed("arrivals")
    return Manner(
        requests=typed("requests") if by_requests else None,
        duration_s=None if by_requests else typed("seconds"),
        warmup_requests=typed("warmup"),
        burstiness=typed("burstiness") if arrivals == BURSTY else 1.0,
        constant=arrivals == CONSTANT,
        max_in_flight=typed("max_in_flight"),
        stop_when_saturated=typed("stop_when_saturated"),
        restraint=plan_restraint.restraint(),
    )


def fill(experiment: Experiment) -> None:
    """Put how an experiment is asked into the fields, as far as they can hold it."""
    plans = experiment.plans
    load = plans[0].load
    for name, value in START.items():
        put(name, value)
    plan_slo.fill(experiment.search.slo if experiment.search else plans[0].slo)
    put("kind", _kind(experiment))
    put("requests", load.requests or START["requests"])
    put("seconds", load.duration_s or START["seconds"])
    put("end", BY_REQUESTS if load.requests is not None else BY_SECONDS)
    put("warmup", load.warmup_requests)
    put("cooldown", float(experiment.cooldown_s))
    put("stop_when_saturated", load.stop_when_saturated)
    put("skip_saturated", experiment.skip_saturated)
    put("arrivals", CONSTANT if load.constant else POISSON if load.burstiness == 1 else BURSTY)
    put("burstiness", load.burstiness if load.burstiness != 1 else START["burstiness"])
    put("max_in_flight", load.max_in_flight)
    plan_restraint.fill(load.restraint)
    plan_trace.fill([plan.load.trace for plan in plans if plan.load.trace is not None])
    _fill_levels(experiment, load)
    _fill_finding(experiment)


def _kind(experiment: Experiment) -> str:
    load = experiment.plans[0].load
    if experiment.search is not None:
        return SEARCH
    if experiment.sweep is not None:
        return SWEEP
    if load.variable == "concurrency":
        return CLOSED
    if load.trace is not None:
        return TRACE
    return STAGES if load.stages else OPEN


def _fill_levels(experiment: Experiment, load: Load) -> None:
    if experiment.is_adaptive:
        return
    levels = sorted({plan.load.value for plan in experiment.plans if plan.load.variable == load.variable})
    put("repeats", max(_times(experiment.plans).values()))
    if load.trace is not None:
        whole = load.requests == load.trace.rows
        put("trace_end", BY_TRACE if whole else BY_SECONDS if load.requests is None else BY_REQUESTS)
    elif load.stages:
        put("stages", written_stages(load.stages))
        whole_s = sum(stage.seconds for stage in load.stages)
        by_time = BY_STAGES if load.duration_s == whole_s else BY_SECONDS
        put("stages_end", BY_REQUESTS if load.requests is not None else by_time)
    elif load.variable == "rate":
        put("rates", ", ".join(map(short, levels)))
    if load.variable == "concurrency":
        put("levels", [level for level in levels if level in LEVELS])
        put("more_levels", ", ".join(short(level) for level in levels if level not in LEVELS))


def _times(plans: Sequence[RunPlan]) -> Counter[tuple[str, float]]:
    return Counter((plan.configuration.id, plan.load.value) for plan in plans)


def _fill_finding(experiment: Experiment) -> None:
    search, found = experiment.search, experiment.sweep
    if search is not None:
        put("variable", search.variable)
        kind = int if search.variable == "concurrency" else float
        put(f"low_{search.variable}", kind(search.low))
        put(f"high_{search.variable}", kind(search.high))
    if found is not None:
        put("sweep_high", found.high)
        put("sweep_between", found.between)
