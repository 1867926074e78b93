"""The plan of an earlier launch once more, from the registry or from its stored runs. Fills the fields."""

from dataclasses import replace
from datetime import datetime

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.plan import Experiment
from core.recalled import recalled
from core.run import Run
from core.words import say
from pages.parts import configuration_form, links, look, plan_fields, state
from pages.parts.bringing import bring
from pages.parts.text import short, when
from storage.runs import RunNotFound

NOTE = "benchmark_note"
LONGEST_NAME = 60
LOOKED_AT, OFFERED = 80, 5  # the newest runs, to learn which launches there were; of these so many are offered


def button(place: DeltaGenerator, experiment: Experiment | None) -> None:
    """Goes to the plan, its fields filled."""
    place.button(
        say("Plan again"),
        icon=":material/replay:",
        key="live_again",
        on_click=_again,
        args=(experiment,),
        disabled=experiment is None,
        help=say("Fills the fields with this plan, to be changed or launched once more."),
    )


def _again(experiment: Experiment) -> None:
    fill(experiment)
    links.turn()


def fill(experiment: Experiment) -> None:
    """Fill the fields from a plan; configurations that are not known yet are kept. For before the fields are drawn."""
    st.session_state[configuration_form.CHOSEN] = []
    brought = {one: bring(one) for one in dict.fromkeys(plan.configuration for plan in experiment.plans)}
    kept = tuple(replace(plan, configuration=brought[plan.configuration][0]) for plan in experiment.plans)
    left_out = plan_fields.fill(replace(experiment, plans=kept), limits=experiment.plans[0].limits)
    st.session_state[NOTE] = " ".join(filter(None, [*(words for _, words in brought.values()), left_out]))


def launches() -> dict[str, str]:
    """The last launches, newest first: id, and name with when it was launched: two may have been given one name."""
    services = state.services()
    found = {one.id: _told(one.name, one.queued_at) for one in reversed(services.registry.live())}
    for row in services.runs.list_runs(limit=LOOKED_AT):
        if row.experiment_id:
            found.setdefault(row.experiment_id, _told(row.experiment_name or row.label, row.started_at))
    return dict(list(found.items())[:OFFERED])


def _told(name: str, at: datetime) -> str:
    return f"{short(name, LONGEST_NAME)} · {when(at, look.zone())}"


def experiment_of(experiment_id: str) -> Experiment | None:
    """What a launch that this app made was asked for, else the runs that were begun; None if it is not known."""
    services = state.services()
    launched = services.registry.find(experiment_id)
    if launched is not None:
        return launched.experiment
    begun: list[Run] = []
    for row in reversed(services.runs.list_runs(experiment_id=experiment_id)):
        try:
            begun.append(services.runs.run(row.id, requests=False))
        except RunNotFound:  # deleted meanwhile
            continue
    return recalled(begun) if begun else None
