"""Request records <-> columns. Knows every field of a record and its metrics' columns, never a query's purpose.

What a hostile server may have sent must not stop a batch: numbers that fit no column and times that are no numbers
become "not observed", texts that are no valid Unicode are repaired.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from core import metrics, redaction
from core.records import Failure, FailureKind, RequestRecord, ServerTimes, TokenSource

WHOLE, SHORT, REAL, WORDS, YES = pa.int64(), pa.int32(), pa.float64(), pa.string(), pa.bool_()
PLAIN = {
    "request_id": WORDS, "worker": SHORT, "warmup": YES, "conversation": SHORT, "turn": SHORT, "scheduled_s": REAL,
    "sent_s": REAL, "first_token_s": REAL, "first_answer_s": REAL, "last_token_s": REAL, "ended_s": REAL,
    "connect_s": REAL, "input_tokens": WHOLE, "requested_input_tokens": WHOLE, "output_tokens": WHOLE,
    "requested_output_tokens": WHOLE, "reasoning_tokens": WHOLE, "cached_tokens": WHOLE, "finish_reason": WORDS,
    "streamed": YES, "reads": SHORT,
}  # fmt: skip
DERIVED = ("ttft_s", "ttfa_s", "tpot_s", "e2e_s", "slip_s", "decode_tps", "e2e_tps")
FAILURE = {"kind": WORDS, "message": WORDS, "status": SHORT, "retry_after_s": REAL}
RECORD_COLUMNS = (
    *PLAIN, "place", "token_source", *(f"failure_{name}" for name in FAILURE), "server_reported", "server_prefill_s",
    "server_decode_s", "chunks",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Records of one run as tables, one row a record that has something to say in it."""

    requests: pa.Table
    live_chunks: pa.Table
    texts: pa.Table
    chunks: int


def batch(run_no: int, first_ordinal: int, records: Sequence[RequestRecord]) -> Batch:
    """The tables to append."""
    ordinals = range(first_ordinal, first_ordinal + len(records))
    timed = [
        (ordinal, record.chunk_us) for ordinal, record in zip(ordinals, records, strict=True) if len(record.chunk_us)
    ]
    spoken = [
        (ordinal, record.text, record.reasoning_text)
        for ordinal, record in zip(ordinals, records, strict=True)
        if record.text is not None or record.reasoning_text is not None
    ]
    return Batch(
        requests=_requests(run_no, ordinals, records),
        live_chunks=pa.table(
            {
                **_keys(run_no, [ordinal for ordinal, _ in timed]),
                "chunk_us": pa.array([array("i", times).tobytes() for _, times in timed], pa.binary()),
            }
        ),
        texts=pa.table(
            {
                **_keys(run_no, [ordinal for ordinal, _, _ in spoken]),
                "text": _column([text for _, text, _ in spoken], WORDS),
                "reasoning_text": _column([thought for _, _, thought in spoken], WORDS),
            }
        ),
        chunks=sum(len(times) for _, times in timed),
    )


def _keys(run_no: int, ordinals: Sequence[int]) -> dict[str, pa.Array]:
    return {"run_no": pa.array([run_no] * len(ordinals), SHORT), "ordinal": pa.array(ordinals, SHORT)}


def _requests(run_no: int, ordinals: range, records: Sequence[RequestRecord]) -> pa.Table:
    columns = _keys(run_no, list(ordinals))
    for name, kind in PLAIN.items():
        columns[name] = _column([getattr(record, name) for record in records], kind)
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
    columns["chunks"] = _column([len(record.chunk_us) for record in records], SHORT)
    return pa.table(columns | derived(records))


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
        column = pa.array(values, kind)
    except (pa.ArrowInvalid, OverflowError, UnicodeEncodeError):
        return pa.array([_repaired(value, kind) for value in values], kind)
    if kind is REAL and not pc.all(pc.is_finite(column)).as_py():
        return pc.if_else(pc.is_finite(column), column, None)
    return column


def _repaired(value: Any, kind: pa.DataType) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int):
        limit = 2 ** (kind.bit_width - 1)
        return value if -limit <= value < limit else None
    return value


def append(connection: duckdb.DuckDBPyConnection, table: str, rows: pa.Table) -> None:
    """Append Arrow rows by column name; `table` is one of ours."""
    if not rows.num_rows:
        return
    connection.register("arriving", rows)
    try:
        connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM arriving")  # noqa: S608 -- the name is ours
    finally:
        connection.unregister("arriving")


def lists(times: pa.ChunkedArray) -> pa.Array:
    """Bytes of little integers as lists of them, without touching one."""
    flat = pa.concat_arrays(times.chunks).cast(pa.large_binary())
    _, offsets, data = flat.buffers()
    ends = pc.divide(pa.Array.from_buffers(WHOLE, len(flat) + 1, [None, offsets]), 4)
    values = pa.Array.from_buffers(SHORT, ends[-1].as_py(), [None, data])
    return pa.LargeListArray.from_arrays(ends, values)


Times = Callable[[int, int], Sequence[int]]  # ordinal, number of chunks -> arrivals


def records(
    rows: pa.Table, times: Times, texts: dict[int, tuple[str | None, str | None]] | None = None
) -> tuple[RequestRecord, ...]:
    """The records of rows of `requests` (RECORD_COLUMNS and ordinal), texts left out if none are given."""
    found = texts or {}
    return tuple(_record(row, times, found.get(row["ordinal"], (None, None))) for row in _rows(rows))


def _rows(rows: pa.Table) -> Iterator[dict[str, Any]]:
    names = rows.column_names
    for values in zip(*(rows.column(name).to_pylist() for name in names), strict=True):
        yield dict(zip(names, values, strict=True))


def _record(row: dict[str, Any], times: Times, texts: tuple[str | None, str | None]) -> RequestRecord:
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
        chunk_us=times(ordinal, chunks) if chunks else array("i"),
        text=texts[0],
        reasoning_text=texts[1],
        **row,
    )


def arrivals(ordinals: Iterable[int], chunk_lists: pa.ChunkedArray) -> dict[int, Sequence[int]]:
    """Ordinal -> arrivals, from a column of lists."""
    found: dict[int, Sequence[int]] = {}
    left = iter(ordinals)
    for part in chunk_lists.chunks:
        data = part.values.to_numpy()
        ends = part.offsets.to_pylist()
        for begin, end in pairwise(ends):
            times = array("i")
            times.frombytes(data[begin:end].tobytes())
            found[next(left)] = times
    return found
