"""The closed loop follows its stages: lanes join as the level reaches them and leave as it falls."""

import asyncio

from core.load import Stage
from core.run import StoppedBy
from tests.core.loadgen.scripted import engine_for, plan_for, scripted, stream


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
