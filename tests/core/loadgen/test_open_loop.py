"""The open loop: requests leave when they are due, whatever came back, and what was late says so."""

import asyncio

import pytest

from core.load import Stage
from core.metrics import slip_s
from core.plan import Limits
from core.records import FailureKind, Outcome
from core.run import StoppedBy
from tests.core.loadgen.scripted import (
    answers,
    black_hole,
    endless,
    engine_for,
    measured,
    plan_for,
    scripted,
    stream,
)


def open_plan(port, *, rate, **load):
    return plan_for(port, concurrency=None, rate=rate, **load)


async def test_it_sends_every_request_of_the_schedule_once():
    async with scripted(answers(stream("a", "b"))) as server:
        records = await measured(open_plan(server.port, rate=200.0, requests=40))

    assert sorted(record.index for record in records) == list(range(40))
    assert len({record.request_id for record in records}) == 40
    assert len(server.asked) == 40
    assert all(record.outcome is Outcome.OK for record in records)


async def test_no_request_leaves_before_it_is_scheduled():
    async with scripted(answers(stream("a"))) as server:
        records = await measured(open_plan(server.port, rate=300.0, requests=60))

    assert all(slip_s(record) >= -0.001 for record in records)
    assert all(record.scheduled_s is not None for record in records)


async def test_a_slow_server_does_not_slow_the_sending():
    async def slow(_asked, writer):
        await asyncio.sleep(0.5)
        writer.write(stream("a"))

    async with scripted(slow) as server:
        records: list = []
        engine = engine_for(open_plan(server.port, rate=100.0, constant=True, requests=20), records)
        await engine.run()

    sent = sorted(record.sent_s for record in records)
    assert engine.max_in_flight == 20
    assert sent[-1] - sent[0] == pytest.approx(0.19, abs=0.1)


async def test_the_same_seed_gives_the_same_schedule():
    async with scripted(answers(stream("a"))) as server:
        first = await measured(open_plan(server.port, rate=500.0, requests=20))
        second = await measured(open_plan(server.port, rate=500.0, requests=20))

    def gaps(records):
        times = sorted(record.scheduled_s for record in records)
        return [at_s - times[0] for at_s in times]

    assert gaps(first) == pytest.approx(gaps(second), abs=1e-6)


async def test_a_cap_in_flight_holds_back_what_is_due_and_its_slip_tells():
    async def slow(_asked, writer):
        await asyncio.sleep(0.1)
        writer.write(stream("a"))

    async with scripted(slow) as server:
        records: list = []
        engine = engine_for(open_plan(server.port, rate=1000.0, constant=True, requests=6, max_in_flight=2), records)
        await engine.run()

    assert engine.max_in_flight == 2
    late = sorted(slip_s(record) for record in records)
    assert late[-1] - late[0] > 0.15  # two rounds of 0.1 s lie between


async def test_what_waits_for_the_cap_when_the_time_is_over_is_kept_as_never_sent():
    async def slow(_asked, writer):
        await asyncio.sleep(0.3)
        writer.write(stream("a"))

    async with scripted(slow) as server:
        records: list = []
        plan = open_plan(server.port, rate=50.0, constant=True, duration_s=0.2, max_in_flight=1)
        stopped_by = await engine_for(plan, records).run()

    assert stopped_by is StoppedBy.DURATION
    assert len(records) == 10
    assert len(server.asked) == 1
    unsent = [record for record in records if record.sent_s is None]
    assert len(unsent) == 9
    assert {record.outcome for record in unsent} == {Outcome.CANCELLED}
    assert all(record.scheduled_s is not None for record in unsent)


async def test_a_duration_ends_the_sending_and_what_is_in_flight_may_finish():
    async def slow(_asked, writer):
        await asyncio.sleep(0.4)
        writer.write(stream("a"))

    async with scripted(slow) as server:
        records: list = []
        stopped_by = await engine_for(open_plan(server.port, rate=50.0, constant=True, duration_s=0.2), records).run()

    assert stopped_by is StoppedBy.DURATION
    assert len(records) == 10
    assert all(record.outcome is Outcome.OK for record in records)


async def test_the_cap_of_requests_ends_a_timed_run_early():
    async with scripted(answers(stream("a"))) as server:
        plan = open_plan(server.port, rate=500.0, duration_s=60.0, limits=Limits(max_requests=5))
        stopped_by = await engine_for(plan, []).run()

    assert stopped_by is StoppedBy.REQUESTS


async def test_warm_up_comes_first_and_is_not_scheduled():
    async with scripted(answers(stream("a"))) as server:
        records = await measured(open_plan(server.port, rate=500.0, requests=3, warmup_requests=2))

    assert [record.warmup for record in records] == [True, True, False, False, False]
    assert [record.scheduled_s is None for record in records] == [True, True, False, False, False]


async def test_connections_are_opened_before_requests_are_due_and_kept():
    async with scripted(answers(stream("a"))) as server:
        records = await measured(open_plan(server.port, rate=40.0, constant=True, requests=40))

    assert server.connections < 30  # those due within the horizon, then the same ones again
    assert all(slip_s(record) < 0.2 for record in records)


async def test_a_server_that_closes_after_each_answer_gets_a_new_connection_for_each():
    async with scripted(answers(stream("a"), close=True)) as server:
        records = await measured(open_plan(server.port, rate=100.0, requests=20))

    assert all(record.outcome is Outcome.OK for record in records)


async def test_a_refused_connection_is_a_record_for_each_request_that_was_due():
    records = await measured(open_plan(9, rate=500.0, requests=5))

    assert {record.failure.kind for record in records} == {FailureKind.REFUSED}
    assert len(records) == 5
    assert all(record.scheduled_s is not None for record in records)


async def test_cancel_cuts_what_is_in_flight_and_forgets_what_is_not_due():
    async with scripted(endless) as server:
        records: list = []
        engine = engine_for(open_plan(server.port, rate=100.0, constant=True, requests=5000), records)
        running = asyncio.create_task(engine.run())
        while engine.in_flight < 3:
            await asyncio.sleep(0.005)
        engine.stop(StoppedBy.USER)
        async with asyncio.timeout(60):
            assert await running is StoppedBy.USER

    assert 3 <= len(records) < 1000
    assert {record.outcome for record in records} == {Outcome.CANCELLED}


async def test_cancel_while_connections_are_being_opened_does_not_wait_for_them(monkeypatch):
    monkeypatch.setattr("core.loadgen.dialling.Dialler.dial", black_hole)
    engine = engine_for(open_plan(9, rate=100.0, requests=50), [])
    running = asyncio.create_task(engine.run())
    await asyncio.sleep(0.3)
    engine.stop(StoppedBy.USER)

    async with asyncio.timeout(60):
        assert await running is StoppedBy.USER


async def test_stages_change_the_rate_on_the_way():
    async with scripted(answers(stream("a"))) as server:
        stages = (Stage(seconds=0.5, start=20, end=20), Stage(seconds=0.5, start=200, end=200))
        records = await measured(open_plan(server.port, rate=200.0, constant=True, stages=stages, duration_s=1.0))

    begin = min(record.scheduled_s for record in records)
    early = sum(record.scheduled_s - begin < 0.5 - 1e-6 for record in records)
    assert early == 10
    assert len(records) == pytest.approx(110, abs=1)


async def test_a_queue_that_only_grows_ends_the_run_as_saturated(monkeypatch):
    monkeypatch.setattr("core.loadgen.saturation.LEAST_S", 1.0)
    monkeypatch.setattr("core.loadgen.saturation.LOOK_S", 0.05)
    turn = asyncio.Lock()

    async def one_at_a_time(_asked, writer):
        async with turn:
            await asyncio.sleep(0.02)
        writer.write(stream("a"))

    async with scripted(one_at_a_time) as server:
        records: list = []
        plan = open_plan(server.port, rate=150.0, duration_s=30.0, stop_when_saturated=True)
        stopped_by = await engine_for(plan, records).run()  # what had been sent by then is waited for

    assert stopped_by is StoppedBy.SATURATION
    assert all(record.outcome is Outcome.OK for record in records if record.sent_s is not None)
