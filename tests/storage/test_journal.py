"""Batches wait whole and in order, and go into the tables once; those of an older Paceline too."""

import pyarrow as pa

from storage import columns, journal
from tests.storage.made import ended, plain, record, run


def test_batches_come_back_in_order(database):
    def job(connection):
        journal.append(connection, 1, 3, [record(3), record(4)])
        journal.append(connection, 1, 0, [record(0), record(1), record(2)])
        journal.append(connection, 2, 0, [record(9)])

    database.write(job)
    with database.cursor() as cursor:
        whole, nothing = journal.waiting(cursor, 1), journal.waiting(cursor, 3)

    assert whole is not None
    assert whole.column("place").to_pylist() == [0, 1, 2, 3, 4]
    assert nothing is None


def test_settling_moves_each_part_once(database):
    def job(connection):
        journal.append(connection, 1, 0, [record(0, text="x"), record(1, chunk_us=()), record(2, reasoning_text="y")])
        journal.settle(connection, 1)
        journal.settle(connection, 1)

    database.write(job)
    with database.cursor() as cursor:
        rows = {
            table: cursor.execute(f"SELECT ordinal FROM {table} ORDER BY ordinal").fetchall()
            for table in ("requests", "chunks", "texts")
        }
        assert cursor.execute("SELECT count(*) FROM journal").fetchall() == [(0,)]
    assert rows == {"requests": [(0,), (1,), (2,)], "chunks": [(0,), (2,)], "texts": [(0,), (2,)]}


def test_a_batch_of_an_older_paceline_lacks_a_column_and_is_read(database, runs):
    runs.run_started(run())
    table = columns.table(0, [record(0)]).drop_columns("cached_tokens")
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table)
    database.write(
        lambda connection: connection.execute(
            "INSERT INTO journal VALUES (1, 0, 1, 5, ?)", [out.getvalue().to_pybytes()]
        )
    )
    with runs._lock:
        runs._live["r1"].ordinal = 1
    runs.requests("r1", [record(1, cached_tokens=4)])
    runs.run_ended(ended(run()))

    assert [plain(one) for one in runs.run("r1").requests] == [plain(record(0)), plain(record(1, cached_tokens=4))]


def test_a_backlog_is_full_by_times_records_or_batches():
    assert not journal.Backlog(chunks=999_999, records=19_999, batches=999).full
    assert journal.Backlog(chunks=1_000_000).full
    assert journal.Backlog(records=20_000).full
    assert journal.Backlog(batches=1_000).full
