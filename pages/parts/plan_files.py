"""A plan as people take it elsewhere, and a plan that they bring: saved, pasted or uploaded. Never contains a key."""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import pasted, reproduce
from core.plan import PlanError, RunPlan
from core.words import say
from pages.parts import configuration_form, dialog, look, plan_fields, state
from storage.problems import StorageProblem

PASTE = "paste"
NOTE = "benchmark_note"


def load_menu(place: DeltaGenerator) -> None:
    """The header's menu: saved plans, and a pasted one."""
    saved = {one.name: one.plans for one in state.services().library.plans()}
    with place:
        picked = st.menu_button(
            say("Load a plan"),
            [*saved, PASTE],
            icon=":material/folder_open:",
            key="benchmark_load",
            format_func=lambda name: say("Paste or upload …") if name == PASTE else name,
        )
    note = st.session_state.pop(NOTE, "")
    if note:
        look.problem(note, level="note")
    if picked == PASTE:
        dialog.show(say("Load a plan"), _paste, width="medium")
    elif picked:
        take(saved[picked])


def _paste(key: Callable[[str], str]) -> None:
    text = st.text_area(
        say("Plan file"),
        key=key("text"),
        height=180,
        placeholder='{"format": "paceline-plan", "version": 1, "plans": [ … ]}',
        help=say("As `cli.py run --plan` reads it and as every run's page shows it."),
    )
    upload = st.file_uploader(say("Or a file"), type="json", max_upload_size=2, key=key("file"))
    if st.button(say("Load"), type="primary", icon=":material/check:", key=key("load")):
        try:
            take(pasted.plans(upload.getvalue() if upload else text))
        except (PlanError, StorageProblem) as fault:
            look.problem(str(fault))


def take(plans: Sequence[RunPlan]) -> None:
    """Fill the fields from a plan; configurations that are not known yet are kept. Draws the page anew."""
    st.session_state[configuration_form.CHOSEN] = []
    for one in dict.fromkeys(plan.configuration for plan in plans):
        configuration_form.bring(one)
    st.session_state[NOTE] = plan_fields.fill(plans)
    st.rerun()


def as_commands(plans: Sequence[RunPlan]) -> None:
    """The plan as a command line, as curl and as a file; and a name to keep it under."""
    if not plans:
        return
    with st.expander(say("Save, or run it elsewhere"), icon=":material/terminal:"):
        _keep(plans)
        choice = st.selectbox(
            say("Run"),
            range(len(plans)),
            key="benchmark_shown",
            format_func=lambda place: say(
                "{label} at {n}", label=plans[place].configuration.label, n=plans[place].load.concurrency
            ),
        )
        plan = plans[choice]
        if plan.configuration.endpoint.demo:
            words = say("Paceline starts this server for its run: the address below stands for the one it then gets.")
            st.markdown(f":gray[{words}]")
        st.markdown(f":gray[:small[{say('Command line')}]]")
        st.code(reproduce.command_line(plan), language="bash", wrap_lines=True)
        st.markdown(f":gray[:small[{say('One request with curl')}]]")
        st.code(reproduce.curl(plan), language="bash", wrap_lines=True)
        st.download_button(
            say("Plan file, all runs"),
            lambda: reproduce.plan_file(plans),
            "paceline-plan.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
            key="benchmark_plan_file",
        )


def _keep(plans: Sequence[RunPlan]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        name = st.text_input(say("Save this plan as"), key="benchmark_save_name", max_chars=120)
        pressed = st.button(say("Save"), icon=":material/save:", key="benchmark_save")
    if pressed:
        try:
            state.services().library.save_plan(name, plans)
        except StorageProblem as fault:
            look.problem(str(fault))
        else:
            look.problem(say("Saved: it is under Load a plan."), level="ok")
