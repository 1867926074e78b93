"""Where the fields of a benchmark plan keep what was typed. Knows their keys and none of their meanings."""

from typing import Any

import streamlit as st

KEPT: dict[str, Any] = {"persist_state": "session"}  # of a widget: it keeps its value through page changes


def key(name: str) -> str:
    """The key of a field's widget."""
    return f"benchmark_{name}"


def typed(name: str) -> Any:
    """What stands in a field."""
    return st.session_state[key(name)]


def put(name: str, value: object) -> None:
    """Fill a field, before its widget is drawn."""
    st.session_state[key(name)] = value
