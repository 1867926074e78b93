"""The experiment behind stored runs, from what each of them keeps of it. Reads no store and measures nothing.

Runs may come from somebody else's file: what does not fit together is left out, and the runs are plain ones.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from core.course import Done, Searched, at_level, found, searched
from core.plan import Experiment, PlanError, RunPlan, read_experiment
from core.run import Run

AGAIN = "again"  # its id: it is another launch


def recalled(runs: Sequence[Run], experiment_id: str = AGAIN) -> Experiment:
    """What was asked for, as far as these runs tell it; at least one. Of a search or a sweep its first level."""
    ordered = sorted(runs, key=lambda run: run.started_at)
    told = ordered[0].experiment or {}
    plans = tuple(run.plan for run in ordered)
    name = told.get("name")
    plain = {"name": name if isinstance(name, str) else None}
    course = {key: told.get(key) for key in ("cooldown_s", "skip_saturated")}
    for beside in (plain | course | _finding(told, plans[0]), plain):
        try:
            return _experiment(beside, plans, experiment_id)
        except PlanError:
            continue
    return Experiment(id=experiment_id, name=plans[0].configuration.label, plans=plans)


def searched_before(done: Sequence[Done]) -> tuple[Searched, ...]:
    """The search that these runs made, which is over; empty if they made none, or do not all belong to one."""
    ordered = _of_one_search(done)
    return searched(recalled([one.run for one in ordered]), ordered, over=True) if ordered else ()


def found_before(done: Sequence[Done]) -> dict[str, Any] | None:
    """The `search` of the run file; None if these runs made none."""
    ordered = _of_one_search(done)
    return found(recalled([one.run for one in ordered]), ordered) if ordered else None


def _of_one_search(done: Sequence[Done]) -> list[Done]:
    told = [one.run.experiment or {} for one in done]
    if not all(one.get("search") and one.get("id") == told[0].get("id") for one in told):
        return []
    return sorted(done, key=lambda one: one.run.started_at)


def _finding(told: dict[str, Any], first: RunPlan) -> dict[str, Any]:
    """How the levels were found, as a plan file has it; nothing if they were given."""
    search = told.get("search")
    if not isinstance(search, dict):
        return {"sweep": told.get("sweep")}
    slo = search.get("slo") or (first.slo and asdict(first.slo))  # older runs keep it in their plan only
    return {"search": search | {"slo": slo}} if slo else {}


def _experiment(beside: dict[str, Any], plans: tuple[RunPlan, ...], experiment_id: str) -> Experiment:
    if not (beside.get("search") or beside.get("sweep")):
        return read_experiment(beside, plans, experiment_id=experiment_id)
    firsts: dict[str, RunPlan] = {}
    for plan in plans:
        firsts.setdefault(plan.configuration.id, plan)
    asked = read_experiment(beside, tuple(firsts.values()), experiment_id=experiment_id)
    lowest = asked.search.low if asked.search is not None else 1
    return replace(asked, plans=tuple(at_level(plan, lowest) for plan in asked.plans))
