"""A run's lengths in a small table: asked for, sent, counted by the server; and what is behind each. Knows no plan."""

import pandas as pd
import streamlit as st

from core.lengths_seen import LengthsSeen
from core.quantities import number, percent
from core.summary import Distribution
from core.words import say
from pages.parts.look import section
from pages.parts.text import MISSING

HELP = (
    "**Asked for**: what the workload says, of a prompt with the chat template and the system prompt in it.\n\n"
    "**Sent**: the same prompt by the server's own tokenizer, asked before the run. A dash: it does not tell.\n\n"
    "**Counted**: what the server says in each answer's usage. Of an answer it is what was delivered."
)


def show(seen: tuple[LengthsSeen, LengthsSeen], template_tokens: int | None) -> None:
    """Prompts and answers, if anything is known of them."""
    if not any(one.asked or one.counted for one in seen):
        return
    note = say("tokens on average, with the least and the most")
    if template_tokens:
        note += say("; in each prompt {n} of the chat template and the system prompt", n=template_tokens)
    with st.container(border=True, gap="xsmall"):
        section(say("Lengths"), note, help_text=say(HELP))
        rows = [
            {
                say("Of"): name,
                say("Asked for"): _words(one.asked),
                say("Sent"): _words(one.sent) if name == say("prompts") else say("not applicable"),
                say("Counted by the server"): _words(one.counted),
                say("Counted against asked"): _difference(one.apart),
            }
            for name, one in zip((say("prompts"), say("answers")), seen, strict=True)
        ]
        st.table(pd.DataFrame(rows), border="horizontal", hide_index=True)


def _words(found: Distribution | None) -> str:
    if found is None:
        return MISSING
    mean = number(found.mean)
    return mean if found.min == found.max else f"{mean} ({found.min:,.0f} – {found.max:,.0f})"


def _difference(apart: float | None) -> str:
    if apart is None:
        return MISSING
    if apart == 0:
        return say("the same")
    return ("+" if apart > 0 else "") + percent(apart, digits=1)
