"""The closed loop: how many, how long, how many at once, and when it stops."""

import asyncio
import gc
import time
from collections import Counter

import pytest

from core.loadgen import lanes
from core.loadgen.closed_loop import WAVE
from core.loadgen.connection import Connection
from core.plan import Limits
from core.records import FailureKind, Outcome, TokenSource
from core.run import StoppedBy
from tests.core.loadgen.scripted import (
    CHUNKED,
    answers,
    black_hole,
    chunk,
    endless,
    engine_for,
    event,
    measured,
    plan_for,
    scripted,
    stream,
)

REFUSAL = b'{"error":{"message":"Incorrect API key given"}}'
UNAUTHORIZED = (
    b"HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(REFUSAL)
    + REFUSAL
)


async def test_it_sends_exactly_the_requests_asked_for():
    async with scripted(answers(stream("a", "b"))) as server:
        records = await measured(plan_for(server.port, requests=17, concurrency=5))

    assert [record.index for record in records] == list(range(17))
    assert len({record.request_id for record in records}) == 17
    assert len(server.asked) == 17


@pytest.mark.parametrize(
    "load", [{"warmup_requests": 1}, {"concurrency": None, "rate": 50.0}], ids=["closed loop with warm-up", "open loop"]
)
async def test_nothing_is_collected_during_a_run_and_all_of_it_after(load):
    seen = []

    async def look(_asked, writer):
        seen.append((gc.isenabled(), gc.get_freeze_count()))
        writer.write(stream("a"))

    async with scripted(look) as server:
        engine = engine_for(plan_for(server.port, **load), [])
        before = gc.get_freeze_count()
        await engine.run()

    assert len(seen) == 1 + load.get("warmup_requests", 0)
    assert all(not enabled and frozen > before for enabled, frozen in seen)
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


async def test_a_run_that_breaks_off_leaves_collection_as_it_was(monkeypatch):
    async with scripted(answers(stream("a"))) as server:
        engine = engine_for(plan_for(server.port), [])
        monkeypatch.setattr(engine, "_measuring", lambda: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            await engine.run()

    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


async def test_never_more_are_in_flight_than_asked_for():
    here = most = 0

    async def slow(_asked, writer):
        nonlocal here, most
        here += 1
        most = max(most, here)
        await asyncio.sleep(0.01)
        here -= 1
        writer.write(stream("a"))

    async with scripted(slow) as server:
        records: list = []
        engine = engine_for(plan_for(server.port, requests=12, concurrency=4), records)
        await engine.run()

    assert most == 4
    assert engine.max_in_flight == 4


async def test_lanes_whose_answers_come_at_once_do_not_all_send_in_one_pass_of_the_loop(monkeypatch):
    monkeypatch.setattr("core.loadgen.decoding.MOST_SHARE", 1000.0)  # counting passes spins, which is use, too
    waiting, sent, passes = [], [], 0
    send = Connection.send

    def counted(connection, exchange):
        sent.append(passes)
        send(connection, exchange)

    async def all_at_once(_asked, writer):
        waiting.append(writer)
        if len(waiting) % 64 == 0:
            for one in waiting[-64:]:
                one.write(stream("a"))

    monkeypatch.setattr(Connection, "send", counted)
    async with scripted(all_at_once) as server:
        running = asyncio.create_task(engine_for(plan_for(server.port, requests=192, concurrency=64), []).run())
        while not running.done():
            await asyncio.sleep(0)
            passes += 1

    assert len(sent) == 192
    assert max(Counter(sent).values()) <= WAVE


async def test_a_server_has_a_moment_to_accept_its_connections_before_the_first_request(monkeypatch):
    monkeypatch.setattr(lanes, "SETTLE_S", 0.6)  # much longer than anything else here takes
    accepted, asked_s = [], []

    async def accept(reader, writer):
        accepted.append(time.monotonic())
        await reader.readuntil(b"\r\n\r\n")
        asked_s.append(time.monotonic() - accepted[-1])
        writer.transport.abort()

    async with await asyncio.start_server(accept, "127.0.0.1", 0) as server:
        await measured(plan_for(server.sockets[0].getsockname()[1], requests=1))

    assert asked_s[0] >= 0.5


async def test_warm_up_requests_come_first_have_other_prompts_and_are_marked():
    async with scripted(answers(stream("a"))) as server:
        records = await measured(plan_for(server.port, requests=3, warmup_requests=2))

    assert [record.warmup for record in records] == [True, True, False, False, False]
    assert max(r.ended_s for r in records if r.warmup) <= min(r.sent_s for r in records if not r.warmup)
    assert len({asked.body for asked in server.asked}) == 5


async def test_a_duration_ends_the_sending_and_what_is_in_flight_may_finish():
    async def slow(_asked, writer):
        await asyncio.sleep(0.05)
        writer.write(stream("a"))

    async with scripted(slow) as server:
        records: list = []
        engine = engine_for(plan_for(server.port, duration_s=0.3, concurrency=2), records)
        stopped_by = await engine.run()

    assert stopped_by is StoppedBy.DURATION
    assert len(records) >= 4
    assert all(record.outcome is Outcome.OK for record in records)


async def test_cancel_cuts_what_is_in_flight_and_keeps_what_arrived():
    async with scripted(endless) as server:
        records: list = []
        engine = engine_for(plan_for(server.port, requests=50, concurrency=3), records)
        running = asyncio.create_task(engine.run())
        while engine.in_flight < 3:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.05)
        engine.stop(StoppedBy.USER)
        stopped_by = await running
        async with asyncio.timeout(60):
            while server.gone < 3:  # the server saw every connection go
                await asyncio.sleep(0.01)

    assert stopped_by is StoppedBy.USER
    assert [record.failure.kind for record in records] == [FailureKind.CANCELLED] * 3
    assert all(len(record.chunk_us) > 0 for record in records)


async def test_a_hopeless_endpoint_is_not_asked_to_the_end():
    async with scripted(answers(b"HTTP/1.1 500 X\r\nContent-Length: 4\r\n\r\nboom")) as server:
        records: list = []
        engine = engine_for(plan_for(server.port, requests=500, concurrency=4), records)
        stopped_by = await engine.run()

    assert stopped_by is StoppedBy.ERRORS
    assert 20 <= len(records) < 60
    assert records[0].failure.kind is FailureKind.HTTP_5XX
    assert "boom" in records[0].failure.message


async def test_a_run_stops_at_its_token_cap():
    async with scripted(answers(stream(*"abcdefgh"))) as server:
        records: list = []
        engine = engine_for(plan_for(server.port, requests=500, limits=Limits(max_output_tokens=40)), records)
        stopped_by = await engine.run()

    assert stopped_by is StoppedBy.TOKENS
    assert 5 <= len(records) < 60


async def test_a_refused_key_is_told_with_its_name_and_host():
    async with scripted(answers(UNAUTHORIZED)) as server:
        (record,) = await measured(plan_for(server.port, key_name="LAB_KEY"))

    assert record.failure.kind is FailureKind.HTTP_401
    assert "LAB_KEY" in record.failure.message
    assert f"127.0.0.1:{server.port}" in record.failure.message


async def test_an_answer_in_one_body_has_no_first_token():
    counts = b'{"prompt_tokens":3,"completion_tokens":2}'
    body = b'{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":%b}' % counts
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    async with scripted(answers(head + body)) as server:
        (record,) = await measured(plan_for(server.port, stream=False))

    assert record.outcome is Outcome.OK
    assert record.streamed is False
    assert record.first_token_s is None
    assert record.first_answer_s is None
    assert record.last_token_s == record.ended_s
    assert (record.output_tokens, record.token_source) == (2, TokenSource.USAGE)


async def test_times_of_a_record_are_in_order():
    async with scripted(answers(stream("a", "b", "c"))) as server:
        (record,) = await measured(plan_for(server.port))

    assert 0 <= record.sent_s <= record.first_token_s <= record.last_token_s <= record.ended_s
    assert record.first_token_s == record.first_answer_s
    assert list(record.chunk_us) == sorted(record.chunk_us)


async def test_the_request_carries_what_the_plan_says():
    async with scripted(answers(stream("a"))) as server:
        plan = plan_for(
            server.port,
            api="completions",
            headers=(("X-Team", "lab"),),
            extra_body={"cache_prompt": False},
            output_tokens=9,
        )
        await measured(plan)
    asked = server.asked[0]

    assert asked.head.startswith(b"POST /v1/completions HTTP/1.1\r\n")
    assert b"\r\nX-Team: lab\r\n" in asked.head
    assert b"\r\nAccept-Encoding: identity\r\n" in asked.head
    assert b'"cache_prompt":false' in asked.body
    assert b'"max_tokens":9' in asked.body
    assert b'"include_usage":true' in asked.body


async def test_a_thousand_quick_answers_are_all_decoded():
    async with scripted(answers(stream(*"ab" * 20))) as server:
        records = await measured(plan_for(server.port, requests=1000, concurrency=32))

    assert len(records) == 1000
    assert all(len(record.chunk_us) == 40 for record in records)


async def test_what_is_in_flight_is_decoded_on_the_way_for_the_live_view():
    async def slow(_asked, writer):
        writer.write(CHUNKED + chunk(event("a")) + chunk(event("b")))
        await writer.drain()
        await asyncio.sleep(0.8)
        writer.write(stream("c")[len(CHUNKED) :])

    async with scripted(slow) as server:
        engine = engine_for(plan_for(server.port), [])
        running = asyncio.create_task(engine.run())
        async with asyncio.timeout(60):
            while not (await engine.seen_so_far())[1]:
                await asyncio.sleep(0.01)
        seen, _ = await engine.seen_so_far()
        await running

    assert seen == 2
    assert await engine.seen_so_far() == (3, set())


async def test_fast_failures_do_not_stop_a_run_whose_other_requests_succeed():
    here = 0

    async def few_at_once(_asked, writer):
        nonlocal here
        if here >= 8:
            writer.write(b"HTTP/1.1 429 X\r\nContent-Length: 4\r\n\r\nbusy")
            return
        here += 1
        await asyncio.sleep(0.3)
        here -= 1
        writer.write(stream("a"))

    async with scripted(few_at_once) as server:
        records: list = []
        stopped_by = await engine_for(plan_for(server.port, requests=120, concurrency=12), records).run()

    assert stopped_by is StoppedBy.REQUESTS
    assert len(records) == 120


async def test_measuring_begins_after_warm_up():
    order = []

    async def script(_asked, writer):
        order.append("request")
        writer.write(stream("a"))

    async with scripted(script) as server:
        plan = plan_for(server.port, requests=2, warmup_requests=3)
        await engine_for(plan, [], measuring=lambda: order.append("measuring")).run()

    assert order == ["request"] * 3 + ["measuring"] + ["request"] * 2


async def test_warm_up_is_in_no_live_number():
    seen = []

    async def slow(_asked, writer):
        writer.write(CHUNKED + chunk(event("a")))
        await writer.drain()
        await asyncio.sleep(0.6)
        seen.append((engine.sent, *await engine.seen_so_far()))
        writer.write(stream("b")[len(CHUNKED) :])

    async with scripted(slow) as server:
        engine = engine_for(plan_for(server.port, requests=1, warmup_requests=1), [])
        await engine.run()

    assert seen[0] == (0, 0, set())
    assert seen[1][:2] == (1, 1)


async def test_the_cap_of_a_timed_run_is_told_as_what_it_is():
    async with scripted(answers(stream("a"))) as server:
        plan = plan_for(server.port, duration_s=60.0, limits=Limits(max_requests=5))
        stopped_by = await engine_for(plan, []).run()

    assert stopped_by is StoppedBy.REQUESTS


async def test_cancel_while_a_connection_is_being_opened_does_not_wait_for_it(monkeypatch):
    monkeypatch.setattr("core.loadgen.dialling.Dialler.dial", black_hole)
    records: list = []
    engine = engine_for(plan_for(9, requests=2), records)
    running = asyncio.create_task(engine.run())
    await asyncio.sleep(0.05)
    engine.stop(StoppedBy.USER)

    async with asyncio.timeout(60):
        assert await running is StoppedBy.USER
