"""Rows are found again by what a plan keeps of them, and only if they are still the same."""

import os

import pytest

from core import trace_shelf
from core.base_url import PlanError
from core.trace import Rows

ROWS = Rows.of([(1.0, 10, 1), (2.0, 20, 2)])
TRACE = ROWS.trace("x.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_CACHE", str(tmp_path))
    return tmp_path / "traces"


def test_rows_are_found_by_their_trace():
    assert not trace_shelf.has(TRACE)
    assert trace_shelf.find(TRACE) is None

    trace_shelf.keep(ROWS)

    assert trace_shelf.has(TRACE)
    assert trace_shelf.needed(TRACE).columns() == ROWS.columns()


def test_rows_that_are_missing_are_told_by_the_name_of_their_file():
    with pytest.raises(PlanError, match=r"trace x\.csv are not on this machine"):
        trace_shelf.needed(TRACE)


@pytest.mark.parametrize("data", [b"", b"[[0],[1],[1]]", b"[[", b'{"a":1}', b"[1,2,3]", b"[[0,1000000],[10,20],[1,9]]"])
def test_a_file_that_is_not_what_it_was_is_none_and_keeping_repairs_it(folder, data):
    folder.mkdir()
    (folder / f"{TRACE.digest}.json").write_bytes(data)
    assert trace_shelf.find(TRACE) is None

    trace_shelf.keep(ROWS)
    assert trace_shelf.find(TRACE) is not None


def test_the_ones_used_longest_ago_make_room(folder, monkeypatch):
    monkeypatch.setattr(trace_shelf, "KEPT", 2)
    many = [Rows.of([(0.0, length, 1)]) for length in (1, 2, 3)]
    for age, rows in zip((30, 20, 10), many, strict=True):
        trace_shelf.keep(rows)
        os.utime(folder / f"{rows.digest}.json", (1_000_000 - age, 1_000_000 - age))
    trace_shelf.keep(ROWS)

    assert [trace_shelf.has(rows.trace("x")) for rows in many] == [False, False, True]
    assert trace_shelf.has(TRACE)
    assert not list(folder.glob("*.part"))


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PACELINE_CACHE", str(tmp_path / "file"))

    with pytest.raises(PlanError, match="set PACELINE_CACHE to another folder"):
        trace_shelf.keep(ROWS)
