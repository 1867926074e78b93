"""The way from a comparison to measuring it again: its plan in the fields, with more to ask where it was too little."""

from dataclasses import replace

from streamlit.delta_generator import DeltaGenerator

from core.comparison import FEWEST_PAIRS, Statistic
from core.enough import longer, shortfall
from core.lineup import Lineup
from core.load import Load
from core.plan import Experiment
from core.quantities import number
from core.recalled import recalled
from core.words import say
from pages.parts import links, plan_again
from pages.parts.text import count


def button(place: DeltaGenerator, line: Lineup, percentile: Statistic) -> None:
    """Goes to the plan of these very runs, to be changed or launched."""
    before, wanted = planned(line, percentile)
    if place.button(say("Measure again"), icon=":material/replay:", key="measure_again", help=_help(before, wanted)):
        plan_again.fill(wanted)
        links.go("benchmark")


def planned(line: Lineup, percentile: Statistic) -> tuple[Load, Experiment]:
    """The load as it was, and the plan with as many answers as intervals need."""
    runs = [entry.run for contender in line.contenders for entry in contender.entries]
    lacking = shortfall(line, percentile)
    factor = 1.0 if lacking is None else lacking.factor
    # The fields hold one number of warm-up requests for all levels: that of the level which had most.
    warmup = max(run.plan.load.warmup_requests for run in runs)
    loads = [replace(longer(run.plan.load, factor), warmup_requests=warmup) for run in runs]
    again = [replace(run, plan=replace(run.plan, load=load)) for run, load in zip(runs, loads, strict=True)]
    if 0 < line.pairs < FEWEST_PAIRS:  # a repeat more of everything
        again += {(run.plan.configuration.id, run.plan.load): run for run in again}.values()
    return runs[0].plan.load, recalled(again)


def _help(before: Load, wanted: Experiment) -> str:
    words = say("Fills the fields of a benchmark with this plan, to be changed or launched once more")
    after = wanted.plans[0].load
    if _size(after) == _size(before):
        return f"{words}."
    return say("{words}: {after} a run instead of {before}.", words=words, after=_size(after), before=_size(before))


def _size(load: Load) -> str:
    if load.requests is not None:
        return say("{n} requests", n=count(load.requests))
    return say("{n} s", n=number(load.duration_s))
