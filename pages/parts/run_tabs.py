"""A run's requests: the table of all, the ticked one with its texts, and its errors by kind."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.charts.sample import thinned
from core.metrics import gaps_s, waiting_share
from core.quantities import percent
from core.records import COUNTED, Outcome, RequestRecord
from core.words import say
from pages.parts.measures import definition, definitions, sentence, three_digits
from pages.parts.text import MISSING, count, escape_markdown, plural

SPARKS = 40
APART = {
    Outcome.CANCELLED: ("request was cancelled", "requests were cancelled"),
    Outcome.INCOMPLETE: ("request had not ended", "requests had not ended"),
}
Texts = Callable[[str], tuple[str | None, str | None]]


def requests_tab(records: Sequence[RequestRecord], table: pd.DataFrame, texts: Texts) -> None:
    """Every request in a table; the ticked one with its texts and its error."""
    if table.empty:
        st.markdown(f":gray[{say('No request has ended.')}]")
        return
    config = st.column_config
    sparks = {record.request_id: _spark(record) for record in records}
    rows = _rows(table, sparks)
    chosen = st.dataframe(
        rows,
        hide_index=True,
        height=min(420, 38 + 31 * max(len(rows), 1)),
        row_height=31,
        placeholder=MISSING,
        key="requests",
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            "id": None,
            "#": config.NumberColumn(width=56, help=say("Its place in the order of the requests of this run.")),
            "Sent": config.NumberColumn(say("Sent, s"), format="%.2f", width=76, help=definition("sent_s")),
            "TTFT": config.NumberColumn(say("TTFT, ms"), format="localized", width=84, help=definition("ttft_s")),
            "TPOT": config.NumberColumn(say("TPOT, ms"), format="localized", width=84, help=definition("tpot_s")),
            "E2E": config.NumberColumn(say("E2E, s"), format="localized", width=76, help=definition("e2e_s")),
            "In": config.NumberColumn(say("Input, tok"), format="localized", width=84, help=definition("input_tokens")),
            "Out": config.NumberColumn(
                say("Output, tok"), format="localized", width=92, help=definition("output_tokens")
            ),
            "Gaps": config.LineChartColumn(
                say("Chunk gaps"), y_min=0, width=130, color="gray", help=definition("gap_s")
            ),
            "Outcome": config.TextColumn(say("Outcome"), width=110),
            "Share": config.ProgressColumn(
                say("TTFT share of E2E"),
                format="%.0f %%",
                min_value=0,
                max_value=100,
                color="gray",
                width=140,
                help=definitions(("ttft_s", "e2e_s")),
            ),
            "Error": config.TextColumn(say("Error")),
        },
    )
    ticked = chosen["selection"]["rows"]
    if ticked and ticked[0] < len(rows):
        _one_request(rows.iloc[ticked[0]], texts)
    else:
        st.markdown(f":gray[:small[{say('Tick a request to read its answer.')}]]")


def _spark(record: RequestRecord) -> list[float]:
    return [gap * 1e3 for gap in thinned(gaps_s(record), SPARKS)]


def _rows(table: pd.DataFrame, sparks: dict[str, list[float]]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": table["request_id"],
            "#": table["place"].astype("Int64").mask(table["warmup"].astype(bool)),  # a warm-up has a count of its own
            "Sent": table["sent_s"],
            "TTFT": [three_digits(value * 1e3) for value in table["ttft_s"]],
            "TPOT": [three_digits(value * 1e3) for value in table["tpot_s"]],
            "E2E": [three_digits(value) for value in table["e2e_s"]],
            "In": table["input_tokens"],
            "Out": table["output_tokens"],
            "Gaps": [sparks.get(request_id) for request_id in table["request_id"]],
            "Outcome": [
                say("warm-up") if warmup else next(word for word in words if isinstance(word, str) and word)
                for warmup, *words in zip(
                    table["warmup"], table["failure_kind"], table["finish_reason"], table["outcome"], strict=True
                )
            ],
            "Share": [_percent_waited(*times) for times in zip(table["ttft_s"], table["e2e_s"], strict=True)],
            "Error": table["failure_message"],
        }
    )


def _percent_waited(ttft: float, e2e: float) -> float | None:
    share = waiting_share(ttft, e2e)
    return None if share is None else share * 100


def _one_request(row: Any, texts: Texts) -> None:
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"**{say('Request')} {row['#']}** &ensp;:gray[:small[{escape_markdown(row['id'])}]]")
        if isinstance(row["Error"], str):
            st.markdown(f":red[:material/error:] {escape_markdown(row['Error'])}")
        answer, thinking = texts(row["id"])
        for name, text in ((say("Thinking"), thinking), (say("Answer"), answer)):
            if text:
                st.markdown(f":gray[:small[{name}]]")
                st.code(text, language=None, wrap_lines=True, height=min(260, 60 + 22 * (len(text) // 110)))
        if not answer and not thinking:
            st.markdown(f":gray[{say('No text was kept of this request.')}]")


def errors_tab(table: pd.DataFrame) -> None:
    """Failures by kind: how many of all that ended, with which status, the last words of the server."""
    measured = table[~table["warmup"]]
    ended = measured[measured["outcome"].isin(COUNTED)]
    failed = ended[ended["failure_kind"].notna()]
    if failed.empty:
        st.markdown(f":green[:material/check_circle:] {say('No request failed.')}")
    else:
        rows = [_errors_of(kind, group, len(ended)) for kind, group in failed.groupby("failure_kind", sort=False)]
        st.table(pd.DataFrame(rows), border="horizontal", hide_index=True)
    for outcome, (one, many) in APART.items():
        if apart := int((measured["outcome"] == outcome.value).sum()):
            sentence(say("{what}: no error, and in no share.", what=plural(apart, one, many)))


def _errors_of(kind: str, group: pd.DataFrame, ended: int) -> dict[str, str]:
    status, words = group["failure_status"].iloc[-1], group["failure_message"].iloc[-1]
    return {
        say("Kind"): f"**{escape_markdown(kind)}**",
        say("Requests"): count(len(group)),
        say("Share"): percent(len(group) / ended, digits=1),
        say("HTTP status"): MISSING if pd.isna(status) else str(int(status)),
        say("The server's words, last seen"): escape_markdown(str(words or MISSING)),
    }
