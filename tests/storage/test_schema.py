"""Migrations are applied once, in order, all or nothing; the file of a later Paceline or of others is left alone."""

from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from core.plan import Load
from core.run import RunState
from storage.columns import insert, table
from storage.database import Database
from storage.problems import ForeignDatabase, SchemaTooNew
from storage.run_values import row
from storage.runs import RunStore
from storage.schema import MIGRATIONS, Migration, migrate
from storage.summaries import SUMMARY_COLUMNS
from tests.storage.made import record, row_of, run

FIRST = Migration(number=1, what="first", statements=("CREATE TABLE a (x INTEGER)",))
SECOND = Migration(
    number=2, what="second", statements=("ALTER TABLE a ADD COLUMN y INTEGER", "CREATE TABLE b (z INTEGER)")
)
PATH = Path("some.duckdb")


def tables(connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}


def test_migrations_are_numbered_from_one_without_a_gap():
    assert [migration.number for migration in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


def test_a_new_file_gets_all_of_them_and_an_old_one_the_rest():
    with duckdb.connect() as connection:
        assert migrate(connection, PATH, (FIRST,)) == 1
        assert migrate(connection, PATH, (FIRST, SECOND)) == 2
        assert migrate(connection, PATH, (FIRST, SECOND)) == 2

        assert tables(connection) == {"migrations", "a", "b"}
        assert connection.execute("SELECT number FROM migrations ORDER BY number").fetchall() == [(1,), (2,)]


def test_a_migration_that_fails_leaves_nothing_of_itself():
    broken = Migration(number=2, what="broken", statements=("CREATE TABLE b (z INTEGER)", "SELECT * FROM nowhere"))
    with duckdb.connect() as connection:
        migrate(connection, PATH, (FIRST,))

        with pytest.raises(duckdb.CatalogException):
            migrate(connection, PATH, (FIRST, broken))

        assert tables(connection) == {"migrations", "a"}
        assert migrate(connection, PATH, (FIRST, SECOND)) == 2


def test_the_file_of_a_later_paceline_is_refused_and_left_as_it_was(tmp_path):
    path = tmp_path / "later.duckdb"
    Database.open(path).close()
    with duckdb.connect(str(path)) as connection:
        connection.execute("INSERT INTO migrations VALUES (999, 'later', now())")

    with pytest.raises(SchemaTooNew, match=r"later Paceline \(tables 999, this one knows \d+\): update Paceline"):
        Database.open(path)

    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SELECT max(number) FROM migrations").fetchall() == [(999,)]


def test_somebody_elses_database_is_refused_and_left_as_it_was(tmp_path):
    path = tmp_path / "sales.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE sales (amount INTEGER)")

    with pytest.raises(ForeignDatabase, match="other tables than Paceline's"):
        Database.open(path)

    with duckdb.connect(str(path)) as connection:
        assert tables(connection) == {"sales"}


def test_there_is_no_index_and_no_constraint_that_would_be_one(database):
    with database.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM duckdb_indexes()").fetchall() == [(0,)]
        kinds = cursor.execute("SELECT DISTINCT constraint_type FROM duckdb_constraints()").fetchall()

    assert kinds == [("NOT NULL",)]


def test_a_file_of_the_first_version_keeps_its_summaries():
    facts = '{"token_source":"usage"}'
    with duckdb.connect() as connection:
        migrate(connection, PATH, MIGRATIONS[:1])
        connection.execute(
            "INSERT INTO summaries VALUES (7, 1, 3, 1.0, NULL, NULL, NULL, NULL, 2.5, [], [], 0.0, 0.1, [1.0], ?, ?)",
            [[2.0], facts],
        )

        migrate(connection, PATH)

        found = connection.execute("SELECT * FROM summaries").fetchall()
        names = [name for name, *_ in connection.description]
    assert names == list(SUMMARY_COLUMNS)
    assert found == [(7, 1, 3, 1.0, None, None, None, None, 2.5, [], [], 0.0, 0.1, [1.0], facts)]


def test_a_file_from_before_rates_opens_and_shows_its_runs(tmp_path):
    """Its runs are closed loops; what an imported schedule tells beyond is derived now."""
    path = tmp_path / "old.duckdb"
    old = Load(concurrency=4)
    found = run("r1", plan=replace(run().plan, load=old), state=RunState.COMPLETED)
    with duckdb.connect(str(path)) as connection:
        migrate(connection, path, MIGRATIONS[:3])
        for no, run_id in enumerate(("plain", "scheduled"), start=1):
            values = {
                name: value
                for name, value in row(replace(found, id=run_id)).items()
                if name not in ("rate", "workload")
            }
            names, places = ", ".join(values), ", ".join("?" * len(values))
            connection.execute(f"INSERT INTO runs (no, {names}) VALUES (?, {places})", [no, *values.values()])
            scheduled = None if run_id == "plain" else -0.02
            seen = table(0, [record(0, scheduled_s=scheduled)]).drop_columns(
                ["text", "reasoning_text", "chunk_us", "scheduled_ttft_s", "scheduled_e2e_s", "sent_input_tokens"]
            )
            insert(connection, "requests", seen.add_column(0, "run_no", pa.array([no], pa.int32())))
            connection.execute(
                "INSERT INTO summaries VALUES (?, 1, 1, 1.0, 99.0, NULL, NULL, NULL, NULL, [], [], 0, 0.1, [], ?)",
                [no, '{"counts": {"ok": 1}, "token_source": "usage", "tutorial": null}'],
            )

    with Database.open(path) as database:
        runs = RunStore(database)
        rows = {one.id: one for one in runs.list_runs()}
        assert {one.level for one in rows.values()} == {"4 in flight"}
        assert runs.run("plain").plan.load == old
        assert rows["plain"].ttft_p50_s == 99.0  # kept as it was
        assert runs.values("plain", "scheduled_ttft_s") == []
        assert runs.values("scheduled", "scheduled_ttft_s") == pytest.approx([0.07])
        assert runs.summary("scheduled").statistic("scheduled_e2e_s", "p50") == pytest.approx(0.11)
        runs.add(replace(found, id="open", plan=replace(found.plan, load=Load(concurrency=None, rate=2.0))))
        assert row_of(runs, "open").level == "2 requests/s"
