"""The dialog that adds or changes an endpoint. Nothing typed is lost when a field is refused; no key is kept."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import streamlit as st

from core.keys import KeyProblem, key_names
from core.plan import Endpoint, Limits, PlanError, normal_base_url
from core.presets import PRESETS
from core.tls import ca_file_problem
from core.words import say
from pages.parts import dialog, fields, look, probing, state
from pages.parts.text import code, escape_markdown
from storage.problems import EndpointChanged, StorageProblem

PATHS = {"chat": "/chat/completions", "completions": "/completions"}
APIS = {"chat": "Chat completions", "completions": "Completions (legacy)"}
SELECTED = "endpoints_selected"
EMPTY = Endpoint(name="new", base_url="http://127.0.0.1:8000/v1")  # stands for fields without a value
TIMEOUTS = (
    ("connect_s", "Connect, s", "Opening the connection, TLS included."),
    ("first_byte_s", "First byte, s", "From sending the request to the first byte of the answer."),
    ("idle_s", "Idle, s", "Between two reads of an answer."),
    ("total_s", "Whole request, s", "At most 1,800."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What stands in the fields, as typed; `endpoint` makes a value of it or says what to change."""

    name: str
    url: str
    api: str
    key_name: str | None
    headers: str
    limits: dict[str, Any]
    verify: bool
    ca_file: str
    notes: str

    def endpoint(self) -> Endpoint:
        """The endpoint that was meant. Raises PlanError."""
        return Endpoint(
            name=self.name.strip(),
            base_url=self.url,
            api="completions" if self.api == "completions" else "chat",
            key_name=self.key_name or None,
            headers=fields.pairs(self.headers, say("Extra headers")),
            verify=self.verify,
            ca_file=os.path.expanduser(self.ca_file.strip()) or None,  # noqa: PTH111 -- leaves an unknown ~name alone
            limits=Limits(**self.limits),
            notes=self.notes.strip(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What the dialog was opened for.

    Attributes:
        known: The endpoint whose values the fields begin with.
        replaces: The name under which it is stored now; None adds a new one.
    """

    known: Endpoint
    replaces: str | None


def open_to_add() -> None:
    """An empty form."""
    dialog.show(say("Add endpoint"), _form, Opened(known=EMPTY, replaces=None), width="medium")


def open_to_edit(known: Endpoint) -> None:
    """The form of a stored endpoint."""
    dialog.show(say("Edit endpoint"), _form, Opened(known=known, replaces=known.name), width="medium")


def open_to_clone(known: Endpoint, others: Sequence[Endpoint]) -> None:
    """The form of a new endpoint that begins with another's values."""
    names = {one.name for one in others}
    name = next(name for number in count(2) if (name := f"{known.name[:110]} {number}") not in names)
    dialog.show(say("Clone endpoint"), _form, Opened(known=replace(known, name=name), replaces=None), width="medium")


def _form(key: Callable[[str], str], opened: Opened) -> None:
    known = opened.known
    if known is EMPTY:
        _presets(key)
    name = st.text_input(
        say("Name"), "" if known is EMPTY else known.name, key=key("name"), placeholder=say("lab-vllm")
    )
    url = st.text_input(
        say("Base URL"),
        "" if known is EMPTY else known.base_url,
        key=key("url"),
        placeholder="http://127.0.0.1:8000/v1",
        help=say("With or without http:// and /v1; a pasted full path such as …/v1/chat/completions is understood."),
    )
    api = st.segmented_control(
        say("API"), list(PATHS), default=known.api, required=True, key=key("api"), format_func=lambda it: say(APIS[it])
    )
    with st.empty():  # its place is kept while it says nothing: what stands below would be drawn anew, and folded up
        _understood(url, PATHS[api or "chat"])
    key_name, secret = _key_fields(known, key)
    with st.expander(say("Headers, timeouts, certificate, notes")):
        typed = Typed(name=name, url=url, api=api or "chat", key_name=key_name, **_rest(known, key))
    if st.button(say("Save and probe"), type="primary", icon=":material/check:", key=key("save")):
        try:
            _save(typed.endpoint(), opened, secret, anyway=st.session_state.pop(key("anyway"), False))
        except EndpointChanged as fault:
            st.session_state[key("anyway")] = True
            look.problem(say("{what} Save once more to keep what stands here.", what=fault))
        except (PlanError, StorageProblem, KeyProblem) as fault:
            look.problem(str(fault))


def _presets(key: Callable[[str], str]) -> None:
    def fill() -> None:
        chosen = st.session_state[key("preset")]
        if chosen:
            st.session_state[key("url")] = PRESETS[chosen].base_url
            st.session_state[key("name")] = st.session_state[key("name")] or PRESETS[chosen].name

    st.selectbox(
        say("Start from a usual address"),
        list(PRESETS),
        index=None,
        placeholder=say("optional"),
        key=key("preset"),
        on_change=fill,
        format_func=lambda name: f"{name} · {PRESETS[name].base_url.partition('://')[2]}",
    )
    with st.empty():  # as below: nothing under it may move
        _usual_key(st.session_state[key("preset")])


def _usual_key(preset: str | None) -> None:
    """How the key of a service is usually named, and where it goes."""
    hint = PRESETS[preset].key_hint if preset else ""
    if hint:
        words = say("It asks for a key, usually named {name}: name it below, or type one for now.", name=hint)
        st.markdown(f":gray[:small[{escape_markdown(words)}]]")


def _understood(url: str, path: str) -> None:
    if not url.strip():
        return
    try:
        st.markdown(f":gray[:small[{say('Requests go to')}]] {code(normal_base_url(url) + path)}")
    except PlanError as fault:
        look.problem(str(fault), level="act")


def _key_fields(known: Endpoint, key: Callable[[str], str]) -> tuple[str | None, str]:
    names: tuple[str, ...] = ()
    try:
        names = key_names()
    except KeyProblem as fault:
        look.problem(str(fault), level="act")
    options = list(dict.fromkeys([*names, *filter(None, [known.key_name])]))
    left, right = st.columns(2)
    chosen = left.selectbox(
        say("Key name"),
        options,
        index=options.index(known.key_name) if known.key_name else None,
        accept_new_options=True,
        placeholder=say("none"),
        key=key("key_name"),
        help=say(
            "A name under [api_keys] in .streamlit/secrets.toml, with value or env, and hosts: the key is sent to "
            "those hosts only. Paceline stores the name, never the key."
        ),
    )
    typed = right.text_input(
        say("Or a key for this session"),
        type="password",
        key=key("typed"),
        autocomplete="off",
        live=True,  # Tab goes to the eye inside the field, and then nothing would be sent
        help=say("Kept in memory for this browser session and sent to this endpoint's host only. Gone on reload."),
    )
    return chosen or None, typed


def _rest(known: Endpoint, key: Callable[[str], str]) -> dict[str, Any]:
    headers = st.text_area(
        say("Extra headers"),
        fields.lines(known.headers),
        key=key("headers"),
        height=80,
        placeholder="X-Team: research",
        help=say("One a line, name: value. Keys do not belong here: name them above."),
    )
    limits = {}
    for place, (name, title, hint) in zip(st.columns(4), TIMEOUTS, strict=True):
        limits[name] = place.number_input(
            say(title), min_value=0.1, value=getattr(known.limits, name), key=key(name), help=say(hint)
        )
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    verify = left.toggle(say("Check the certificate"), known.verify, key=key("verify"))
    ca_file = right.text_input(
        say("CA file"), known.ca_file or "", key=key("ca"), placeholder=say("the system's"), disabled=not verify
    )
    notes = st.text_area(say("Notes"), known.notes, key=key("notes"), height=80)
    return {
        "headers": headers,
        "limits": limits,
        "verify": verify,
        "ca_file": ca_file,
        "notes": notes,
    }


def _save(endpoint: Endpoint, opened: Opened, secret: str, *, anyway: bool) -> None:
    """`anyway`: whatever somebody else made of it meanwhile."""
    wrong = ca_file_problem(verify=endpoint.verify, ca_file=endpoint.ca_file)
    if wrong:
        look.problem(wrong)
        return
    state.services().library.save_endpoint(
        endpoint, replaces=opened.replaces, was=None if anyway or opened.replaces is None else opened.known
    )
    if secret.strip():
        state.session_keys().keep(endpoint, secret)
    probing.start(endpoint)
    st.session_state[SELECTED] = endpoint.name
    st.rerun()
