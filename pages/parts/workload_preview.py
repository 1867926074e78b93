"""What a saved workload would send: its first prompts with their tokens, and the lengths it draws. Sends nothing."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from core.charts.lengths import drawn_lengths
from core.loadgen.preview import DRAWN, Preview, preview
from core.plan import Workload
from core.servers.model_tokenizer import TokenizerError, bundled
from core.servers.variants import VariantError
from core.words import say
from core.workload_words import LANGUAGES, lengths_words, stop_words, text_words
from pages.parts import look
from pages.parts.text import count, escape_markdown

LONGEST = 400  # of a prompt's begin in the table


def made(workload: Workload) -> Preview:
    """Its preview, made once."""
    return _made(repr(workload.comparable) + str(workload.seed), workload)


@st.cache_data(max_entries=64, show_spinner=say("Making the first prompts"))
def _made(told: str, _workload: Workload) -> Preview:  # noqa: ARG001 -- what it is kept under
    return preview(_workload, _counter())


@st.cache_resource(show_spinner=False)
def _counter() -> Callable[[str], int] | None:
    """What counts tokens as the built-in model does; None where its file is not installed."""
    try:
        return bundled()
    except (VariantError, TokenizerError):
        return None


def histogram(found: Preview) -> None:
    """The lengths drawn first."""
    look.section(say("Lengths"), say("of the first {n} requests", n=DRAWN))
    look.plot(drawn_lengths(look.mode(), found.drawn), key="workload_lengths", tools=False)


def facts(workload: Workload) -> None:
    """All that it asks, one thing a line."""
    temperature = say("not sent") if workload.temperature is None else f"{workload.temperature:g}"
    told = {
        say("prompt → answer, tokens"): lengths_words(workload),
        say("language"): say(LANGUAGES[workload.language]),
        say("answers end"): say("at that length, where the server can")
        if workload.ignore_eos
        else say("when they stop"),
        say("system prompt"): text_words(workload.system_prompt),
        say("stop texts"): stop_words(workload),
        say("temperature, seed"): f"{temperature}, {workload.seed}",
        say("more in the body"): ", ".join(f"{name} {value}" for name, value in workload.extra_body.items())
        or say("none"),
        say("streamed"): say("yes") if workload.stream else say("no"),
        say("prompts"): say("new in every run") if workload.nonce else say("the same in every run"),
    }
    rows = [{say("What"): escape_markdown(name), say("Value"): escape_markdown(value)} for name, value in told.items()]
    st.table(pd.DataFrame(rows), border="horizontal", hide_index=True, hide_header=True)


def prompts(found: Preview) -> None:
    """The first prompts, and who counted their tokens."""
    look.section(say("First prompts"), _counted(found))
    tokens = say("Tokens") if found.counted else say("Tokens, about")
    number = st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(
            {
                "Asked": [one.asked_tokens for one in found.prompts],
                "Tokens": [one.tokens for one in found.prompts],
                "Answer": [one.answer_tokens for one in found.prompts],
                "Prompt": [" ".join(one.text[:LONGEST].split()) for one in found.prompts],
            }
        ),
        hide_index=True,
        row_height=31,
        key="workload_prompts",
        column_config={
            "Asked": number(say("Asked for"), format="localized", width=90),
            "Tokens": number(tokens, format="localized", width=110),
            "Answer": number(say("Answer, at most"), format="localized", width=120),
            "Prompt": st.column_config.TextColumn(say("Prompt, its begin"), width=900),
        },
    )
    with st.expander(say("The first one whole")):
        st.code(found.prompts[0].text, language=None, wrap_lines=True)


def _counted(found: Preview) -> str:
    who = say("counted by the tokenizer of the built-in model") if found.counted else say("about, by words")
    system = say(", the system prompt's {n} with them", n=count(found.system_tokens)) if found.system_tokens else ""
    rest = say("; in a run the text is shorter by what the server's chat template takes")
    return escape_markdown(f"{who}{system}{rest}")
