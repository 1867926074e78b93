"""Where requests go: addresses and key names, what answers there, and one prompt to try. Never shows a key."""

from collections.abc import Sequence

import streamlit as st

from core.plan import Endpoint
from core.servers import builtin
from core.words import say
from pages.parts import (
    calibration_view,
    endpoint_detail,
    endpoint_form,
    endpoint_table,
    following,
    look,
    probing,
    state,
    trial_view,
)
from pages.parts.dialog import confirm
from pages.parts.dialog import show as show_dialog
from pages.parts.endpoint_form import SELECTED
from pages.parts.endpoint_table import Line
from pages.parts.text import ago_now, code, escape_markdown

TABLE = "endpoints_table"


def line(endpoint: Endpoint) -> Line:
    """An endpoint with what is known of it now."""
    under_way = probing.is_running(endpoint)  # asked first: a probe that has ended by now has left its result
    return Line(endpoint=endpoint, probe=probing.last(endpoint), probing=under_way)


def selected(lines: Sequence[Line]) -> Line | None:
    """The table, and the line whose row is chosen."""
    names = [one.endpoint.name for one in lines]
    wanted = st.session_state.get(SELECTED, names[0])
    version = f"{TABLE}_{wanted if wanted in names else ''}_{len(names)}"
    place = endpoint_table.show(lines, key=version, selected=names.index(wanted) if wanted in names else None)
    return lines[place] if place is not None else None


def details(chosen: Line, lines: Sequence[Line]) -> None:
    """What the last probe found, and what can be done."""
    endpoint = chosen.endpoint
    left, right = look.pair("pair_detail", [1.5, 1], gap="small")
    with left.container(border=True, gap="xsmall", height="stretch"):
        watch(lines, endpoint)
        actions(endpoint)
    with right.container(border=True, gap="xxsmall", height="stretch"):
        endpoint_detail.checklist(chosen.probe)


def watch(lines: Sequence[Line], endpoint: Endpoint | None) -> None:
    """The outcome of the chosen one's probe; the page is drawn again when any probe that the table shows has ended."""

    def outcome() -> None:
        if endpoint is not None:
            endpoint_detail.outcome(line(endpoint), probing.under_way(endpoint), probing.fault(endpoint))

    shown = [one.endpoint for one in lines if one.probing]
    following.follow(bool(shown), lambda: not all(probing.is_running(one) for one in shown), outcome)


def actions(endpoint: Endpoint) -> None:
    """Probe, edit, clone, delete: only the first for what is built in."""
    with st.container(horizontal=True, gap="xsmall"):
        if st.button(say("Probe"), icon=":material/refresh:", key="endpoints_probe"):
            probing.start(endpoint)
            st.rerun()
        if endpoint.demo:
            return
        if st.button(say("Edit"), icon=":material/edit:", key="endpoints_edit"):
            endpoint_form.open_to_edit(endpoint)
        chosen = st.menu_button(
            say("More"), ["clone", "delete"], key="endpoints_more", format_func=lambda it: say(it.title())
        )
        if chosen == "clone":
            endpoint_form.open_to_clone(endpoint, state.services().library.endpoints())
        elif chosen == "delete":
            question = say("Delete {name}? Its configurations and runs stay.", name=code(endpoint.name))
            show_dialog(say("Delete endpoint"), confirm, question, say("Delete"), lambda: delete(endpoint))


def delete(endpoint: Endpoint) -> None:
    """Forget it, and the key that was typed for it."""
    state.services().library.delete_endpoint(endpoint.name)
    state.session_keys().forget(endpoint)
    st.session_state.pop(SELECTED, None)


library = state.services().library
header = look.header(say("Endpoints"), say("Where requests go. Keys are named here, never stored."))
calibrating_now = calibration_view.going()
calibration_view.button(header, calibrating_now)
if header.button(say("Add endpoint"), type="primary", icon=":material/add:", key="endpoints_add"):
    endpoint_form.open_to_add()
users = library.endpoints()
known = [*users, builtin.engine_endpoint(), builtin.simulated_endpoint()]
if not users:
    words = say("None of your own yet. The two built-in ones below work at once: a small model, and a simulator.")
    st.markdown(f":gray[{words}]")
lines = [line(one) for one in known]
chosen = selected(lines)
if chosen is None:
    watch(lines, None)
else:
    found, probe = chosen.endpoint, chosen.probe
    unknown = say("needs no probe") if found.demo else say("not probed")
    note = f"{escape_markdown(endpoint_table.address(found))} · " + (
        say("probed {ago}", ago=ago_now(probe.at)) if probe else unknown
    )
    look.section(escape_markdown(found.name), note)
    details(chosen, lines)
    endpoint_detail.models(probe, st.container())
calibration_view.show(calibrating_now)
trial_view.show(known, chosen.endpoint.name if chosen else None)
