"""Two measured runs never overlap on one machine."""

import subprocess
import sys

from core.loadgen.machine_lock import MachineLock

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
