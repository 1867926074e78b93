"""Two measured runs never overlap on one machine."""

import os
import subprocess
import sys

import pytest

from core.loadgen.machine_lock import LockUnusable, MachineLock, lock_path

HOLD = """
import sys
from pathlib import Path
from core.loadgen.machine_lock import MachineLock
print(MachineLock(Path(sys.argv[1])).try_acquire(), flush=True)
sys.stdin.read()
"""


def test_a_second_process_has_to_wait_until_the_first_is_gone_however_it_ends(tmp_path):
    path = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "True\n"
        with MachineLock(path) as lock:
            assert not lock.try_acquire()
            holder.kill()
            holder.wait()
            assert lock.try_acquire()


def test_a_released_lock_is_free(tmp_path):
    with MachineLock(tmp_path / "lock") as lock:
        assert lock.try_acquire()
    with MachineLock(tmp_path / "lock") as lock:
        assert lock.try_acquire()


def test_others_can_use_a_lock_made_under_a_strict_umask(tmp_path):
    before = os.umask(0o077)
    try:
        with MachineLock(tmp_path / "lock") as lock:
            assert lock.try_acquire()
    finally:
        os.umask(before)

    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o666


def test_a_lock_that_cannot_be_opened_is_one_sentence(tmp_path):
    with pytest.raises(LockUnusable, match="PACELINE_LOCK"):
        MachineLock(tmp_path / "none" / "lock").try_acquire()


def test_a_pipe_in_its_place_locks_as_well_and_keeps_nobody_waiting(tmp_path):
    os.mkfifo(tmp_path / "lock")

    with MachineLock(tmp_path / "lock") as lock:
        assert lock.try_acquire()
        with MachineLock(tmp_path / "lock") as second:
            assert not second.try_acquire()


def test_the_lock_is_the_machine_s_whatever_tmpdir_says(monkeypatch):
    monkeypatch.delenv("PACELINE_LOCK", raising=False)
    here = lock_path()
    monkeypatch.setenv("TMPDIR", "/somewhere")

    assert lock_path() == here
