"""The table of saved workloads: name, version, what each asks. Knows no form and makes no prompt."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from core.words import say
from core.workload_words import LANGUAGES, asked_words, lengths_words
from pages.parts.text import ago
from storage.library_values import SavedWorkload

SHORT_LANGUAGES = LANGUAGES | {"mixed": "mixed"}


def _frame(saved: Sequence[SavedWorkload], used: Mapping[str, datetime]) -> pd.DataFrame:
    now = datetime.now(UTC)
    return pd.DataFrame(
        {
            "Workload": [one.name for one in saved],
            "Version": [one.version for one in saved],
            "Lengths": [lengths_words(one.workload) for one in saved],
            "Language": [say(SHORT_LANGUAGES[one.workload.language]) for one in saved],
            "Asks": [asked_words(one.workload) or say("random words, until the model stops") for one in saved],
            "Saved": [ago(one.saved_at, now) for one in saved],
            "Used": [ago(used[one.name], now) if one.name in used else None for one in saved],
        }
    )


def show(saved: Sequence[SavedWorkload], used: Mapping[str, datetime], *, key: str, selected: int | None) -> int | None:
    """Draw the table; the place of the row that the reader chose."""
    text = st.column_config.TextColumn
    event = st.dataframe(
        _frame(saved, used),
        key=key,
        hide_index=True,
        row_height=34,
        height="auto" if len(saved) < 10 else 375,
        placeholder="–",
        on_select="rerun",
        selection_mode="single-row",
        selection_default={"selection": {"rows": [] if selected is None else [selected]}},
        column_config={
            "Workload": text(say("Workload"), width=170),
            "Version": st.column_config.NumberColumn(say("Version"), width=70, format="%d"),
            "Lengths": text(say("Prompt → answer, tokens"), width=270),
            "Language": text(say("Language"), width=85),
            "Asks": text(say("What else it asks")),
            "Saved": text(say("Saved"), width=95),
            "Used": text(say("Last used"), width=95, help=say("When the last run of it began.")),
        },
    )
    rows = event["selection"]["rows"]
    return rows[0] if rows and rows[0] < len(saved) else None
