"""A plan as people take it elsewhere, and a plan that they bring: saved, pasted or uploaded. Never contains a key."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import pasted, reproduce
from core.plan import Experiment, PlanError, RunPlan
from core.words import say
from pages.parts import dialog, elsewhere, look, plan_again, state
from pages.parts.text import JOINER, code, escape_markdown, short
from storage.problems import StorageProblem

PASTE, DELETE = "paste", "delete"  # kinds of choices, beside the places of saved plans; never their names
LAUNCH = "launch "  # before the id of an earlier launch
LONGEST = 60


def load_menu(place: DeltaGenerator) -> None:
    """The header's menu: saved plans, a pasted one, and the way to delete a saved one."""
    saved = state.services().library.plans()
    labels = menu_labels([one.name for one in saved], plan_again.launches())
    with place:
        picked = st.menu_button(
            say("Load a plan"),
            list(labels),
            icon=":material/folder_open:",
            key="benchmark_load",
            format_func=labels.__getitem__,
        )
    note = st.session_state.pop(plan_again.NOTE, "")
    if note:
        look.problem(note, level="note")
    if picked == PASTE:
        dialog.show(say("Load a plan"), _paste, width="medium")
    elif picked == DELETE:
        dialog.show(say("Delete a saved plan"), _delete)
    elif isinstance(picked, int):
        take(saved[picked].experiment)
    elif picked:
        take(plan_again.experiment_of(picked.removeprefix(LAUNCH)))


def menu_labels(names: Sequence[str], launched: Mapping[str, str] = MappingProxyType({})) -> dict[int | str, str]:
    """What the menu offers, by the place of a saved plan or by kind. No two are alike: the menu would refuse them."""
    labels: dict[int | str, str] = {}
    offered: list[tuple[int | str, str]] = [*enumerate(names)]
    offered += [(LAUNCH + key, name) for key, name in launched.items()]
    for key, name in offered:
        mark = "" if isinstance(key, int) else ":material/history: "
        label = mark + escape_markdown(short(name, LONGEST) if isinstance(key, int) else name)
        while label in labels.values():
            label += JOINER  # nothing to see, yet another text
        labels[key] = label
    labels[PASTE] = f":material/content_paste: {say('Paste or upload …')}"  # the icon: no escaped name can have it
    if names:
        labels[DELETE] = f":material/delete: {say('Delete a saved plan …')}"
    return labels


def _paste(key: Callable[[str], str]) -> None:
    text = st.text_area(
        say("Plan file"),
        key=key("text"),
        height=180,
        placeholder='{"format": "paceline-plan", "version": 1, "plans": [ … ]}',
        help=say("As `cli.py run --plan` reads it and as every run's page shows it."),
    )
    upload = st.file_uploader(say("Or a file"), type="json", max_upload_size=2, key=key("file"))
    pressed = st.button(say("Load"), type="primary", icon=":material/check:", key=key("load"))
    if not upload and not text.strip():
        # A file that was chosen a moment ago is still on its way: the press is kept for it.
        st.session_state[key("awaited")] = pressed = pressed or st.session_state.get(key("awaited"), False)
        if pressed:
            look.problem(
                say("No plan is here yet: it is loaded once a file has arrived or one is pasted."), level="note"
            )
    elif pressed or st.session_state.pop(key("awaited"), False):
        try:
            take(pasted.experiment(upload.getvalue() if upload else text, experiment_id="pasted"))
        except (PlanError, StorageProblem) as fault:
            look.problem(str(fault))


def _delete(key: Callable[[str], str]) -> None:
    """Which one, and the question before it is lost."""
    library = state.services().library
    names = [one.name for one in library.plans()]
    if not names:
        st.markdown(f":gray[{say('No plan is saved.')}]")
        return
    name = st.selectbox(say("Saved plan"), names, index=None, key=key("name"), placeholder=say("choose one"))
    if name is None:
        return
    question = say("Delete {name}? It is gone for good; runs made from it stay.", name=code(name))
    dialog.confirm(key, question, say("Delete"), lambda: library.delete_plan(name))


def take(experiment: Experiment | None) -> None:
    """Fill the fields from a plan and draw the page anew."""
    if experiment is not None:
        plan_again.fill(experiment)
    st.rerun()


def as_commands(wanted: Experiment | None) -> None:
    """The plan as a command line, as curl and as a file; and a name to keep it under."""
    if wanted is None:
        return
    plans = wanted.plans
    with st.expander(say("Save, or run it elsewhere"), icon=":material/terminal:"):
        _keep(wanted)
        choice = st.selectbox(
            say("Run"), range(len(plans)), key="benchmark_shown", format_func=lambda place: _shown(wanted, plans[place])
        )
        plan = plans[min(choice, len(plans) - 1)]
        elsewhere.command(
            reproduce.command_line(plan, wanted),
            plan,
            lambda: reproduce.plan_file(plans, wanted),
            "benchmark_plan_file",
        )
        elsewhere.curl(reproduce.curl(plan))


def _shown(wanted: Experiment, plan: RunPlan) -> str:
    label = plan.configuration.label
    return label if wanted.is_adaptive else say("{label} at {level}", label=label, level=plan.load.words())


def _keep(wanted: Experiment) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        name = st.text_input(say("Save this plan as"), key="benchmark_save_name", max_chars=120)
        pressed = st.button(say("Save"), icon=":material/save:", key="benchmark_save")
    if pressed:
        try:
            state.services().library.save_plan(name, wanted)
        except StorageProblem as fault:
            look.problem(str(fault))
        else:
            look.problem(say("Saved: it is under Load a plan."), level="ok")
