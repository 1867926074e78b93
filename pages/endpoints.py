"""Where requests go: addresses and key names, what answers there, and one prompt to try. Never shows a key."""

from collections.abc import Callable

import streamlit as st

from core.plan import Endpoint
from core.servers import builtin
from core.words import say
from pages.parts import (
    calibration_view,
    endpoint_detail,
    endpoint_form,
    endpoint_table,
    look,
    probing,
    state,
    trial_view,
)
from pages.parts.dialog import confirm, is_open
from pages.parts.dialog import show as show_dialog
from pages.parts.endpoint_form import SELECTED
from pages.parts.endpoint_table import Line
from pages.parts.text import ago_now, code, escape_markdown

TABLE, PROBED = "endpoints_table", "endpoints_probing"


def line(endpoint: Endpoint) -> Line:
    """An endpoint with what is known of it now."""
    return Line(endpoint=endpoint, probe=probing.last(endpoint), probing=probing.is_running(endpoint))


def selected(known: list[Endpoint]) -> Endpoint | None:
    """The table, and the endpoint whose row is chosen."""
    names = [one.name for one in known]
    wanted = st.session_state.get(SELECTED, names[0])
    version = f"{TABLE}_{wanted if wanted in names else ''}_{len(names)}"
    place = endpoint_table.show(
        [line(one) for one in known], key=version, selected=names.index(wanted) if wanted in names else None
    )
    return known[place] if place is not None else None


def details(endpoint: Endpoint) -> None:
    """What the last probe found, and what can be done."""
    left, right = look.pair("pair_detail", [1.5, 1], gap="small")
    with left.container(border=True, gap="xsmall", height="stretch"):
        watch(endpoint, lambda it: endpoint_detail.outcome(it, probing.stage(endpoint), probing.fault(endpoint)))
        actions(endpoint)
    with right.container(border=True, gap="xxsmall", height="stretch"):
        watch(endpoint, lambda it: endpoint_detail.checklist(it.probe))


def watch(endpoint: Endpoint, draw: Callable[[Line], None]) -> None:
    """Draw, and again every second while a probe goes on; then the page as a whole, unless somebody types."""
    going = probing.is_running(endpoint)

    def again() -> None:
        draw(line(endpoint))
        if going and not probing.is_running(endpoint) and not is_open():
            st.rerun(scope="app")

    st.fragment(again, run_every=1 if going else None)()


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
calibration_view.button(header)
if header.button(say("Add endpoint"), type="primary", icon=":material/add:", key="endpoints_add"):
    endpoint_form.open_to_add()
users = library.endpoints()
known = [*users, builtin.engine_endpoint(), builtin.simulated_endpoint()]
if not users:
    words = say("None of your own yet. The two built-in ones below work at once: a small model, and a simulator.")
    st.markdown(f":gray[{words}]")
found = selected(known)
if found is not None:
    probe = probing.last(found)
    note = f"{escape_markdown(endpoint_table.address(found))} · " + (
        say("probed {ago}", ago=ago_now(probe.at)) if probe else say("not probed")
    )
    look.section(escape_markdown(found.name), note)
    details(found)
    endpoint_detail.models(probe, st.container())
calibration_view.show()
trial_view.show(known)
