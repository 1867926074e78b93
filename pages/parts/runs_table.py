"""The table of all runs. Shows rows that it is given, and says which are ticked or were opened."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from core.charts.sample import thinned
from core.words import say
from pages.parts.look import STATE_COLOUR, swatch, zone
from pages.parts.measures import definition, few, few_note, muted, success_percent, three_digits
from pages.parts.text import MISSING, in_cell, milliseconds, when
from storage.runs import RunRow

SPARKS = 30
TALLEST = 720
NAME = "Configuration"


VERSION = "runs_table_version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What the reader did in the table."""

    ticked: tuple[RunRow, ...] = ()
    opened: RunRow | None = None


def table_key() -> str:
    """The table's key: another one after each deletion, as ticks belong to places and not to runs."""
    return f"runs_table_{st.session_state.setdefault(VERSION, 0)}"


def forget_ticks() -> None:
    """The rows have changed: what was ticked is ticked no more."""
    st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1


def table(rows: Sequence[RunRow], ticked: Sequence[str] = ()) -> Chosen:
    """All rows; a click on a name opens its run, ticks choose. `ticked` are the ids ticked at first."""
    places = [place for place, row in enumerate(rows) if row.id in ticked]
    event = st.dataframe(
        muted(_frame(rows), {"TTFT p99": [few("p99", row.ok) for row in rows]}),
        hide_index=True,
        height=min(TALLEST, 38 + 31 * max(len(rows), 1)),
        row_height=31,
        placeholder=MISSING,
        key=table_key(),
        on_select="rerun",
        selection_mode=["multi-row", "single-cell"],
        selection_default={"selection": {"rows": places}} if places else None,
        column_config=_columns(rows),
    )["selection"]
    cells = [place for place, column in event.get("cells", ()) if column == NAME and place < len(rows)]
    return Chosen(
        ticked=tuple(rows[place] for place in event["rows"] if place < len(rows)),
        opened=rows[cells[0]] if cells else None,
    )


def _frame(rows: Sequence[RunRow]) -> pd.DataFrame:
    zoned = zone()
    return pd.DataFrame(
        {
            "": [swatch(row.slot) for row in rows],
            NAME: [in_cell(row.label, row.demo) for row in rows],
            "In flight": [row.concurrency for row in rows],
            "Requests": [row.ok for row in rows],
            "TTFT p50": [three_digits(milliseconds(row.ttft_p50_s)) for row in rows],
            "TTFT p99": [three_digits(milliseconds(row.ttft_p99_s)) for row in rows],
            "TPOT p50": [three_digits(milliseconds(row.tpot_p50_s)) for row in rows],
            "Output": [three_digits(row.output_tokens_per_s) for row in rows],
            "One": [three_digits(row.decode_tps) for row in rows],
            "Success": [success_percent(row.success_rate) for row in rows],
            "Gap": [thinned([gap * 1e3 for gap in row.gap_grid[1:-1]], SPARKS) for row in rows],
            "State": [[say(row.state.value)] for row in rows],
            "Model": [row.model for row in rows],
            "Engine": [row.engine or None for row in rows],
            "Started": [when(row.started_at, zoned) for row in rows],
            "Experiment": [row.experiment_name for row in rows],
        }
        | ({"Tags": [list(row.tags) for row in rows]} if any(row.tags for row in rows) else {})
    )


def _columns(rows: Sequence[RunRow]) -> dict[str, Any]:
    config = st.column_config
    number, text = config.NumberColumn, config.TextColumn
    fastest = max((row.output_tokens_per_s or 0 for row in rows), default=0)
    return {
        "": config.ImageColumn(width=30),
        NAME: text(say("Configuration"), width=200, help=say("A click on the name opens the run.")),
        "In flight": number(say("In flight"), format="localized", width=70, help=definition("load")),
        "Requests": number(say("Answered"), format="localized", width=75),
        "TTFT p50": number(say("TTFT p50, ms"), format="localized", width=87, help=definition("ttft_s")),
        "TTFT p99": number(
            say("TTFT p99, ms"), format="localized", width=87, help=definition("ttft_s", few_note("p99"))
        ),
        "TPOT p50": number(say("TPOT p50, ms"), format="localized", width=87, help=definition("tpot_s")),
        "Output": config.ProgressColumn(
            say("Output, tok/s"),
            format="localized",
            min_value=0,
            max_value=max(fastest, 1),
            color="gray",
            width=120,
            help=definition("output_tokens_per_s"),
        ),
        "One": number(say("One stream, tok/s"), format="localized", width=106, help=definition("decode_tps")),
        "Success": number(say("Success, %"), format="%.1f", width=76, help=definition("success_rate")),
        "Gap": config.LineChartColumn(
            say("Chunk gap p1–p99"), y_min=0, width=104, color="gray", help=definition("gap_s")
        ),
        "State": config.MultiselectColumn(
            say("State"),
            options=[say(state) for state in STATE_COLOUR],
            color=list(STATE_COLOUR.values()),
            width=100,
        ),
        "Model": text(say("Model"), width=170),
        "Engine": text(say("Engine"), width=90),
        "Started": text(say("Started"), width=100),
        "Experiment": text(say("Experiment"), width=150),
        "Tags": config.ListColumn(say("Tags"), width=110),
    }
