"""The loop's own lateness: a loop held on purpose is seen."""

import asyncio
import time

import pytest

from core.loadgen import health
from core.loadgen.health import LagProbe


@pytest.mark.parametrize("kernel_timer", [True, False], ids=["kernel timer", "the loop's timer"])
async def test_a_held_loop_is_seen(kernel_timer, monkeypatch):
    if not kernel_timer:
        monkeypatch.setattr(health, "_timerfd", lambda _: None)
    probe = LagProbe(asyncio.get_running_loop())
    probe.start()
    for _ in range(5):
        await asyncio.sleep(0.02)
        time.sleep(0.03)  # what is tested: the loop is held
    await asyncio.sleep(0.02)
    probe.stop()
    found = probe.health(max_in_flight=4, priority="normal", reads=10, chunks=20)

    assert found.loop_lag_max_s >= 0.02
    assert 0 <= found.loop_lag_p50_s <= found.loop_lag_p99_s <= found.loop_lag_max_s
    assert found.reads_per_token == 0.5
    assert found.max_in_flight == 4


@pytest.mark.parametrize("kernel_timer", [True, False], ids=["kernel timer", "the loop's timer"])
async def test_what_held_the_loop_before_it_counts_is_not_counted(kernel_timer, monkeypatch):
    if not kernel_timer:
        monkeypatch.setattr(health, "_timerfd", lambda _: None)
    probe = LagProbe(asyncio.get_running_loop())
    probe.start()
    time.sleep(1.0)  # prompts are made, and nothing fires meanwhile
    probe.restart()
    await asyncio.sleep(0.05)
    probe.stop()
    found = probe.health(max_in_flight=0, priority="normal", reads=0, chunks=0)

    assert found.loop_lag_max_s < 0.9


async def test_lag_so_far_is_what_the_run_will_be_judged_by():
    probe = LagProbe(asyncio.get_running_loop())
    assert probe.so_far_p99_s() is None
    probe.start()
    for _ in range(5):
        await asyncio.sleep(0.02)
        time.sleep(0.03)  # what is tested: the loop is held
    await asyncio.sleep(0.02)
    probe.stop()
    so_far = probe.so_far_p99_s()
    found = probe.health(max_in_flight=0, priority="normal", reads=0, chunks=0)

    assert so_far >= 0.02
    assert found.loop_lag_p50_s <= so_far <= found.loop_lag_max_s + 1e-5


async def test_one_late_moment_in_a_hundred_and_one_is_no_p99():
    probe = LagProbe(asyncio.get_running_loop())
    for lag_s in [0.0002] * 100 + [0.5]:
        probe._keep(lag_s)
    assert probe.so_far_p99_s() == pytest.approx(0.0002)

    probe._keep(0.5)
    probe._keep(0.5)
    assert probe.so_far_p99_s() == pytest.approx(0.5)

    probe.restart()
    assert probe.so_far_p99_s() is None


async def test_a_probe_that_saw_nothing_says_so():
    found = LagProbe(asyncio.get_running_loop()).health(max_in_flight=0, priority="normal", reads=0, chunks=0)

    assert found.loop_lag_p99_s is None
    assert found.reads_per_token is None


async def test_a_share_of_the_machine_is_between_nothing_and_all():
    probe = LagProbe(asyncio.get_running_loop())
    until = time.monotonic() + 0.2
    while time.monotonic() < until:
        pass
    found = probe.health(max_in_flight=0, priority="normal", reads=0, chunks=0).machine_busy_share

    assert found is None or 0 < found <= 1
