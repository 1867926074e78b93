"""Request records <-> columns. Knows every field of a record and its metrics' columns, never a query's purpose.

What a hostile server may have sent must not stop a batch: numbers that fit no column and times that are no numbers
become "not observed", texts that are no valid Unicode are repaired.
"""

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from core import metrics, redaction
from core.records import Failure, FailureKind, RequestRecord, ServerTimes, TokenSource
from storage.run_values import readable

WHOLE, SHORT, REAL, WORDS, YES = pa.int64(), pa.int32(), pa.float64(), pa.string(), pa.bool_()
PLAIN = {
    "request_id": WORDS, "worker": SHORT, "warmup": YES, "conversation": SHORT, "turn": SHORT, "scheduled_s": REAL,
    "sent_s": REAL, "first_token_s": REAL, "first_answer_s": REAL, "last_token_s": REAL, "ended_s": REAL,
    "connect_s": REAL, "input_tokens": WHOLE, "requested_input_tokens": WHOLE, "output_tokens": WHOLE,
    "requested_output_tokens": WHOLE, "reasoning_tokens": WHOLE, "cached_tokens": WHOLE, "finish_reason": WORDS,
    "streamed": YES, "reads": SHORT, "sent_input_tokens": WHOLE,
}  # fmt: skip
DERIVED = (
    "ttft_s",
    "ttfa_s",
    "tpot_s",
    "e2e_s",
    "slip_s",
    "scheduled_ttft_s",
    "scheduled_e2e_s",
    "decode_tps",
    "e2e_tps",
)
FAILURE = {"kind": WORDS, "message": WORDS, "status": SHORT, "retry_after_s": REAL}
RECORD_COLUMNS = (
    *PLAIN, "place", "token_source", *(f"failure_{name}" for name in FAILURE), "server_reported", "server_prefill_s",
    "server_decode_s", "chunks",
)  # fmt: skip
TEXTS = ("text", "reasoning_text")


def table(first_ordinal: int, records: Sequence[RequestRecord]) -> pa.Table:
    """Everything of these records, one row each, ordinals counted up from `first_ordinal`."""
    columns = {"ordinal": pa.array(range(first_ordinal, first_ordinal + len(records)), SHORT)}
    seen = zip(*map(attrgetter(*PLAIN), records), strict=True) if records else ([] for _ in PLAIN)
    for (name, kind), values in zip(PLAIN.items(), seen, strict=True):
        columns[name] = _column(values, kind)
    columns["place"] = _column([record.index for record in records], SHORT)
    columns["token_source"] = _column([record.token_source.value for record in records], WORDS)
    failures = [record.failure for record in records]
    for name, kind in FAILURE.items():
        columns[f"failure_{name}"] = _column([f and _told(f, name) for f in failures], kind)
    servers = [record.server for record in records]
    columns["server_reported"] = _column([server is not None for server in servers], YES)
    columns["server_prefill_s"] = _column([server and server.prefill_s for server in servers], REAL)
    columns["server_decode_s"] = _column([server and server.decode_s for server in servers], REAL)
    columns["outcome"] = _column([record.outcome.value for record in records], WORDS)
    for name in TEXTS:
        columns[name] = _column([getattr(record, name) for record in records], WORDS)
    columns["chunk_us"] = _lists([_times(record.chunk_us) for record in records])
    columns["chunks"] = pc.list_value_length(columns["chunk_us"])
    return pa.table(columns | derived(records))


def _times(chunk_us: Sequence[int]) -> "array[int]":
    if isinstance(chunk_us, array) and chunk_us.typecode == "i":
        return chunk_us
    try:
        return array("i", chunk_us)
    except (OverflowError, TypeError):
        return array("i")


def _lists(times: Sequence["array[int]"]) -> pa.Array:
    flat = array("i")
    ends = array("i", [0])
    for one in times:
        flat.extend(one)
        ends.append(len(flat))
    values = pa.Array.from_buffers(SHORT, len(flat), [None, pa.py_buffer(flat)])
    offsets = pa.Array.from_buffers(SHORT, len(ends), [None, pa.py_buffer(ends)])
    return pa.ListArray.from_arrays(offsets, values)


def _told(failure: Failure, name: str) -> Any:
    # Servers like to quote the key that they refuse.
    return redaction.text(failure.message) if name == "message" else getattr(failure, name)


def derived(records: Sequence[RequestRecord]) -> dict[str, pa.Array]:
    """The metrics' columns of these records, as core.metrics defines them."""
    columns = {name: _column([metrics.PER_REQUEST[name](record) for record in records], REAL) for name in DERIVED}
    columns["chunks_are_tokens"] = _column([metrics.chunks_are_tokens(record) for record in records], YES)
    columns["definitions_version"] = pa.array([metrics.DEFINITIONS_VERSION] * len(records), SHORT)
    return columns


def _column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, OverflowError, TypeError, UnicodeEncodeError):
        return pa.array([_repaired(value, kind) for value in values], kind)


def _repaired(value: Any, kind: pa.DataType) -> Any:
    if kind == WORDS:
        return value if value is None else readable(str(value))
    if kind == REAL:
        return float(value) if isinstance(value, int | float) and abs(value) < 1e300 else None
    if isinstance(value, int) and kind != YES:
        return value if abs(value) < 2 ** (kind.bit_width - 1) else None
    return value if isinstance(value, bool) else None


def finite(rows: pa.Table) -> pa.Table:
    """The same rows, times that are no numbers taken as not observed."""
    for place, name in enumerate(rows.column_names):
        column = rows.column(place)
        if column.type == REAL and not pc.all(pc.is_finite(column)).as_py():
            rows = rows.set_column(place, name, pc.if_else(pc.is_finite(column), column, None))
    return rows


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: pa.Table) -> None:
    """Append Arrow rows by column name; `table` is one of ours."""
    if not rows.num_rows:
        return
    connection.register("arriving", rows)
    try:
        connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM arriving")  # noqa: S608 -- the name is ours
    finally:
        connection.unregister("arriving")


Times = dict[int, Sequence[int]]  # ordinal -> arrivals
Texts = dict[int, tuple[str | None, str | None]]  # ordinal -> answer, thinking
NOTHING: Sequence[int] = array("i")


def records(rows: pa.Table, times: Times | None, texts: Texts) -> tuple[RequestRecord, ...]:
    """The records of rows that have RECORD_COLUMNS and the ordinal.

    Without `times` their `chunk_us` has the right length and no meaning.
    """
    return tuple(_record(row, times, texts.get(row["ordinal"], (None, None))) for row in _rows(rows))


def _rows(rows: pa.Table) -> Iterator[dict[str, Any]]:
    names = rows.column_names
    for values in zip(*(rows.column(name).to_pylist() for name in names), strict=True):
        yield dict(zip(names, values, strict=True))


def _record(row: dict[str, Any], times: Times | None, texts: tuple[str | None, str | None]) -> RequestRecord:
    ordinal = row.pop("ordinal")
    failure = {name: row.pop(f"failure_{name}") for name in FAILURE}
    server = {name: row.pop(f"server_{name}") for name in ("prefill_s", "decode_s")}
    reported = row.pop("server_reported")
    chunks = row.pop("chunks")
    kind = failure.pop("kind")
    return RequestRecord(
        index=row.pop("place"),
        token_source=TokenSource(row.pop("token_source")),
        failure=None if kind is None else Failure(kind=FailureKind(kind), **failure),
        server=ServerTimes(**server) if reported else None,
        chunk_us=range(chunks) if times is None else times.get(ordinal, NOTHING),
        text=texts[0],
        reasoning_text=texts[1],
        **row,
    )


def arrivals(rows: pa.Table) -> Times:
    """Ordinal -> arrivals, from rows that have both."""
    found: Times = {}
    ordinals = iter(rows.column("ordinal").to_pylist())
    for part in rows.column("chunk_us").chunks:
        data = part.values.to_numpy()
        for begin, end in pairwise(part.offsets.to_pylist()):
            times = array("i")
            times.frombytes(data[begin:end].tobytes())
            found[next(ordinals)] = times
    return found
