"""Where a write-ahead log ends: DuckDB says nothing of the rest that it cannot replay."""

import pytest
from duckdb import connect

from storage.log_end import breaks_off


@pytest.fixture
def log(tmp_path):
    """The log of two commits, the second one of two statements."""
    path = tmp_path / "a.duckdb"
    with connect(str(path)) as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
        connection.execute("BEGIN; INSERT INTO t VALUES (1); INSERT INTO t SELECT range FROM range(5000); COMMIT")
        return (tmp_path / "a.duckdb.wal").read_bytes()


def test_a_log_as_duckdb_leaves_it_is_whole(log, tmp_path):
    (tmp_path / "log").write_bytes(log)

    assert not breaks_off(tmp_path / "log")


def test_a_log_cut_anywhere_after_its_first_commit_breaks_off(log, tmp_path):
    cut = tmp_path / "log"
    whole = []
    for length in range(60, len(log), 7):
        cut.write_bytes(log[:length])
        if not breaks_off(cut):
            whole.append(length)

    assert len(whole) <= 1  # a cut just behind the first commit leaves a whole log


@pytest.mark.parametrize("content", [b"", b"x", b"hello" * 100, bytes(500)])
def test_what_is_no_such_log_is_left_to_duckdb(tmp_path, content):
    (tmp_path / "log").write_bytes(content)

    assert not breaks_off(tmp_path / "log")


def test_no_log_is_no_break(tmp_path):
    assert not breaks_off(tmp_path / "none")
