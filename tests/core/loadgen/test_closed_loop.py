"""The closed loop follows its stages: lanes join as the level reaches them and leave as it falls."""

import asyncio

import pytest

from core.load import Stage
from core.records import FailureKind
from core.restraint import Restraint
from core.run import StoppedBy
from tests.core.loadgen.scripted import engine_for, plan_for, refusing, scripted, stream


async def counted(load):
    """(seconds since the first request, requests on their way then) at each request, and why it stopped."""
    here, seen = 0, []
    loop = asyncio.get_running_loop()

    async def slow(_asked, writer):
        nonlocal here
        here += 1
        seen.append((loop.time(), here))
        await asyncio.sleep(0.02)
        here -= 1
        writer.write(stream("a"))

    async with scripted(slow) as server:
        stopped_by = await engine_for(plan_for(server.port, **load), []).run()
    return [(at_s - seen[0][0], count) for at_s, count in seen], stopped_by


async def test_a_ramp_lets_lanes_join_one_after_the_other():
    seen, stopped_by = await counted(
        {"concurrency": 4, "duration_s": 1.0, "stages": (Stage(seconds=0.8, start=1, end=4),)}
    )

    early = [count for at_s, count in seen if at_s < 0.1]
    late = [count for at_s, count in seen if at_s > 0.85]
    assert max(early) == 1
    assert max(late) == 4
    assert stopped_by is StoppedBy.DURATION


async def test_lanes_leave_when_the_level_falls():
    seen, _ = await counted(
        {
            "concurrency": 4,
            "duration_s": 1.0,
            "stages": (Stage(seconds=0.5, start=4, end=4), Stage(seconds=1, start=1, end=1)),
        }
    )

    assert max(count for at_s, count in seen if at_s < 0.4) == 4
    assert max(count for at_s, count in seen if at_s > 0.85) == 1


async def test_a_stop_wakes_the_lanes_that_wait_for_their_stage():
    async with scripted(lambda _asked, writer: asyncio.sleep(0, writer.write(stream("a")))) as server:
        load = {"concurrency": 4, "duration_s": 600.0, "stages": (Stage(seconds=600, start=1, end=4),)}
        engine = engine_for(plan_for(server.port, **load), [])
        running = asyncio.create_task(engine.run())
        await asyncio.sleep(0.1)
        engine.stop(StoppedBy.USER)

        async with asyncio.timeout(60):
            assert await running is StoppedBy.USER


async def test_a_lane_that_is_asked_to_wait_sends_nothing_until_then_and_the_wait_is_in_no_latency():
    async with scripted(refusing(first=1, retry_after=0.6)) as server:
        records: list = []
        plan = plan_for(server.port, concurrency=1, requests=6, restraint=Restraint(wait_as_asked=True))
        engine = engine_for(plan, records)
        await engine.run()

    (turned_away,) = [one for one in records if one.failure]
    assert turned_away.failure.kind is FailureKind.HTTP_429
    later = [one.sent_s for one in records if one.sent_s > turned_away.ended_s]
    assert min(later) >= turned_away.ended_s + 0.6
    assert len(later) >= 3
    assert engine.held_back()["waited_s"] == pytest.approx(0.6, abs=0.01)
    assert engine.held_back()["waits"] == 1


async def test_without_the_switch_it_sends_on():
    async with scripted(refusing(first=1, retry_after=600)) as server:
        records: list = []
        engine = engine_for(plan_for(server.port, concurrency=1, requests=3), records)
        async with asyncio.timeout(60):
            await engine.run()

    assert len(records) == 3
    assert engine.held_back() == {"waited_s": None, "waits": None, "held_requests": None}


async def test_limits_a_minute_space_out_what_lanes_send():
    async with scripted(refusing(first=0)) as server:
        records: list = []
        plan = plan_for(server.port, concurrency=4, requests=5, restraint=Restraint(requests_per_minute=600))
        engine = engine_for(plan, records)
        await engine.run()

    sent = sorted(record.sent_s for record in records)
    assert sent[-1] - sent[0] >= 0.4
    assert engine.held_back()["held_requests"] >= 3


@pytest.mark.parametrize("restraint", [Restraint(wait_as_asked=True), Restraint(requests_per_minute=1)])
async def test_a_stop_and_the_end_of_the_time_wake_lanes_that_are_held_back(restraint):
    async with scripted(refusing(first=1, retry_after=600)) as server:
        plan = plan_for(server.port, concurrency=2, duration_s=0.3, restraint=restraint)
        engine = engine_for(plan, [])
        async with asyncio.timeout(60):
            assert await engine.run() is StoppedBy.DURATION

        engine = engine_for(plan_for(server.port, concurrency=2, requests=50, restraint=restraint), [])
        running = asyncio.create_task(engine.run())
        await asyncio.sleep(0.1)
        engine.stop(StoppedBy.USER)
        async with asyncio.timeout(60):
            assert await running is StoppedBy.USER
