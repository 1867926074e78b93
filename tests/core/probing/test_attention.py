"""Whether a probe notices that it was held up itself."""

import time

from core.probing.attention import PERIOD_S, Attention


def test_a_held_interpreter_is_noticed():
    with Attention() as watch:
        began = time.monotonic()
        while time.monotonic() - began < 0.3:
            sum(range(5_000_000))  # one call that does not let go of the interpreter

    assert watch.late_s > 0.02


def test_a_thread_that_did_not_come_to_run_at_all_is_late_too():
    now = [100.0]
    watch = Attention(clock=lambda: now[0])
    with watch:
        now[0] += 1.0

    assert watch.late_s >= 1.0 - PERIOD_S - 1e-9


def test_a_share_of_the_machine_is_told_where_the_system_tells():
    with Attention() as watch:
        time.sleep(0.05)

    assert watch.busy_share is None or 0 <= watch.busy_share <= 1


def test_what_was_late_before_it_began_anew_is_forgotten():
    now = [100.0]
    watch = Attention(clock=lambda: now[0])
    watch._due = now[0]
    now[0] += 3.0
    watch._look()
    assert watch.late_s == 3.0

    watch.anew()
    watch._look()

    assert watch.late_s <= 0
