"""How launches and their runs are named wherever they are watched: with the mark of the simulator. Draws nothing."""

from core.endpoint import SIMULATED
from core.fleet.live import LiveExperiment, LiveRun
from core.load import level_words
from core.run import ENDED_STATES
from core.words import say
from pages.parts import look
from pages.parts.text import count, escape_markdown, moment, named, plural


def title(found: LiveExperiment) -> str:
    """Its name, as markdown, and whether the simulator is what is measured."""
    simulated = [run.plan.configuration.endpoint.demo == SIMULATED for run in found.runs]
    name = named(found.name, SIMULATED if all(simulated) else "")
    if any(simulated) and not all(simulated):
        name = say("{name} (partly simulated)", name=name)
    return escape_markdown(name)


def label_of(run: LiveRun, length: int | None = None) -> str:
    """Its configuration's label, with the mark of the simulator; not escaped."""
    one = run.plan.configuration
    return named(one.label, one.endpoint.demo, length)


def subtitle(found: LiveExperiment) -> str:
    """3 configurations x 2 levels, 128 -> 64 tokens, started 14:02."""
    plans = [run.plan for run in found.runs]
    words = [
        _measured(found),
        say("{lengths} tokens", lengths=plans[0].lengths_in_words),
    ]
    if found.started_at:
        words.append(say("started {at}", at=moment(found.started_at, look.zone())))
    return escape_markdown(", ".join(words))


def _measured(found: LiveExperiment) -> str:
    """How many configurations and levels; those of a search or a sweep come as it goes."""
    configurations = len(found.searched) or len({run.plan.configuration.id for run in found.runs})
    many = plural(configurations, "configuration", "configurations")
    if found.searched:
        search = found.searched[0].search
        return say("{many} × a search up to {level}", many=many, level=level_words(search.variable, search.high))
    if found.expected_runs > len(found.runs) and found.state not in ENDED_STATES:
        return say("levels found on the way")
    return f"{many} × {plural(len({run.plan.load.words() for run in found.runs}), 'level', 'levels')}"


def finishing(found: LiveExperiment) -> str:
    """What stands in place of 100 % and of a time left: that the last answers are waited for; "" before that."""
    now = found.current
    whole = found.finished_runs == max(found.expected_runs, len(found.runs)) - 1
    return waited_for(now) if now is not None and now.finishing and whole else ""


def waited_for(run: LiveRun) -> str:
    """Of a run that sends no more, what it waits for."""
    return say("finishing, {n} in flight", n=count(run.in_flight))
