"""An experiment of every kind, for tests of what is written down and read back, and its runs without waiting."""

from dataclasses import replace
from datetime import timedelta

from core.course import Done, following, told
from core.estimate import interleaved
from core.levels import read_stages
from core.plan import Configuration, Endpoint, Experiment, Load, RunPlan, Slo, Sweep, Workload
from core.search import Search
from core.summary import summarise
from tests.core.example_runs import answered, run

A, B = (
    Configuration(id=name, label=name.upper(), model="m", slot=slot,
                  endpoint=Endpoint(name="lab", base_url="http://127.0.0.1:1/v1"))
    for slot, name in enumerate("ab")
)  # fmt: skip
TO_KEEP = Slo.read(["ttft_s.p95 < 0.1234567", "success_rate > 0.995"])
POISSON = Load(concurrency=None, rate=0.5, requests=9)
STAGED = Load(concurrency=None, rate=5.0, stages=read_stages("9s@1..5:exponential"), requests=None, duration_s=9.0)


def _of(loads, *, both=True, repeats=1, slo=None, **course):
    plans = interleaved([A, B] if both else [A], Workload(seed=7), loads, repeats=repeats, slo=slo)
    return Experiment(id="e", name="An experiment", plans=plans, **course)


EXPERIMENTS = {
    "levels in turns": _of([Load(concurrency=level, requests=9) for level in (1, 4)], repeats=3, cooldown_s=2.5),
    "a time a level": _of([Load(concurrency=4, requests=None, duration_s=12.5)]),
    "at random": _of([replace(POISSON, rate=rate) for rate in (0.5, 2.25)], slo=TO_KEEP, skip_saturated=True),
    "in bursts": _of(
        [replace(POISSON, burstiness=0.3, max_in_flight=4, stop_when_saturated=True)], repeats=2
    ),
    "evenly": _of([replace(POISSON, constant=True)]),
    "stages": _of([STAGED], both=False),
    "levels found": _of([Load(requests=9)], sweep=Sweep(high=32, between=3), cooldown_s=1.0, slo=TO_KEEP),
    "a search": _of(
        [Load(requests=9)], slo=TO_KEEP, search=Search(variable="concurrency", low=1, high=64, slo=TO_KEEP)
    ),
    "a search of a rate": _of(
        [replace(POISSON, burstiness=0.5)], both=False, slo=TO_KEEP, cooldown_s=3.0,
        search=Search(variable="rate", low=0.5, high=40.0, slo=TO_KEEP),
    ),
}  # fmt: skip


def same(found: Experiment, wanted: Experiment) -> bool:
    """Whether they ask for the same, whatever they are called."""
    return replace(found, id="", name="") == replace(wanted, id="", name="")


def made(experiment: Experiment, *, edge: float = 9, ttft_s: float = 0.05, most: int = 60) -> list[Done]:
    """Its runs as they are stored, a minute each: up to `edge` first tokens come early, above it late."""
    done: list[Done] = []
    while len(done) < most and (plan := following(experiment, done)) is not None:
        done.append(_measured(experiment, done, plan, ttft_s if plan.load.value <= edge else 1.0))
    return done


def _measured(experiment: Experiment, done: list[Done], plan: RunPlan, first_s: float) -> Done:
    records = [answered(place, sent=place * 2.0, first=first_s) for place in range(9)]
    plain = run(records, of=plan, id=f"r{len(done)}", experiment=told(experiment, done, plan))
    began = plain.started_at + timedelta(minutes=len(done))
    found = replace(plain, started_at=began, ended_at=began + timedelta(seconds=40))
    return Done(run=found, summary=summarise(found.requests, plan.slo))
