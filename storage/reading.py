"""Stored requests -> records and columns, by a run's number. Knows where a request's parts lie, computes nothing."""

from array import array
from collections.abc import Sequence

import duckdb
import pyarrow as pa

from core.records import RequestRecord
from storage import columns

RECORD = ", ".join(("ordinal", *columns.RECORD_COLUMNS))
FIRST = "run_no = ? AND ordinal < ?"  # ordinals ascend from 0 in the order in which the requests ended
ALL = 2**31 - 1


def records(
    cursor: duckdb.DuckDBPyConnection, run_no: int, *, limit: int = ALL, chunk_times: bool = True, texts: bool = True
) -> tuple[RequestRecord, ...]:
    """The first `limit` requests in the order in which they ended.

    Without `chunk_times` a record's `chunk_us` has the right length and no meaning.
    """
    rows = cursor.sql(
        f"SELECT {RECORD} FROM requests WHERE {FIRST} ORDER BY ordinal",  # noqa: S608 -- names are ours
        params=[run_no, limit],
    ).to_arrow_table()
    return columns.records(
        rows,
        _times(cursor, run_no, limit) if chunk_times else _counted,
        _texts(cursor, run_no, limit) if texts else None,
    )


def table(cursor: duckdb.DuckDBPyConnection, run_no: int, limit: int = ALL, *, chunk_times: bool = False) -> pa.Table:
    """The requests as columns, metrics beside what was seen, without texts."""
    rows = cursor.sql(
        f"SELECT * EXCLUDE (run_no, definitions_version) FROM requests WHERE {FIRST} ORDER BY ordinal",  # noqa: S608 -- ours
        params=[run_no, limit],
    ).to_arrow_table()
    if chunk_times:
        times = _times(cursor, run_no, limit)
        lists = [times(ordinal, 0) for ordinal in rows.column("ordinal").to_pylist()]
        rows = rows.append_column("chunk_us", pa.array(lists, pa.list_(pa.int32())))
    return rows.drop_columns("ordinal")


def _times(cursor: duckdb.DuckDBPyConnection, run_no: int, limit: int) -> columns.Times:
    settled = cursor.sql(
        f"SELECT ordinal, chunk_us FROM chunks WHERE {FIRST} ORDER BY ordinal",  # noqa: S608 -- ours
        params=[run_no, limit],
    ).to_arrow_table()
    found = columns.arrivals(settled.column("ordinal").to_pylist(), settled.column("chunk_us"))
    live = cursor.execute(f"SELECT ordinal, chunk_us FROM live_chunks WHERE {FIRST}", [run_no, limit]).fetchall()  # noqa: S608 -- ours
    for ordinal, data in live:
        found[ordinal] = array("i", data)
    nothing: Sequence[int] = array("i")

    def times(ordinal: int, _count: int) -> Sequence[int]:
        return found.get(ordinal, nothing)

    return times


def _counted(_ordinal: int, count: int) -> Sequence[int]:
    return range(count)


def _texts(cursor: duckdb.DuckDBPyConnection, run_no: int, limit: int) -> dict[int, tuple[str | None, str | None]]:
    rows = cursor.execute(f"SELECT ordinal, text, reasoning_text FROM texts WHERE {FIRST}", [run_no, limit]).fetchall()  # noqa: S608 -- ours
    return {ordinal: (text, thought) for ordinal, text, thought in rows}
