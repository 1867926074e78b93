"""The numbered cards of a benchmark plan: what is compared, what is asked, how hard. Touches the fields only."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.plan import Configuration, Endpoint
from core.servers import builtin
from core.words import say
from pages.parts import builtin_start, configuration_form, look, plan_load_form, plan_workload
from pages.parts.configuration_form import CHOSEN
from pages.parts.plan_state import KEPT, key, typed
from pages.parts.text import dash

TABLE = "benchmark_table"


def configurations(known: Sequence[Configuration], endpoints: Sequence[Endpoint]) -> list[Configuration]:
    """Card 1: a table with tick boxes; those that are ticked."""
    with st.container(border=True, gap="small"):
        look.card_title(
            1, say("Configurations"), say("runs are interleaved so that drift of the machine hits all alike")
        )
        chosen = _table(known) if known else []
        if not known:
            st.markdown(
                f":gray[{say('Nothing to compare yet. A configuration is a model at an endpoint, under a label.')}]"
            )
        with st.container(horizontal=True, gap="xsmall"):
            if st.button(say("Add configuration"), icon=":material/add:", key="benchmark_add"):
                configuration_form.open_to_add(endpoints)
            if not known:
                _built_in_ones()
                return []
            if st.button(say("Edit"), icon=":material/edit:", key="benchmark_edit", disabled=len(chosen) != 1,
                         help=None if len(chosen) == 1 else say("Tick exactly one.")):  # fmt: skip
                configuration_form.open_to_edit(endpoints, chosen[0])
            if st.button(say("Remove"), icon=":material/delete:", key="benchmark_remove", disabled=not chosen):
                configuration_form.ask_to_delete(chosen)
    return chosen


def _built_in_ones() -> None:
    words = say("Q4_0, Q8_0 and F16 of a small model that runs on this machine.")
    if st.button(say("Take the built-in model"), icon=":material/deployed_code:", key="benchmark_built_in", help=words):
        for name in builtin.COMPARED:
            builtin_start.add_variant(name)
        st.rerun()


def _table(known: Sequence[Configuration]) -> list[Configuration]:
    ticked = st.session_state.get(CHOSEN, [])
    frame = pd.DataFrame(
        {
            "": [look.swatch(one.slot) for one in known],
            "Configuration": [one.label for one in known],
            "Model": [one.model for one in known],
            "Endpoint": [one.endpoint.name for one in known],
            "Settings": [dash(", ".join(f"{name} {value}" for name, value in one.settings)) for one in known],
        }
    )
    text = st.column_config.TextColumn
    event = st.dataframe(
        frame,
        key=f"{TABLE}_{st.session_state.get(configuration_form.VERSION, 0)}",
        hide_index=True,
        row_height=31,
        height="auto" if len(known) < 10 else 346,
        on_select="rerun",
        selection_mode="multi-row",
        selection_default={"selection": {"rows": [place for place, one in enumerate(known) if one.id in ticked]}},
        column_config={
            "": st.column_config.ImageColumn(width=30),
            "Configuration": text(say("Configuration"), width=180),
            "Model": text(say("Model"), width=190),
            "Endpoint": text(say("Endpoint"), width=130),
            "Settings": text(say("Settings")),
        },
    )
    chosen = [known[place] for place in event["selection"]["rows"] if place < len(known)]
    st.session_state[CHOSEN] = [one.id for one in chosen]
    return chosen


def load() -> None:
    """Card 3: how hard."""
    with st.container(border=True, gap="small"):
        look.card_title(3, say("Load"), say(plan_load_form.NOTES[str(typed("kind"))]))
        plan_load_form.fields(plan_load_form.kind())


def limits() -> None:
    """The folded card: caps, sampling, and what else goes into the request."""
    with st.expander(say("Limits and request details"), icon=":material/rule:"):
        share, most, *more = look.pair("cards4_limits", 4, gap="small", vertical_alignment="bottom")
        share.number_input(
            say("Stop at failures, %"), 1, 100, key=key("error_share"), **KEPT,
            help=say("A run stops when more than this share of at least 20 ended requests failed."),
        )  # fmt: skip
        most.number_input(
            say("Stop after output tokens"), 1, None, key=key("most_tokens"), placeholder=say("no cap"), **KEPT
        )
        plan_workload.details(*more)
        st.markdown(f":gray[:small[{say('Timeouts and the certificate belong to the endpoint.')}]]")
