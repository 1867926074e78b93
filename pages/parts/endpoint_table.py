"""The table of endpoints: what each is, how its last probe ended. Knows no form and asks nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from core.plan import Endpoint
from core.probe import ProbeResult, ProbeState
from core.words import say
from pages.parts.measures import hint
from pages.parts.text import ago, milliseconds

PROBING, NOT_PROBED, BUILT_IN = "probing", "not probed", "built in"
CHIPS = {
    PROBING: "blue",
    NOT_PROBED: "gray",
    BUILT_IN: "gray",
    ProbeState.READY: "green",
    ProbeState.BUFFERED: "orange",
    ProbeState.NOT_STREAMED: "orange",
    ProbeState.BUSY: "orange",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One endpoint with what is known of it."""

    endpoint: Endpoint
    probe: ProbeResult | None = None
    probing: bool = False

    @property
    def state(self) -> str:
        """The word of its chip; what Paceline starts itself needs no probe to be used."""
        if self.probing:
            return PROBING
        if self.probe is not None:
            return self.probe.state
        return BUILT_IN if self.endpoint.demo else NOT_PROBED


def address(endpoint: Endpoint) -> str:
    """Where it is, as people know it."""
    return say("built in, 127.0.0.1") if endpoint.demo else endpoint.base_url


def engine(probe: ProbeResult | None) -> str | None:
    """Engine and version in one cell; "unknown" is what a lying server gets."""
    if probe is None:
        return None
    return f"{probe.engine} {probe.engine_version or ''}".strip()


def tokens_from(probe: ProbeResult | None) -> str:
    """Where token counts would come from."""
    if probe is None or probe.usage is None:
        return say("not tried")
    return say("usage") if probe.usage else say("not sent")


def _frame(lines: Sequence[Line]) -> pd.DataFrame:
    now = datetime.now(UTC)
    return pd.DataFrame(
        {
            "Endpoint": [line.endpoint.name for line in lines],
            "State": [[say(str(line.state))] for line in lines],
            "Address": [address(line.endpoint) for line in lines],
            "Engine": [engine(line.probe) for line in lines],
            "Model": [line.probe.model if line.probe else None for line in lines],
            "First token": [milliseconds(line.probe.first_token_s) if line.probe else None for line in lines],
            "Streams": [(line.probe.streams if line.probe else None) or say("not tried") for line in lines],
            "Tokens from": [tokens_from(line.probe) for line in lines],
            "Key name": [line.endpoint.key_name or say("none") for line in lines],
            "Probed": [ago(line.probe.at, now) if line.probe else None for line in lines],
        }
    )


def show(lines: Sequence[Line], *, key: str, selected: int | None) -> int | None:
    """Draw the table; the place of the row that the reader chose."""
    states = [str(state) for state in (PROBING, NOT_PROBED, BUILT_IN, *ProbeState)]
    column = st.column_config
    event = st.dataframe(
        _frame(lines),
        key=key,
        hide_index=True,
        row_height=34,
        placeholder="–",
        on_select="rerun",
        selection_mode="single-row",
        selection_default={"selection": {"rows": [] if selected is None else [selected]}},
        column_config={
            "Endpoint": column.TextColumn(say("Endpoint")),
            "Address": column.TextColumn(say("Address"), width=200),
            "Engine": column.TextColumn(say("Engine"), width=110),
            "Model": column.TextColumn(say("Model"), width=180),
            "State": column.MultiselectColumn(
                say("State"),
                options=[say(state) for state in states],
                color=[CHIPS.get(state, "red") for state in states],
                width=105,
            ),
            "First token": column.NumberColumn(
                say("First token, ms"),
                format="%.0f",
                width=105,
                help=hint(say("Of the probe's single tiny request: an indication, not a measurement."), "ttft_s"),
            ),
            "Streams": column.TextColumn(say("Streams"), width=80),
            "Tokens from": column.TextColumn(say("Tokens from"), width=90),
            "Key name": column.TextColumn(say("Key name")),
            "Probed": column.TextColumn(say("Probed"), width=95),
        },
    )
    rows = event["selection"]["rows"]
    return rows[0] if rows and rows[0] < len(lines) else None
