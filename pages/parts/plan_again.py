"""The plan of an earlier launch once more, from the registry or from its stored runs. Fills the fields."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.plan import RunPlan
from core.words import say
from pages.parts import configuration_form, links, plan_fields, state
from storage.runs import RunNotFound

NOTE = "benchmark_note"
LOOKED_AT, OFFERED = 80, 5  # the newest runs, to learn which launches there were; of these so many are offered


def button(place: DeltaGenerator, plans: Sequence[RunPlan]) -> None:
    """Goes to the plan, its fields filled."""
    place.button(
        say("Plan again"),
        icon=":material/replay:",
        key="live_again",
        on_click=_again,
        args=(tuple(plans),),
        help=say("Fills the fields with this plan, to be changed or launched once more."),
    )


def _again(plans: Sequence[RunPlan]) -> None:
    fill(plans)
    links.turn()


def fill(plans: Sequence[RunPlan]) -> None:
    """Fill the fields from a plan; configurations that are not known yet are kept. For before the fields are drawn."""
    st.session_state[configuration_form.CHOSEN] = []
    for one in dict.fromkeys(plan.configuration for plan in plans):
        configuration_form.bring(one)
    st.session_state[NOTE] = plan_fields.fill(plans)


def launches() -> dict[str, str]:
    """The last launches, newest first: id and name."""
    services = state.services()
    found = {one.id: one.name for one in reversed(services.registry.live())}
    for row in services.runs.list_runs(limit=LOOKED_AT):
        if row.experiment_id:
            found.setdefault(row.experiment_id, row.experiment_name or row.label)
    return dict(list(found.items())[:OFFERED])


def plans_of(experiment_id: str) -> tuple[RunPlan, ...]:
    """All runs of a launch that this app made, else those that were begun; empty if it is not known."""
    services = state.services()
    launched = services.registry.find(experiment_id)
    if launched is not None:
        return tuple(run.plan for run in launched.runs)
    begun = []
    for row in reversed(services.runs.list_runs(experiment_id=experiment_id)):
        try:
            begun.append(services.runs.run(row.id, requests=False).plan)
        except RunNotFound:  # deleted meanwhile
            continue
    return tuple(begun)
