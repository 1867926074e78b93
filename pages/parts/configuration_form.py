"""The dialog that adds or changes a configuration: a model at an endpoint under a label, or a variant of the demo."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.launch_checks import is_listed
from core.plan import Configuration, Endpoint, PlanError
from core.quantities import number, seconds
from core.servers import builtin
from core.servers.pace import MODELS, Pace
from core.servers.variants import VARIANTS
from core.words import say
from pages.parts import dialog, fields, look, probing, state
from pages.parts.text import code
from storage.problems import StorageProblem

SETTINGS_HINT = "quantization: AWQ w4a16\nhardware: 1x H100 80GB\nmax batch: 64"
CHOSEN, VERSION = "benchmark_chosen", "benchmark_version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What stands in the fields."""

    label: str
    model: str
    settings: str

    def configuration(self, known: Configuration | None, endpoint: Endpoint, slot: int) -> Configuration:
        """The configuration that was meant; a known one keeps its id and its colour. Raises PlanError."""
        return Configuration(
            id=known.id if known else uuid.uuid4().hex[:12],
            label=self.label.strip() or self.model.strip()[:120],
            endpoint=endpoint,
            model=self.model.strip(),
            settings=fields.pairs(self.settings, say("Settings")),
            slot=known.slot if known else slot,
            variant=known.variant if known else None,
        )


def open_to_add(endpoints: Sequence[Endpoint]) -> None:
    """Empty fields."""
    dialog.show(say("Add configuration"), _form, tuple(endpoints), None, width="medium")


def open_to_edit(endpoints: Sequence[Endpoint], known: Configuration) -> None:
    """The fields of a stored configuration."""
    dialog.show(say("Edit configuration"), _form, tuple(endpoints), known, width="medium")


def _form(key: Callable[[str], str], endpoints: tuple[Endpoint, ...], known: Configuration | None) -> None:
    own = known.endpoint.name if known else None
    gone = known is not None and own not in [endpoint.name for endpoint in endpoints]
    if known and gone:
        endpoints = (known.endpoint, *endpoints)  # deleted since: an edit must not move the configuration elsewhere
    names = [endpoint.name for endpoint in endpoints]
    name = st.selectbox(
        say("Endpoint"),
        names,
        index=names.index(own) if own in names else 0,
        key=key("endpoint"),
        format_func=lambda name: say("{name} (deleted)", name=name) if gone and name == own else name,
        disabled=_fixed(known),
    )
    endpoint = endpoints[names.index(name)]
    if endpoint.demo and known is None:
        _built_in(key, endpoint)
        return
    typed = _fields(key, endpoint, known)
    if st.button(say("Save"), type="primary", icon=":material/check:", key=key("save")):
        try:
            slot = state.services().library.next_slot()
            _save(typed.configuration(known, endpoint, slot))
        except (PlanError, StorageProblem) as fault:
            look.problem(str(fault))


def _fixed(known: Configuration | None) -> bool:
    return known is not None and bool(known.endpoint.demo)


def _fields(key: Callable[[str], str], endpoint: Endpoint, known: Configuration | None) -> Typed:
    probe = probing.last(endpoint)
    listed = list(dict.fromkeys([*(probe.models if probe else ()), *([known.model] if known else ())]))
    own = probe.model if probe else None
    # Another endpoint changes what is offered and never what stands here: somebody may be typing when that arrives.
    model = st.selectbox(
        say("Model"),
        listed,
        index=listed.index(known.model) if known else None,
        accept_new_options=True,
        placeholder=say("{model}, if left empty", model=own) if own else say("the name that the server lists"),
        key=key("model"),
        disabled=_fixed(known),
        help=None if listed else say("Probe the endpoint to choose from the models it lists."),
    )
    label = st.text_input(
        say("Label"),
        known.label if known else "",
        key=key("label"),
        placeholder=say("how it is named in charts, such as AWQ-INT4"),
    )
    settings = st.text_area(
        say("What sets it apart"),
        fields.lines(known.settings) if known else "",
        key=key("settings"),
        placeholder=SETTINGS_HINT,
        height=110,
        help=say("One a line, name: value. Shown beside every result and compared between configurations."),
    )
    if model and probe and probe.models and not is_listed(model, probe.models):
        look.problem(say("{name} does not list this model.", name=endpoint.name), level="act")
    return Typed(label=label, model=model or own or "", settings=settings)


def _built_in(key: Callable[[str], str], endpoint: Endpoint) -> None:
    names = list(VARIANTS) if endpoint.demo == "llama.cpp" else list(MODELS)
    title = say("Variants") if endpoint.demo == "llama.cpp" else say("Paces")
    chosen = st.pills(
        title, names, selection_mode="multi", default=names[:1], key=key(f"variants_{endpoint.demo}"),
        format_func=str if endpoint.demo == "llama.cpp" else pace_words,
    )  # fmt: skip
    st.markdown(f":gray[{_explained(endpoint)}]")
    if st.button(say("Add"), type="primary", icon=":material/check:", key=key("add"), disabled=not chosen):
        library = state.services().library
        for name in chosen:
            slot = library.next_slot()
            if endpoint.demo == "llama.cpp":
                add(builtin.variant_configuration(name, slot))
            else:
                label = say("Simulated {pace}", pace=pace_words(name))
                add(replace(builtin.simulated_configuration(slot, name), label=label))
        st.rerun()


def pace_words(model: str) -> str:
    """The times behind a name of the simulator: 50 ms, 100 tok/s."""
    pace = Pace.of(model)
    words = say("{ttft}, {speed} tok/s", ttft=seconds(pace.ttft_us / 1e6), speed=number(1e6 / pace.itl_us))
    if pace.burst > 1:
        words += say(", {n} at a time", n=pace.burst)
    return words + (say(", one by one") if pace.serial else "")


def _explained(endpoint: Endpoint) -> str:
    if endpoint.demo == "llama.cpp":
        return say("SmolLM2-135M on this machine, started when its run begins; made from one file at first use.")
    return say("No model: a server with exactly known times, to see what Paceline itself adds. Runs say simulated.")


def add(wanted: Configuration) -> Configuration:
    """Keep a configuration and tick it; one that is stored already keeps its colour and label."""
    library = state.services().library
    known = {one.id: one for one in library.configurations()}
    if wanted.id not in known:
        library.save_configuration(wanted)
    tick(wanted.id)
    return known.get(wanted.id, wanted)


def tick(configuration_id: str) -> None:
    """Have it chosen when the page is drawn next."""
    st.session_state[CHOSEN] = list(dict.fromkeys([*st.session_state.get(CHOSEN, ()), configuration_id]))
    changed()


def changed() -> None:
    """The rows or ticks of the table are other ones now: it begins anew."""
    st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1


def _save(wanted: Configuration) -> None:
    state.services().library.save_configuration(wanted)
    tick(wanted.id)
    st.rerun()


def ask_to_delete(chosen: Sequence[Configuration]) -> None:
    """A dialog that asks first. Runs keep what they were made with."""

    def act() -> None:
        for one in chosen:
            state.services().library.delete_configuration(one.id)
        changed()

    names = ", ".join(code(one.label) for one in chosen)
    question = say("Remove {names}? Their runs stay, with everything they were made with.", names=names)
    dialog.show(say("Remove"), dialog.confirm, question, say("Remove"), act)
