"""The fields that hold a load back: limits a minute, and waiting as answers ask. Touches the fields only."""

import streamlit as st

from core.restraint import MOST_PER_MINUTE, Restraint
from core.words import say
from pages.parts import look
from pages.parts.plan_state import KEPT, key, put, typed

START: dict[str, object] = {"rpm": None, "tpm": None, "as_told": False, "wait_as_asked": False}


def fields() -> None:
    """Folded: most servers that people run themselves limit nothing."""
    with st.expander(say("Limits of the endpoint"), type="compact"):
        requests, tokens, told, wait = look.pair("cards4_restraint", 4, gap="small", vertical_alignment="bottom")
        requests.number_input(
            say("Requests/min, at most"), 1, MOST_PER_MINUTE, key=key("rpm"), placeholder=say("no limit"), **KEPT,
            help=say("Requests leave evenly spaced, so that no minute holds more. The wait is in no latency."),
        )  # fmt: skip
        tokens.number_input(
            say("Tokens/min, at most"), 1, MOST_PER_MINUTE, key=key("tpm"), placeholder=say("no limit"), **KEPT,
            help=say("Of prompts and of answers as they are asked for, together."),
        )  # fmt: skip
        told.toggle(
            say("Keep under its own"), key=key("as_told"), **KEPT,
            help=say("Limits a minute that the endpoint tells in its headers, where none is given here."),
        )  # fmt: skip
        wait.toggle(
            say("Wait as asked"), key=key("wait_as_asked"), **KEPT,
            help=say("After an answer with Retry-After nothing is sent until its time is over. Otherwise the run sends "
                     "on and tells how many were turned away."),
        )  # fmt: skip


def restraint() -> Restraint:
    """What the fields say. Raises PlanError."""
    return Restraint(
        requests_per_minute=typed("rpm"),
        tokens_per_minute=typed("tpm"),
        as_told=typed("as_told"),
        wait_as_asked=typed("wait_as_asked"),
    )


def fill(found: Restraint) -> None:
    """Put a restraint into the fields."""
    put("rpm", found.requests_per_minute)
    put("tpm", found.tokens_per_minute)
    put("as_told", found.as_told)
    put("wait_as_asked", found.wait_as_asked)
