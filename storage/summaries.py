"""What a run's requests amount to, by SQL, stored once a run has ended. Agrees with core.summary on every case.

Everything stored carries the version of the definitions; what has another version is computed again.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

import duckdb
import orjson
import pyarrow as pa

from core import metrics, timeline
from core.metrics import DEFINITIONS_VERSION
from core.records import Outcome, RequestRecord, TokenSource
from core.run import LIVE_STATES
from core.summary import ITL_SHARE, SANE, STATISTICS, Distribution, Summary, token_source
from core.timeline import Series
from core.tutorial import Tutorial, tutorial
from storage import columns, pooling, reading
from storage.run_values import dumps, members
from storage.totals import Totals, totals

GRID_POINTS = 200
TIMELINE_STEPS = 240
SPARKLINE_STEP = 6  # of those, one of the table's small line
GRID = [place / (GRID_POINTS - 1) for place in range(GRID_POINTS)]
POINTS = [0.5, 0.9, 0.95, 0.99]
METRIC_COLUMNS = ", ".join(f"{name}::DOUBLE AS {name}" for name in metrics.PER_REQUEST)
DISTRIBUTIONS = f"""
WITH answered AS (SELECT {METRIC_COLUMNS} FROM requests WHERE run_no = ? AND NOT warmup AND outcome = 'ok'),
found AS (SELECT metric, value FROM (UNPIVOT answered ON {", ".join(metrics.PER_REQUEST)} INTO NAME metric VALUE value)
  WHERE abs(value) < {SANE}),
whole AS (SELECT metric, count(*) AS count, favg(value) AS mean, min(value) AS low, max(value) AS high,
  quantile_cont(value, {POINTS}) AS points, quantile_cont(value, {GRID}) AS grid FROM found GROUP BY metric),
spread AS (SELECT metric, fsum((value - mean) ** 2) AS squares FROM found JOIN whole USING (metric) GROUP BY metric)
SELECT metric, count, least(greatest(mean, low), high), CASE WHEN count > 1 THEN sqrt(squares / (count - 1)) END, low,
  points, high, grid FROM whole JOIN spread USING (metric)
"""  # noqa: S608 -- every name and number is ours
STORED = ", ".join(("metric", "count", *STATISTICS))
SUMMARY_COLUMNS = (
    "run_no", "definitions_version", "ok", "success_rate", "ttft_p50_s", "ttft_p99_s", "tpot_p50_s", "decode_tps",
    "output_tokens_per_s", "gap_grid", "sparkline", "timeline_start_s", "timeline_step_s", "output", "facts",
)  # fmt: skip
ENDED = f"state NOT IN ({', '.join(repr(state.value) for state in LIVE_STATES)})"
Grids = dict[str, list[float]]


def distributions(
    cursor: duckdb.DuckDBPyConnection, run_no: int, itl_share: float | None
) -> tuple[dict[str, Distribution], Grids]:
    """Every metric's distribution and quantile grid over the measured, successful requests of a settled run."""
    found, grids = {}, {}
    for metric, count, mean, stdev, low, points, high, grid in cursor.execute(DISTRIBUTIONS, [run_no]).fetchall():
        p50, p90, p95, p99 = points
        found[metric] = Distribution(
            count=count, mean=mean, stdev=stdev, min=low, p50=p50, p90=p90, p95=p95, p99=p99, max=high
        )
        grids[metric] = grid
    pools = {"gap_s": pooling.gaps(cursor, run_no, tokens_only=False)}
    if itl_share is not None and itl_share >= ITL_SHARE:
        pools["itl_s"] = pools["gap_s"] if itl_share == 1 else pooling.gaps(cursor, run_no, tokens_only=True)
    for metric, pool in pools.items():
        if pool is not None:
            found[metric] = pooling.distribution(pool)
            grids[metric] = pooling.quantiles(pool, GRID)
    return found, grids


def derive(connection: duckdb.DuckDBPyConnection, run_no: int) -> None:
    """Store what the page and the table row of an ended run need, in place of what was stored before."""
    if not connection.execute("SELECT 1 FROM runs WHERE no = ?", [run_no]).fetchall():
        return  # deleted meanwhile
    _renew_metrics(connection, run_no)
    whole = totals(connection, run_no, reading.slo(connection, run_no))
    found, grids = distributions(connection, run_no, whole.itl_share)
    light = reading.records(connection, run_no, chunk_times=False)
    for table in ("distributions", "summaries"):
        connection.execute(f"DELETE FROM {table} WHERE run_no = ?", [run_no])  # noqa: S608 -- ours
    rows = [
        {"run_no": run_no, "definitions_version": DEFINITIONS_VERSION, "metric": metric, **one.to_dict(),
         "grid": grids[metric]}
        for metric, one in found.items()
    ]  # fmt: skip
    if rows:
        columns.insert(connection, "distributions", pa.Table.from_pylist(rows))
    values = _summary_row(run_no, whole, found, grids, light)
    places = ", ".join("?" * len(SUMMARY_COLUMNS))
    connection.execute(
        f"INSERT INTO summaries ({', '.join(SUMMARY_COLUMNS)}) VALUES ({places})",  # noqa: S608 -- ours
        [values[name] for name in SUMMARY_COLUMNS],
    )


def stored(cursor: duckdb.DuckDBPyConnection, run_no: int) -> Summary | None:
    """The stored summary, None if there is none of these definitions."""
    facts = cursor.execute(
        "SELECT facts FROM summaries WHERE run_no = ? AND definitions_version = ?", [run_no, DEFINITIONS_VERSION]
    ).fetchall()
    if not facts:
        return None
    rows = cursor.execute(f"SELECT {STORED} FROM distributions WHERE run_no = ?", [run_no]).fetchall()  # noqa: S608 -- ours
    whole = members(Summary, orjson.loads(facts[0][0]))
    tutored, source = whole.pop("tutorial"), whole.pop("token_source", None)
    return Summary(
        distributions={
            metric: Distribution(count=count, **dict(zip(STATISTICS, values, strict=True)))
            for metric, count, *values in rows
        },
        tutorial=tutored and Tutorial(**members(Tutorial, tutored)),
        token_source=source and TokenSource(source),
        **whole,
    )


def is_fresh(cursor: duckdb.DuckDBPyConnection, run_no: int) -> bool:
    """Whether a summary of today's definitions is stored."""
    found = cursor.execute(
        "SELECT 1 FROM summaries WHERE run_no = ? AND definitions_version = ?", [run_no, DEFINITIONS_VERSION]
    ).fetchall()
    return bool(found)


def grid(cursor: duckdb.DuckDBPyConnection, run_no: int, metric: str) -> tuple[float, ...]:
    """The stored quantile grid of one metric; empty if no request has it."""
    found = cursor.execute(
        "SELECT grid FROM distributions WHERE run_no = ? AND metric = ?", [run_no, metric]
    ).fetchall()
    return tuple(found[0][0]) if found else ()


def output_over_time(cursor: duckdb.DuckDBPyConnection, run_no: int) -> Series:
    """The stored series of output tokens/s."""
    found = cursor.execute(
        "SELECT timeline_start_s, timeline_step_s, output FROM summaries WHERE run_no = ?", [run_no]
    ).fetchall()
    if not found or not found[0][2]:
        return Series()
    start, step, values = found[0]
    times = tuple(start + (place + 0.5) * step for place in range(len(values)))
    return Series(times_s=times, values=tuple(values), step_s=step)


def stale(cursor: duckdb.DuckDBPyConnection) -> list[int]:
    """Numbers of ended runs whose summary is missing or of other definitions."""
    found = cursor.execute(
        f"SELECT no FROM runs LEFT JOIN summaries ON run_no = no AND definitions_version = ? WHERE {ENDED} "  # noqa: S608 -- ours
        "AND run_no IS NULL ORDER BY no",
        [DEFINITIONS_VERSION],
    ).fetchall()
    return [int(no) for (no,) in found]


def _summary_row(
    run_no: int, whole: Totals, found: dict[str, Distribution], grids: Grids, light: Sequence[RequestRecord]
) -> dict[str, Any]:
    output = timeline.output_over_time(light, TIMELINE_STEPS)

    def statistic(metric: str, name: str) -> float | None:
        return getattr(found[metric], name) if metric in found else None

    answered = [record for record in light if not record.warmup and record.outcome is Outcome.OK]
    facts = dataclasses.asdict(whole) | {
        "tutorial": tutorial(answered),
        "token_source": token_source(answered),
    }
    return {
        "run_no": run_no,
        "definitions_version": DEFINITIONS_VERSION,
        "ok": whole.counts["ok"],
        "success_rate": whole.success_rate,
        "ttft_p50_s": statistic("ttft_s", "p50"),
        "ttft_p99_s": statistic("ttft_s", "p99"),
        "tpot_p50_s": statistic("tpot_s", "p50"),
        "decode_tps": statistic("decode_tps", "p50"),
        "output_tokens_per_s": whole.throughput["output_tokens_per_s"],
        "gap_grid": grids.get("gap_s", []),
        "sparkline": _coarse(output.values),
        "timeline_start_s": output.times_s[0] - output.step_s / 2 if output.times_s else None,
        "timeline_step_s": output.step_s,
        "output": list(output.values),
        "facts": dumps(facts),
    }


def _coarse(values: Sequence[float]) -> list[float]:
    """Every SPARKLINE_STEP neighbours as their mean."""
    return [
        sum(values[place : place + SPARKLINE_STEP]) / SPARKLINE_STEP for place in range(0, len(values), SPARKLINE_STEP)
    ]


def _renew_metrics(connection: duckdb.DuckDBPyConnection, run_no: int) -> None:
    """Derive the requests' own metrics again if other definitions derived them."""
    old = connection.execute(
        "SELECT count(*) FROM requests WHERE run_no = ? AND definitions_version <> ?", [run_no, DEFINITIONS_VERSION]
    ).fetchall()
    if not old[0][0]:
        return
    records = reading.records(connection, run_no, texts=False)
    fresh = columns.derived(records)
    sets = ", ".join(f"{name} = arriving.{name}" for name in fresh)
    ordinals = pa.array(range(len(records)), pa.int32())
    connection.register("arriving", pa.table({"place_no": ordinals, **fresh}))
    try:
        connection.execute(
            f"UPDATE requests SET {sets} FROM arriving WHERE run_no = ? AND ordinal = place_no",  # noqa: S608 -- ours
            [run_no],
        )
    finally:
        connection.unregister("arriving")
