"""An alarm rings once for each moment it is set to, not before it, and not after it is closed."""

import asyncio
from time import monotonic_ns

import pytest

from core.loadgen import alarm
from core.loadgen.alarm import Alarm


@pytest.fixture(params=["kernel", "loop"], autouse=True)
def kind(request, monkeypatch):
    if request.param == "loop":
        monkeypatch.setattr(alarm, "kernel_timer", lambda: None)


async def test_it_rings_at_its_moment_and_not_before():
    rung = []
    done = asyncio.Event()
    one = Alarm(asyncio.get_running_loop(), lambda: (rung.append(monotonic_ns()), done.set()))
    due = monotonic_ns() + 20_000_000

    one.at(due)
    await done.wait()
    one.close()

    assert rung[0] >= due - 1_000_000  # the loop's own timers may be a millisecond early


async def test_a_moment_that_has_passed_rings_at_once():
    done = asyncio.Event()
    one = Alarm(asyncio.get_running_loop(), done.set)

    one.at(monotonic_ns() - 5)
    await done.wait()
    one.close()


async def test_setting_it_again_forgets_the_moment_before():
    rung = []
    done = asyncio.Event()
    one = Alarm(asyncio.get_running_loop(), lambda: (rung.append(1), done.set()))

    one.at(monotonic_ns() + 3_600_000_000_000)
    one.at(monotonic_ns() + 1_000_000)
    await done.wait()
    one.close()

    assert rung == [1]


async def test_a_closed_alarm_is_silent():
    rung = []
    one = Alarm(asyncio.get_running_loop(), lambda: rung.append(1))

    one.at(monotonic_ns() + 1_000_000)
    one.close()
    await asyncio.sleep(0.01)

    assert rung == []
