"""Configurations, workload and loads become a launch here, and a launch is watched here."""

import streamlit as st

from core.servers import builtin
from core.words import say
from pages.parts import (
    launch_card,
    live_line,
    live_page,
    look,
    plan_fields,
    plan_files,
    plan_form,
    plan_workload,
    state,
)


def plan() -> None:
    """Choose what to compare, what to ask and how hard."""
    services = state.services()
    endpoints = [*services.library.endpoints(), builtin.engine_endpoint(), builtin.simulated_endpoint()]
    known = services.library.configurations()
    plan_fields.prepare()
    purpose = say("Choose what to compare, what to ask and how hard. It runs in the background.")
    actions = look.header(say("Benchmark"), purpose)
    plan_files.load_menu(actions)
    live_line.note()
    left, right = look.pair("pair_plan", [2.1, 1], gap="small")
    with left:
        chosen = plan_form.configurations(known, endpoints)
        plan_workload.card()
        plan_form.load()
        plan_form.limits()
    with right:
        plan_files.as_commands(launch_card.show(chosen))


if st.query_params.get("view") == "live":
    live_page.show(st.query_params.get("experiment"))
else:
    plan()
