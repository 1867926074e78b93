"""Processor time as the system tells it, and where it does not."""

import os
import time

import pytest

from core.processor_time import busy_share, machine_times, process_seconds


def test_how_busy_the_machine_was_is_read_where_the_system_tells(tmp_path):
    stat = tmp_path / "stat"
    stat.write_text("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3 4\n")

    assert machine_times(stat) == (150.0, 1000.0)
    stat.write_text("something else\n")
    assert machine_times(stat) is None
    assert machine_times(tmp_path / "none") is None


@pytest.mark.parametrize(
    ("before", "now", "share"),
    [
        ((0.0, 0.0), (25.0, 100.0), 0.25),
        ((10.0, 10.0), (10.0, 20.0), 0.0),
        ((0.0, 0.0), (200.0, 100.0), 1.0),
        ((5.0, 5.0), (5.0, 5.0), None),
        (None, (1.0, 2.0), None),
        ((1.0, 2.0), None, None),
    ],
)
def test_a_share_is_what_was_busy_of_all_that_passed(before, now, share):
    assert busy_share(before, now) == share


def test_the_seconds_of_a_process_stand_behind_its_name_whatever_that_is(tmp_path):
    folder = tmp_path / "7"
    folder.mkdir()
    ticks = os.sysconf("SC_CLK_TCK")
    (folder / "stat").write_text(f"7 (a) b (c) S 1 1 1 0 -1 4194304 100 0 0 0 {3 * ticks} {ticks} 0 0 20 0 1 0 5 6 7\n")

    assert process_seconds(7, tmp_path) == 4.0


@pytest.mark.parametrize("text", ["", "7 (a) S", "7 (a) S" + " x" * 40])
def test_where_the_system_does_not_tell_nothing_is_known(tmp_path, text):
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_text(text)

    assert process_seconds(7, tmp_path) is None
    assert process_seconds(8, tmp_path) is None


def test_work_is_seen_where_the_system_tells():
    before = process_seconds(os.getpid())
    until = time.monotonic() + 20
    while before is not None and process_seconds(os.getpid()) == before:
        assert time.monotonic() < until
