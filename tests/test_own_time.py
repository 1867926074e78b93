"""What a process waited for a processor is told from what it took itself."""

import os
import signal
import subprocess
import sys
import time

from tests.own_time import OwnTime, held_s, of_group, of_tree, waits


def test_of_each_process_the_thread_that_waited_longest_counts():
    before = {(1, 1): 500, (1, 2): 0}
    after = {(1, 1): 1_000_000_500, (1, 2): 3_000_000_000, (2, 2): 500_000_000}

    assert held_s(before, after) == 3.5
    assert held_s(after, after) == 0


BUSY = "import time; end = time.monotonic() + 2\nwhile time.monotonic() < end: pass"
FOUR_BUSY = f"""import subprocess, sys
for _ in range(4): print(subprocess.Popen([sys.executable, "-c", {BUSY!r}], stdout=subprocess.DEVNULL).pid)"""


def test_what_others_wait_for_is_taken_off_from_nothing():
    started = subprocess.run([sys.executable, "-c", FOUR_BUSY], capture_output=True, text=True, check=True)
    others = [int(pid) for pid in started.stdout.split()]  # whoever started them has gone: they are in no tree of ours
    try:
        with OwnTime() as taken:
            time.sleep(0.5)
    finally:
        for pid in others:
            os.kill(pid, signal.SIGKILL)

    assert not set(others) & set(of_tree(os.getpid()))
    assert taken.own_s > 0.4


def test_a_process_and_what_it_started_are_found_by_tree_and_by_group():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True) as child:
        assert {os.getpid(), child.pid} <= set(of_tree(os.getpid()))
        assert of_group(child.pid) == [child.pid]
        assert child.pid in {pid for pid, _ in waits([child.pid])}
        child.communicate(b"\n")

    assert child.pid not in of_tree(os.getpid())
