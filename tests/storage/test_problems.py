"""DuckDB's words become one sentence that says what to do, without its stack and its advice."""

from pathlib import Path

import duckdb
import pytest

from storage.problems import (
    DatabaseOwned,
    DatabaseUnreadable,
    DiskFull,
    NotADatabase,
    PlaceNotWritable,
    RunNotFound,
    WriteFailed,
    from_opening,
    from_writing,
)

PATH = Path("/srv/paceline.duckdb")


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (
            'IO Error: Could not set lock on file "x": Conflicting lock is held in python (PID 7). See also http',
            DatabaseOwned,
        ),
        ('IO Error: The file "x" exists, but it is not a valid DuckDB database file!', NotADatabase),
        ('IO Error: Cannot open file "x": Permission denied', PlaceNotWritable),
        ('IO Error: Cannot open file "x": Read-only file system', PlaceNotWritable),
        ('IO Error: Could not write file "x.wal": No space left on device', DiskFull),
        (
            "IO Error: Corrupt database file: computed checksum 1 does not match\n\nStack Trace:\n0  foo",
            DatabaseUnreadable,
        ),
    ],
)
def test_every_reason_that_a_file_does_not_open_has_its_noun(words, kind):
    problem = from_opening(duckdb.IOException(words), PATH)

    assert type(problem) is kind
    assert str(PATH) in str(problem)
    assert "\n" not in str(problem)
    assert "Stack Trace" not in str(problem)
    assert str(problem).endswith(".")


def test_the_owner_is_named_where_the_system_tells_it():
    named = from_opening(duckdb.IOException("Could not set lock (PID 42)"), PATH)
    unnamed = from_opening(duckdb.IOException("Could not set lock"), PATH)

    assert isinstance(named, DatabaseOwned)
    assert isinstance(unnamed, DatabaseOwned)
    assert (named.pid, unnamed.pid) == (42, None)
    assert "process 42" in str(named)
    assert "stop it first" in str(unnamed)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (duckdb.IOException("Could not write file: Disk quota exceeded"), DiskFull),
        (duckdb.TransactionException("Failed to commit: Could not write: File too large"), DiskFull),
        (duckdb.OutOfMemoryException("failed to allocate data of size 2 GiB"), WriteFailed),
        (duckdb.CatalogException("Table with name x does not exist!\nDid you mean"), WriteFailed),
    ],
)
def test_every_reason_that_a_write_fails_has_its_noun(fault, kind):
    problem = from_writing(fault, PATH)

    assert type(problem) is kind
    assert "\n" not in str(problem)


def test_a_problem_that_has_its_noun_keeps_it():
    known = RunNotFound("There is no run x.")

    assert from_writing(known, PATH) is known
