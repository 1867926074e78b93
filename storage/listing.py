"""The table of runs: what one row shows, and which rows. Reads what a run's end stored, never a request."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb

from core.doubts.client import late_for_ttft
from core.doubts.course import busy
from core.load import Variable, level_words
from core.metrics import DEFINITIONS_VERSION
from core.run import RunState
from storage.run_values import utc

SHOWN = (
    "id", "name", "label", "slot", "configuration_id", "engine", "model", "endpoint", "demo", "concurrency", "rate",
    "state", "message", "tags", "started_at", "ended_at", "experiment_id", "experiment_name",
)  # fmt: skip
# Read from what was recorded as JSON: what tells whether its numbers are to be taken as they stand.
RECORDED = {
    "machine_busy_share": "TRY_CAST(json_extract_string(client, '$.machine_busy_share') AS DOUBLE)",
    "loop_lag_p99_s": "TRY_CAST(json_extract_string(client, '$.loop_lag_p99_s') AS DOUBLE)",
    "base_url": "json_extract_string(plan, '$.configuration.endpoint.base_url')",
}
MEASURED = (
    "ok", "success_rate", "ttft_p50_s", "ttft_p99_s", "tpot_p50_s", "decode_tps", "output_tokens_per_s", "gap_grid",
    "sparkline",
)  # fmt: skip
SEARCHED = "lower(concat_ws(' ', name, label, model, engine, endpoint, experiment_name, array_to_string(tags, ' ')))"
ROWS = f"""
SELECT {", ".join(SHOWN)}, {", ".join(RECORDED.values())}, {", ".join(MEASURED)}
FROM runs LEFT JOIN summaries ON run_no = no AND definitions_version = $version
"""  # noqa: S608 -- every name is ours


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run as the table of runs shows it; seconds and tokens/s. None is unknown, or not measured yet.

    Attributes:
        concurrency: Requests in flight of a closed loop; None of an open one.
        rate: Requests/s of an open loop; None of a closed one.
        demo: "" for an endpoint of the user's, else "llama.cpp" or "simulated".
        machine_busy_share: How busy all cores of this machine were in it.
        loop_lag_p99_s: How late the load generator was.
        base_url: Where its server was.
        ok: Successful requests; None while the run lives.
        decode_tps: Median decode speed of one stream.
        gap_grid: 200 quantiles of the chunk gap, from least to most; empty if there are none.
        sparkline: Output tokens/s over the run's time, in 40 equal steps.
    """

    id: str
    name: str
    label: str
    slot: int
    configuration_id: str
    engine: str
    model: str
    endpoint: str
    demo: str
    concurrency: int | None
    rate: float | None
    state: RunState
    message: str | None
    tags: tuple[str, ...]
    started_at: datetime
    ended_at: datetime | None
    experiment_id: str | None
    experiment_name: str | None
    machine_busy_share: float | None
    loop_lag_p99_s: float | None
    base_url: str | None
    ok: int | None
    success_rate: float | None
    ttft_p50_s: float | None
    ttft_p99_s: float | None
    tpot_p50_s: float | None
    decode_tps: float | None
    output_tokens_per_s: float | None
    gap_grid: tuple[float, ...]
    sparkline: tuple[float, ...]

    @property
    def doubted(self) -> bool:
        """Whether a verdict on it would be in doubt: by a busy machine, or by a client that was late for TTFT."""
        busy_here = busy(self.machine_busy_share, self.base_url or "") is not None
        return busy_here or late_for_ttft(self.loop_lag_p99_s, self.ttft_p50_s)

    @property
    def variable(self) -> Variable:
        """What its level counts."""
        return "rate" if self.concurrency is None else "concurrency"

    @property
    def value(self) -> float:
        """Its level: requests in flight, or requests/s."""
        return (self.rate or 0.0) if self.concurrency is None else self.concurrency

    @property
    def level(self) -> str:
        """Its level in words."""
        return level_words(self.variable, self.value)


def rows(
    cursor: duckdb.DuckDBPyConnection,
    *,
    text: str = "",
    states: Collection[RunState] = (),
    tags: Collection[str] = (),
    ids: Collection[str] | None = None,
    experiment_id: str | None = None,
    limit: int | None = None,
) -> list[RunRow]:
    """The newest first; every word of `text` must be in a row, all of `tags`, one of `states`."""
    wanted = ["true"]
    values: dict[str, Any] = {"version": DEFINITIONS_VERSION}
    if ids is not None:
        wanted.append("list_contains($ids, id)")
        values["ids"] = list(ids)
    if states:
        wanted.append("list_contains($states, state)")
        values["states"] = [str(state) for state in states]
    if tags:
        wanted.append("list_has_all(tags, $tags)")
        values["tags"] = list(tags)
    if experiment_id is not None:
        wanted.append("experiment_id = $experiment")
        values["experiment"] = experiment_id
    for place, word in enumerate(text.lower().split()):
        wanted.append(f"contains({SEARCHED}, $word{place})")
        values[f"word{place}"] = word
    order = " ORDER BY started_at DESC, no DESC"
    if limit is not None:
        order += " LIMIT $most"
        values["most"] = limit
    found = cursor.execute(f"{ROWS} WHERE {' AND '.join(wanted)}{order}", values).fetchall()
    return [_row(dict(zip((*SHOWN, *RECORDED, *MEASURED), values, strict=True))) for values in found]


def _row(found: dict[str, Any]) -> RunRow:
    return RunRow(
        **found
        | {
            "state": RunState(found["state"]),
            "tags": tuple(found["tags"]),
            "started_at": utc(found["started_at"]),
            "ended_at": utc(found["ended_at"]) if found["ended_at"] else None,
            "gap_grid": tuple(found["gap_grid"] or ()),
            "sparkline": tuple(found["sparkline"] or ()),
        }
    )
