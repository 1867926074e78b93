"""Stored requests -> records and columns, by a run's number. Knows where a request's parts lie, computes nothing.

Ordinals ascend from 0 in the order in which the requests ended.
"""

import duckdb
import orjson
import pyarrow as pa

from core.plan import RunPlan
from core.records import RequestRecord
from core.slo import Slo
from storage import columns, journal

RECORD_COLUMNS = ["ordinal", *columns.RECORD_COLUMNS]
REQUESTS = f"SELECT {', '.join(RECORD_COLUMNS)} FROM requests"  # noqa: S608 -- names are ours
CHUNKS = "SELECT ordinal, chunk_us FROM chunks"
TEXTS = f"SELECT ordinal, {', '.join(columns.TEXTS)} FROM texts"  # noqa: S608 -- names are ours


def records(
    cursor: duckdb.DuckDBPyConnection, run_no: int, *, chunk_times: bool = True, texts: bool = True
) -> tuple[RequestRecord, ...]:
    """The requests in the order in which they ended.

    Without `chunk_times` a record's `chunk_us` has the right length and no meaning.
    """
    settled = columns.records(
        _table(cursor, REQUESTS, run_no),
        columns.arrivals(_table(cursor, CHUNKS, run_no)) if chunk_times else None,
        _texts(_table(cursor, TEXTS, run_no)) if texts else {},
    )
    fresh = journal.waiting(cursor, run_no)
    if fresh is None:
        return settled
    times = columns.arrivals(fresh) if chunk_times else None
    return settled + columns.records(fresh.select(RECORD_COLUMNS), times, _texts(fresh) if texts else {})


def slo(cursor: duckdb.DuckDBPyConnection, run_no: int) -> Slo | None:
    """What the run's plan calls good; None if it says nothing."""
    found = cursor.execute("SELECT plan FROM runs WHERE no = ?", [run_no]).fetchall()
    plan = orjson.loads(found[0][0]) if found else {}
    return RunPlan.from_dict(plan).slo if plan.get("slo") else None


def table(cursor: duckdb.DuckDBPyConnection, run_no: int) -> pa.Table:
    """The requests as columns, metrics beside what was seen, without texts and chunk times."""
    rows = _table(cursor, "SELECT * EXCLUDE (run_no) FROM requests", run_no)
    fresh = journal.waiting(cursor, run_no)
    if fresh is not None:
        rows = pa.concat_tables([rows, fresh.select(rows.column_names)], promote_options="permissive")
    return rows.drop_columns(["ordinal", "definitions_version"])


def text(cursor: duckdb.DuckDBPyConnection, run_no: int, request_id: str) -> tuple[str | None, str | None]:
    """Answer and thinking text of one request; None where none was kept."""
    found = cursor.execute(
        "SELECT t.text, t.reasoning_text FROM requests r JOIN texts t ON t.run_no = r.run_no AND t.ordinal = r.ordinal "
        "WHERE r.run_no = ? AND t.run_no = ? AND r.request_id = ?",
        [run_no, run_no, request_id],
    ).fetchall()
    if found:
        return found[0][0], found[0][1]
    fresh = journal.waiting(cursor, run_no)
    rows = [] if fresh is None else fresh.select(["request_id", *columns.TEXTS]).to_pylist()
    return next(((row["text"], row["reasoning_text"]) for row in rows if row["request_id"] == request_id), (None, None))


def _table(cursor: duckdb.DuckDBPyConnection, select: str, run_no: int) -> pa.Table:
    return cursor.sql(f"{select} WHERE run_no = ? ORDER BY ordinal", params=[run_no]).to_arrow_table()


def _texts(rows: pa.Table) -> dict[int, tuple[str | None, str | None]]:
    ordinals, *texts = (rows.column(name).to_pylist() for name in ("ordinal", *columns.TEXTS))
    return dict(zip(ordinals, zip(*texts, strict=True), strict=True))
