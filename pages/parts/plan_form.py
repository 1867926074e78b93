"""The numbered cards of a benchmark plan: what is compared, what is asked, how hard. Touches the fields only."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.plan import Configuration, Endpoint, PlanError
from core.servers import builtin
from core.words import say
from pages.parts import builtin_start, configuration_form, look, plan_fields, plan_load_form
from pages.parts.configuration_form import CHOSEN
from pages.parts.plan_fields import MOST_SEED
from pages.parts.plan_loads import TRACE
from pages.parts.plan_state import KEPT, key, put, typed
from pages.parts.text import dash

TABLE = "benchmark_table"


def card_title(number: int, title: str, note: str = "") -> None:
    """The head of a numbered card."""
    st.markdown(f"**{number} &ensp;{title}**" + (f" &ensp;:gray[:small[{note}]]" if note else ""))


def configurations(known: Sequence[Configuration], endpoints: Sequence[Endpoint]) -> list[Configuration]:
    """Card 1: a table with tick boxes; those that are ticked."""
    with st.container(border=True, gap="small"):
        card_title(1, say("Configurations"), say("runs are interleaved so that drift of the machine hits all alike"))
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


def workload() -> None:
    """Card 2: what is asked."""
    with st.container(border=True, gap="small"):
        new = say("random words, new for every request, so that no prefix cache helps")
        card_title(2, say("Workload"), new if typed("nonce") else say("random words, the same in every run"))
        if typed("kind") == TRACE:
            words = say("A trace gives every measured request its lengths; these are those of the warm-up.")
            st.markdown(f":gray[:small[{words}]]")
        prompt, answer, exact = look.pair("cards3_workload", 3, gap="small")
        prompt.number_input(say("Prompt length, tokens"), 1, 1_000_000, step=64, key=key("input"), **KEPT)
        answer.number_input(say("Answer length, tokens"), 1, 100_000, step=64, key=key("output"), **KEPT)
        exact.selectbox(
            say("Answer ends"), [False, True], key=key("exact"), **KEPT,
            format_func=lambda it: say("at that length") if it else say("when it stops"),
            help=say("Exactly: the server is asked to ignore its stop token (ignore_eos), where it accepts that. "
                     "Otherwise answers may be shorter than asked, which changes what is compared."),
        )  # fmt: skip
        if not typed("nonce"):
            _same_prompts()


def _same_prompts() -> None:
    """Of a loaded plan without a nonce: what that does to its numbers, and the way out."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", gap="small"):
        words = say("The plan that was loaded asks the same prompts again at every level and of every configuration: a "
                    "prefix cache answers the later ones faster, so they do not compare.")  # fmt: skip
        with st.container(width="stretch"):
            look.problem(words, level="act")
        st.button(say("Ask new prompts"), key="benchmark_new_prompts", on_click=put, args=("nonce", True))


def load() -> None:
    """Card 3: how hard."""
    with st.container(border=True, gap="small"):
        card_title(3, say("Load"), say(plan_load_form.NOTES[str(typed("kind"))]))
        plan_load_form.fields(plan_load_form.kind())


def limits() -> None:
    """The folded card: caps, sampling, and what else goes into the request."""
    with st.expander(say("Limits and request details"), icon=":material/rule:"):
        share, most, heat, stream = look.pair("cards4_limits", 4, gap="small", vertical_alignment="bottom")
        share.number_input(
            say("Stop at failures, %"), 1, 100, key=key("error_share"), **KEPT,
            help=say("A run stops when more than this share of at least 20 ended requests failed."),
        )  # fmt: skip
        most.number_input(
            say("Stop after output tokens"), 1, None, key=key("most_tokens"), placeholder=say("no cap"), **KEPT
        )
        heat.number_input(say("Temperature"), 0.0, 2.0, step=0.1, key=key("temperature"), placeholder="–", **KEPT)
        with stream:
            st.toggle(say("Stream"), key=key("stream"), **KEPT,
                      help=say("Without it TTFT, TPOT and chunk gaps do not exist."))  # fmt: skip
            st.toggle(say("Keep answer texts"), key=key("keep_text"), **KEPT)
        body, seed = look.pair("pair_body", [3, 1], gap="small")
        body.text_area(
            say("Extra body"), key=key("extra"), height=80, placeholder='{"top_p": 0.9}', **KEPT,
            help=say("A JSON object merged into every request body."),
        )  # fmt: skip
        seed.number_input(
            say("Seed"), -MOST_SEED, MOST_SEED, key=key("seed"), **KEPT,
            help=say("The same seed asks the same random words, and in open loop at the same moments."),
        )  # fmt: skip
        try:
            plan_fields.workload()
        except PlanError as fault:
            look.problem(str(fault))
        st.markdown(f":gray[:small[{say('Timeouts and the certificate belong to the endpoint.')}]]")
