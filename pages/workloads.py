"""What is asked, under names: saved workloads, their versions, what they would send. Measures nothing."""

from collections.abc import Sequence

import streamlit as st

from core.words import say
from pages.parts import (
    links,
    look,
    plan_fields,
    state,
    workload_form,
    workload_preview,
    workload_table,
)
from pages.parts.dialog import confirm
from pages.parts.dialog import show as show_dialog
from pages.parts.text import ago_now, code, escape_markdown, when
from pages.parts.workload_form import SELECTED
from storage.library_values import SavedWorkload

TABLE = "workloads_table"


def selected(saved: Sequence[SavedWorkload]) -> SavedWorkload | None:
    """The table, and the workload whose row is chosen."""
    names = [one.name for one in saved]
    wanted = st.session_state.get(SELECTED, names[0])
    version = f"{TABLE}_{wanted if wanted in names else ''}_{len(names)}"
    used = state.services().library.workloads.last_used()
    place = workload_table.show(saved, used, key=version, selected=names.index(wanted) if wanted in names else None)
    return saved[place] if place is not None else None


def version_of(newest: SavedWorkload) -> SavedWorkload:
    """The version to look at: the newest unless the reader takes another."""
    versions = state.services().library.workloads.versions(newest.name)
    if len(versions) == 1:
        return newest
    place = st.selectbox(
        say("Version"),
        range(len(versions)),
        key=f"workloads_version_{newest.name}_{newest.version}",
        format_func=lambda place: f"{versions[place].version} · {when(versions[place].saved_at, look.zone())}",
        width=200,
    )
    return versions[place]


def actions(chosen: SavedWorkload, saved: Sequence[SavedWorkload]) -> None:
    """Benchmark, edit, clone, delete."""
    with st.container(horizontal=True, gap="xsmall"):
        if st.button(say("Benchmark with it"), icon=":material/speed:", key="workloads_benchmark"):
            plan_fields.take(chosen.workload)
            links.go("benchmark")
        if st.button(say("Edit"), icon=":material/edit:", key="workloads_edit"):
            workload_form.open_to_edit(chosen)
        picked = st.menu_button(
            say("More"), ["clone", "delete"], key="workloads_more", format_func=lambda it: say(it.title())
        )
        if picked == "clone":
            workload_form.open_to_clone(chosen, saved)
        elif picked == "delete":
            question = say("Delete {name} with all its versions? Runs keep what they used.", name=code(chosen.name))
            show_dialog(say("Delete workload"), confirm, question, say("Delete"), lambda: delete(chosen))


def delete(chosen: SavedWorkload) -> None:
    """Forget it."""
    state.services().library.workloads.delete(chosen.name)
    st.session_state.pop(SELECTED, None)


def details(newest: SavedWorkload, saved: Sequence[SavedWorkload]) -> None:
    """What it asks, the lengths it draws, its first prompts."""
    note = say("version {n} · saved {ago}", n=newest.version, ago=ago_now(newest.saved_at))
    look.section(escape_markdown(newest.name), note)
    left, right = look.pair("pair_workload", [1, 1], gap="small")
    with left.container(border=True, gap="xsmall", height="stretch"):
        chosen = version_of(newest)
        workload_preview.facts(chosen.workload)
        actions(chosen, saved)
    found = workload_preview.made(chosen.workload)
    with right.container(border=True, gap="xsmall", height="stretch"):
        workload_preview.histogram(found)
    with st.container(border=True, gap="xsmall"):
        workload_preview.prompts(found)


def main() -> None:
    """Draw the page."""
    saved = state.services().library.workloads.newest()
    header = look.header(say("Workloads"), say("What is asked, under a name. A run keeps the version that it used."))
    place = header
    if not saved:
        words = say("A workload says how long prompts and answers are, in which language, and how answers are sampled.")
        place = look.empty_state(say("No workloads yet"), words)
    if place.button(say("Add workload"), type="primary", icon=":material/add:", key="workloads_add"):
        workload_form.open_to_add()
    if saved:
        chosen = selected(saved)
        if chosen is not None:
            details(chosen, saved)


main()
