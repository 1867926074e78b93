"""The table of all runs. Shows rows that it is given, and says which are ticked or were opened."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import pandas as pd
import streamlit as st

from core.charts.sample import thinned
from core.endpoint import SIMULATED
from core.run import is_renamed
from core.words import say
from pages.parts.look import STATE_COLOUR, swatch, zone
from pages.parts.measures import definition, few, few_note, hint, muted, success_percent, three_digits
from pages.parts.runs_room import fitting
from pages.parts.text import MISSING, in_cell, milliseconds, when
from storage.runs import RunRow

SPARKS = 30
TALLEST = 720
NAME = "Configuration"
RATE = "Requests/s"
DOUBT = "Doubt"
TICKED = "runs_ticked"
# What is seen where there is no room for all, the first first, with the pixels that each takes.
WIDTHS = {
    "": 30, NAME: 130, "In flight": 66, RATE: 84, "TTFT p50": 84, "TPOT p50": 84, "Output": 90, DOUBT: 88, "State": 90,
    "Tags": 110, "Started": 90, "TTFT p99": 84, "Name": 130, "Success": 76, "Requests": 74, "Model": 150, "Engine": 90,
    "One": 106, "Gap": 104, "Experiment": 150,
}  # fmt: skip
MARKED = 190  # pixels for a name behind the mark of the simulator
FREE = {NAME: 0.6, "Model": 0.4}  # their shares of what is left


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What the reader did in the table."""

    ticked: tuple[RunRow, ...] = ()
    opened: RunRow | None = None


def table_key(ids: Sequence[str]) -> str:
    """The table's key: another one for other rows, as the table's own ticks belong to places and not to runs."""
    return f"runs_table_{blake2b('-'.join(ids).encode(), digest_size=8).hexdigest()}"


def tick(ids: Sequence[str]) -> None:
    """Have these ticked, too."""
    st.session_state[TICKED] = list(dict.fromkeys([*st.session_state.get(TICKED, ()), *ids]))


def table(rows: Sequence[RunRow], room: int | None = None) -> Chosen:
    """The rows; a click on a name opens its run, ticks choose. Without `room` all columns are there."""
    ids, before = [row.id for row in rows], st.session_state.get(TICKED, [])
    frame = _frame(rows)
    wanted = name_room(WIDTHS, rows)
    widths = wanted if room is None else fitting(room, list(frame), wanted, FREE)
    event = st.dataframe(
        muted(frame, {"TTFT p99": [few("p99", row.ok) for row in rows]}),
        hide_index=True,
        height=min(TALLEST, 38 + 31 * max(len(rows), 1)),
        row_height=31,
        placeholder=MISSING,
        key=table_key(ids),
        on_select="rerun",
        selection_mode=["multi-row", "single-cell"],
        selection_default={"selection": {"rows": [place for place, one in enumerate(ids) if one in before]}},
        column_order=[name for name in frame if name in widths],
        column_config=_columns(rows, widths),
    )["selection"]
    ticked = tuple(rows[place] for place in event["rows"] if place < len(rows))
    st.session_state[TICKED] = [*(one for one in before if one not in ids), *(row.id for row in ticked)]
    cells = [place for place, column in event.get("cells", ()) if column == NAME and place < len(rows)]
    return Chosen(ticked=ticked, opened=rows[cells[0]] if cells else None)


def name_room(widths: Mapping[str, int], rows: Sequence[RunRow]) -> dict[str, int]:
    """The widths with room for a name behind the mark of the simulator, where there is one."""
    return {**widths, NAME: MARKED} if any(row.demo == SIMULATED for row in rows) else dict(widths)


def rates(rows: Sequence[RunRow]) -> dict[str, list[float | None]]:
    """The column of requests/s; none where all runs are closed loops."""
    found = [row.rate for row in rows]
    return {RATE: found} if any(rate is not None for rate in found) else {}


def doubts(rows: Sequence[RunRow]) -> dict[str, list[list[str]]]:
    """The column of runs whose numbers are in doubt, in the words of a verdict; none where no run is."""
    return {DOUBT: [[say("in doubt")] * row.doubted for row in rows]} if any(row.doubted for row in rows) else {}


def doubt_column(width: int | None) -> Any:
    """How that column looks."""
    help_text = say(
        "Made on a machine without idle time on which the server ran too, or by a load generator that was late: the "
        "run's page says which."
    )
    return st.column_config.MultiselectColumn(
        say("Doubt"), options=[say("in doubt")], color=["orange"], width=width, help=help_text
    )


def _frame(rows: Sequence[RunRow]) -> pd.DataFrame:
    zoned = zone()
    names = [row.name if is_renamed(row.name, label=row.label, level=row.level) else None for row in rows]
    return pd.DataFrame(
        {
            "": [swatch(row.slot) for row in rows],
            NAME: [in_cell(row.label, row.demo) for row in rows],
            "In flight": [row.concurrency for row in rows],
            **rates(rows),
            "Requests": [row.ok for row in rows],
            "TTFT p50": [three_digits(milliseconds(row.ttft_p50_s)) for row in rows],
            "TTFT p99": [three_digits(milliseconds(row.ttft_p99_s)) for row in rows],
            "TPOT p50": [three_digits(milliseconds(row.tpot_p50_s)) for row in rows],
            "Output": [three_digits(row.output_tokens_per_s) for row in rows],
            "One": [three_digits(row.decode_tps) for row in rows],
            "Success": [success_percent(row.success_rate) for row in rows],
            "Gap": [thinned([gap * 1e3 for gap in row.gap_grid[1:-1]], SPARKS) for row in rows],
            "State": [[say(row.state.value)] for row in rows],
            **doubts(rows),
            "Model": [row.model for row in rows],
            "Engine": [row.engine or None for row in rows],
            "Started": [when(row.started_at, zoned) for row in rows],
            "Experiment": [row.experiment_name for row in rows],
        }
        | ({"Tags": [list(row.tags) for row in rows]} if any(row.tags for row in rows) else {})
        | ({"Name": names} if any(names) else {})
    )


def _columns(rows: Sequence[RunRow], widths: Mapping[str, int]) -> dict[str, Any]:
    config = st.column_config
    number, text = config.NumberColumn, config.TextColumn
    fastest = max((row.output_tokens_per_s or 0 for row in rows), default=0)
    made: dict[str, tuple[Callable[..., Any], str, dict[str, Any]]] = {
        "": (config.ImageColumn, "", {}),
        NAME: (text, say("Configuration"), {"help": say("A click on the name opens the run.")}),
        "In flight": (number, say("In flight"), {"format": "localized", "help": definition("load")}),
        RATE: (number, say("Requests/s"), {"format": "%.3g", "help": definition("load")}),
        "Requests": (number, say("Answered"), {
            "format": "localized",
            "help": hint(say("Requests that succeeded, without warm-up; failed and empty ones are not among them."),
                         "success_rate"),
        }),
        "TTFT p50": (number, say("TTFT p50, ms"), {"format": "localized", "help": definition("ttft_s")}),
        "TTFT p99": (
            number, say("TTFT p99, ms"), {"format": "localized", "help": definition("ttft_s", few_note("p99"))}
        ),
        "TPOT p50": (number, say("TPOT p50, ms"), {"format": "localized", "help": definition("tpot_s")}),
        "Output": (
            config.ProgressColumn,
            say("Output, tok/s"),
            {
                "format": "localized", "min_value": 0, "max_value": max(fastest, 1), "color": "gray",
                "help": definition("output_tokens_per_s"),
            },
        ),
        "One": (number, say("One stream, tok/s"), {"format": "localized", "help": definition("decode_tps")}),
        "Success": (number, say("Success, %"), {"format": "%.1f", "help": definition("success_rate")}),
        "Gap": (
            config.LineChartColumn, say("Chunk gap p1–p99"), {"y_min": 0, "color": "gray", "help": definition("gap_s")}
        ),
        "State": (
            config.MultiselectColumn,
            say("State"),
            {"options": [say(state) for state in STATE_COLOUR], "color": list(STATE_COLOUR.values())},
        ),
        "Model": (text, say("Model"), {}),
        "Engine": (text, say("Engine"), {}),
        "Started": (text, say("Started"), {}),
        "Experiment": (text, say("Experiment"), {}),
        "Tags": (config.ListColumn, say("Tags"), {}),
        "Name": (text, say("Name"), {"help": say("The run's own name, where it was given one.")}),
    }  # fmt: skip
    found = {name: kind(title, width=widths.get(name), **options) for name, (kind, title, options) in made.items()
             if name != RATE or rates(rows)}  # fmt: skip
    return found | ({DOUBT: doubt_column(widths.get(DOUBT))} if doubts(rows) else {})
