"""The newest runs in a table; a chosen row opens its run."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.words import say
from pages.parts import links, look
from pages.parts.measures import success_percent, three_digits
from pages.parts.text import milliseconds, when
from storage.runs import RunRow


def show(rows: Sequence[RunRow]) -> None:
    """Swatch first, the sparkline near the end."""
    frame = pd.DataFrame(
        {
            "": [look.swatch(row.slot) for row in rows],
            "Configuration": [row.label for row in rows],
            "Engine": [row.engine or None for row in rows],
            "In flight": [row.concurrency for row in rows],
            "TTFT p50": [three_digits(milliseconds(row.ttft_p50_s)) for row in rows],
            "TTFT p99": [three_digits(milliseconds(row.ttft_p99_s)) for row in rows],
            "TPOT p50": [milliseconds(row.tpot_p50_s) for row in rows],
            "Output": [three_digits(row.output_tokens_per_s) for row in rows],
            "Success": [success_percent(row.success_rate) for row in rows],
            "Over time": [list(row.sparkline) for row in rows],
            "State": [str(row.state) for row in rows],
            "Started": [when(row.started_at, look.zone()) for row in rows],
        }
    )
    column = st.column_config
    number, text = column.NumberColumn, column.TextColumn
    event = st.dataframe(
        frame,
        key="overview_runs",
        hide_index=True,
        row_height=32,
        placeholder="–",
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            "": column.ImageColumn(width=30),
            "Configuration": text(say("Configuration")),
            "Engine": text(say("Engine"), width=105),
            "In flight": number(say("In flight"), width=66),
            "TTFT p50": number(say("TTFT p50, ms"), format="localized", width=88),
            "TTFT p99": number(say("TTFT p99, ms"), format="localized", width=88),
            "TPOT p50": number(say("TPOT p50, ms"), format="%.2f", width=88),
            "Output": number(say("Output, tok/s"), format="localized", width=88),
            "Success": number(say("Success, %"), format="%.1f", width=82),
            "Over time": column.LineChartColumn(say("Tokens/s over time"), width=130, y_min=0, color="gray"),
            "State": text(say("State"), width=85),
            "Started": text(say("Started"), width=100),
        },
    )
    chosen = event["selection"]["rows"]
    if chosen and chosen[0] < len(rows):
        links.go("run", run=rows[chosen[0]].id)
