"""What a benchmark asks: the four quick fields, or a workload that is taken as it is. Touches the fields only."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.plan import PlanError, Workload
from core.words import say
from core.workload_words import LANGUAGES, asked_words, lengths_words, saved_words, text_words
from pages.parts import look, plan_fields, state
from pages.parts.plan_fields import MOST_SEED
from pages.parts.plan_loads import TRACE
from pages.parts.plan_state import KEPT, key, put, typed
from pages.parts.text import escape_markdown

TYPED, HELD = "", "held"  # beside the names of saved workloads, which are no empty texts and begin with a blank here


def card() -> None:
    """Card 2: what is asked."""
    held = plan_fields.held()
    nonce = typed("nonce") if held is None else held.nonce
    with st.container(border=True, gap="small"):
        new = say("random words, new for every request, so that no prefix cache helps")
        look.card_title(2, say("Workload"), new if nonce else say("random words, the same in every run"))
        if typed("kind") == TRACE:
            words = say("A trace gives every measured request its lengths; these are those of the warm-up.")
            st.markdown(f":gray[:small[{words}]]")
        _choice(held)
        if held is None:
            _quick_fields()
        else:
            _told(held)
        if not nonce:
            _same_prompts()


def _choice(held: Workload | None) -> None:
    """Which workload: the fields below, a saved one, or what a loaded plan brought."""
    saved = {f" {one.name}": one.workload for one in state.services().library.workloads.newest()}
    if not saved and held is None:
        return
    options = {
        TYPED: say("as typed below"),
        **{name: f"{name.strip()} · {lengths_words(saved[name])}" for name in saved},
    }
    chosen = TYPED
    if held is not None:
        chosen = _place_of(held, saved)
    if chosen == HELD:
        options[HELD] = saved_words(held) if held and held.saved_name else say("of the loaded plan")
    st.session_state[key("workload")] = chosen
    st.selectbox(
        say("What is asked"), list(options), key=key("workload"), format_func=options.__getitem__,
        on_change=_take, args=(saved,), label_visibility="collapsed",
    )  # fmt: skip


def _place_of(held: Workload, saved: Mapping[str, Workload]) -> str:
    """Its name among the saved ones, if it is the very version that is saved last."""
    name = f" {held.saved_name}"
    known = saved.get(name)
    is_it = known is not None and known.comparable == held.comparable and known.saved_version == held.saved_version
    return name if is_it and known is not None and known.seed == held.seed else HELD


def _take(saved: Mapping[str, Workload]) -> None:
    picked = typed("workload")
    if picked != HELD:
        plan_fields.take(saved.get(picked))


def _told(held: Workload) -> None:
    """All that a workload asks which is taken as it is."""
    parts = [say("{lengths} tokens", lengths=lengths_words(held)), say(LANGUAGES[held.language]), asked_words(held)]
    told = escape_markdown(" · ".join(filter(None, parts)))
    if held.system_prompt is not None:
        told += (
            "  \n:gray[:small[" + escape_markdown(say("System prompt: {it}", it=text_words(held.system_prompt))) + "]]"
        )
    st.markdown(told)


def _quick_fields() -> None:
    prompt, answer, exact = look.pair("cards3_workload", 3, gap="small")
    prompt.number_input(say("Prompt length, tokens"), 1, 1_000_000, step=64, key=key("input"), **KEPT)
    answer.number_input(say("Answer length, tokens"), 1, 100_000, step=64, key=key("output"), **KEPT)
    exact.selectbox(
        say("Answer ends"), [False, True], key=key("exact"), **KEPT,
        format_func=lambda it: say("at that length") if it else say("when it stops"),
        help=say("Exactly: the server is asked to ignore its stop token (ignore_eos), where it accepts that. "
                 "Otherwise answers may be shorter than asked, which changes what is compared."),
    )  # fmt: skip


def _same_prompts() -> None:
    """Without a nonce: what that does to the numbers, and the way out."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", gap="small"):
        words = say("This asks the same prompts again at every level and of every configuration: a prefix cache "
                    "answers the later ones faster, so they do not compare.")  # fmt: skip
        with st.container(width="stretch"):
            look.problem(words, level="act")
        st.button(say("Ask new prompts"), key="benchmark_new_prompts", on_click=_ask_new)


def _ask_new() -> None:
    put("nonce", True)
    held = plan_fields.held()
    if held is not None:
        plan_fields.take(replace(held, nonce=True, saved_name=None, saved_version=None))


def details(heat: DeltaGenerator, switches: DeltaGenerator) -> None:
    """What else goes into a request, beside two limits: of a workload that is taken only whether texts are kept."""
    if plan_fields.held() is not None:
        heat.toggle(say("Keep answer texts"), key=key("keep_text"), **KEPT)
        words = say("Temperature, streaming, extra body and seed are those of the workload.")
        st.markdown(f":gray[:small[{words}]]")
        return
    heat.number_input(say("Temperature"), 0.0, 100.0, step=0.1, key=key("temperature"), placeholder="–", **KEPT)
    with switches:
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
