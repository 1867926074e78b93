"""Where the requests of a live run wait, a batch a commit, until they go into the tables in large batches.

Says nothing of what a request is; schema.JOURNAL says why they wait.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from core.records import RequestRecord
from storage import columns

MOST_CHUNKS = 1_000_000
MOST_RECORDS = 20_000
MOST_BATCHES = 1_000


@dataclass(slots=True, kw_only=True)
class Backlog:
    """How much of a run waits."""

    chunks: int = 0
    records: int = 0
    batches: int = 0

    @property
    def full(self) -> bool:
        """Whether it is time to move it on."""
        return self.chunks >= MOST_CHUNKS or self.records >= MOST_RECORDS or self.batches >= MOST_BATCHES


def append(
    connection: duckdb.DuckDBPyConnection, run_no: int, first_ordinal: int, records: Sequence[RequestRecord]
) -> int:
    """Let records wait, and return how many chunk times they have."""
    table = columns.table(first_ordinal, records)
    chunks: int = pc.sum(table.column("chunks")).as_py()
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table)
    connection.execute(
        "INSERT INTO journal VALUES (?, ?, ?, ?, ?)",
        [run_no, first_ordinal, len(records), chunks, out.getvalue().to_pybytes()],
    )
    return chunks


def waiting(cursor: duckdb.DuckDBPyConnection, run_no: int) -> pa.Table | None:
    """What waits of a run; None if nothing does."""
    found = cursor.execute("SELECT records FROM journal WHERE run_no = ? ORDER BY first_ordinal", [run_no]).fetchall()
    if not found:
        return None
    # An older Paceline may have left batches with fewer columns.
    table = pa.concat_tables(
        [pa.ipc.open_stream(content).read_all() for (content,) in found], promote_options="default"
    )
    return columns.finite(table.combine_chunks())


def settle(connection: duckdb.DuckDBPyConnection, run_no: int) -> None:
    """Move what waits of a run into the tables."""
    table = waiting(connection, run_no)
    if table is None:
        return
    table = table.add_column(0, "run_no", pa.array([run_no] * table.num_rows, pa.int32()))
    spoken = pc.or_(pc.is_valid(table.column("text")), pc.is_valid(table.column("reasoning_text")))
    timed = pc.greater(table.column("chunks"), 0)
    columns.insert(connection, "requests", table.drop_columns([*columns.TEXTS, "chunk_us"]))
    columns.insert(connection, "texts", table.filter(spoken).select(["run_no", "ordinal", *columns.TEXTS]))
    columns.insert(connection, "chunks", table.filter(timed).select(["run_no", "ordinal", "chunk_us"]))
    connection.execute("DELETE FROM journal WHERE run_no = ?", [run_no])
