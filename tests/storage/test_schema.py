"""Migrations are applied once, in order, all or nothing; the file of a later Paceline or of others is left alone."""

from pathlib import Path

import duckdb
import pytest

from storage.database import Database
from storage.problems import ForeignDatabase, SchemaTooNew
from storage.schema import MIGRATIONS, Migration, migrate
from storage.summaries import SUMMARY_COLUMNS

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
