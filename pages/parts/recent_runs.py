"""The newest runs in a table; a chosen row opens its run."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.words import say
from pages.parts import links, look
from pages.parts.measures import definition, few, few_note, muted, success_percent, three_digits
from pages.parts.runs_room import fitting, room
from pages.parts.runs_table import DOUBT, RATE, doubt_column, doubts, name_room, rates
from pages.parts.text import in_cell, milliseconds, when
from storage.runs import RunRow

# With the pixels that each takes, the first first where there is no room for all.
WIDTHS = {
    "": 30, "Configuration": 130, "In flight": 66, RATE: 84, "TTFT p50": 84, "TPOT p50": 84, "Output": 88, DOUBT: 88,
    "State": 85, "Started": 90, "TTFT p99": 84, "Success": 78, "Over time": 120, "Engine": 105,
}  # fmt: skip


def show(rows: Sequence[RunRow]) -> None:
    """Swatch first, the sparkline near the end."""
    frame = _frame(rows)
    widths = fitting(room(), list(frame), name_room(WIDTHS, rows), {"Configuration": 1})
    event = st.dataframe(
        muted(frame, {"TTFT p99": [few("p99", row.ok) for row in rows]}),
        key="overview_runs",
        hide_index=True,
        row_height=32,
        placeholder="–",
        on_select="rerun",
        selection_mode="single-row",
        column_order=list(widths),
        column_config=_columns(widths),
    )
    chosen = event["selection"]["rows"]
    if chosen and chosen[0] < len(rows):
        links.go("run", run=rows[chosen[0]].id)


def _frame(rows: Sequence[RunRow]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "": [look.swatch(row.slot) for row in rows],
            "Configuration": [in_cell(row.label, row.demo) for row in rows],
            "Engine": [row.engine or None for row in rows],
            "In flight": [row.concurrency for row in rows],
            **rates(rows),
            "TTFT p50": [three_digits(milliseconds(row.ttft_p50_s)) for row in rows],
            "TTFT p99": [three_digits(milliseconds(row.ttft_p99_s)) for row in rows],
            "TPOT p50": [three_digits(milliseconds(row.tpot_p50_s)) for row in rows],
            "Output": [three_digits(row.output_tokens_per_s) for row in rows],
            "Success": [success_percent(row.success_rate) for row in rows],
            "Over time": [list(row.sparkline) for row in rows],
            "State": [say(str(row.state)) for row in rows],
            **doubts(rows),
            "Started": [when(row.started_at, look.zone()) for row in rows],
        }
    )


def _columns(widths: Mapping[str, int]) -> dict[str, Any]:
    column = st.column_config
    number, text = column.NumberColumn, column.TextColumn
    few_p99 = definition("ttft_s", few_note("p99"))
    made: dict[str, tuple[Callable[..., Any], str, dict[str, Any]]] = {
        "": (column.ImageColumn, "", {}),
        "Configuration": (text, say("Configuration"), {}),
        "Engine": (text, say("Engine"), {}),
        "In flight": (number, say("In flight"), {"format": "localized", "help": definition("load")}),
        RATE: (number, say("Requests/s"), {"format": "%.3g", "help": definition("load")}),
        "TTFT p50": (number, say("TTFT p50, ms"), {"format": "localized", "help": definition("ttft_s")}),
        "TTFT p99": (number, say("TTFT p99, ms"), {"format": "localized", "help": few_p99}),
        "TPOT p50": (number, say("TPOT p50, ms"), {"format": "localized", "help": definition("tpot_s")}),
        "Output": (number, say("Output, tok/s"), {"format": "localized", "help": definition("output_tokens_per_s")}),
        "Success": (number, say("Success, %"), {"format": "%.1f", "help": definition("success_rate")}),
        "Over time": (
            column.LineChartColumn,
            say("Tokens/s over time"),
            {"y_min": 0, "color": "gray", "help": definition("output_tokens_per_s")},
        ),
        "State": (text, say("State"), {}),
        "Started": (text, say("Started"), {}),
    }
    found = {name: kind(title, width=widths.get(name), **options) for name, (kind, title, options) in made.items()}
    return found | {DOUBT: doubt_column(widths.get(DOUBT))}
