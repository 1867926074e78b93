"""Where the fields of a benchmark plan keep what was typed. Knows their keys and none of their meanings."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

EDITION = "benchmark_edition"  # how often a plan was put into the fields
KEPT: dict[str, Any] = {"persist_state": "session"}  # of a widget: it keeps its value through page changes


def key(name: str) -> str:
    """The key of a field's widget."""
    return _key(name, st.session_state.get(EDITION, 0))


def _key(name: str, edition: int) -> str:
    return f"benchmark_{name}_{edition}" if edition else f"benchmark_{name}"


def renew(names: Iterable[str]) -> None:
    """Other widgets from now on, with what these fields hold: for before a plan is put into them.

    A browser tells with every press and tick what stands in its widgets. What it sent before it drew the new plan
    comes after that plan was filled in, and would put the old values back into widgets of the same name.
    """
    edition = st.session_state.get(EDITION, 0)
    for name in names:
        if _key(name, edition) in st.session_state:
            st.session_state[_key(name, edition + 1)] = st.session_state.pop(_key(name, edition))
    st.session_state[EDITION] = edition + 1


def typed(name: str) -> Any:
    """What stands in a field."""
    return st.session_state[key(name)]


def put(name: str, value: object) -> None:
    """Fill a field, before its widget is drawn."""
    st.session_state[key(name)] = value
