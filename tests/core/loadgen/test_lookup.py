"""Pages of a server by GET: what is sent, what is understood, and that nothing a server does holds a run up."""

import asyncio
from time import monotonic

import orjson
import pytest

from core.loadgen import lookup
from core.loadgen.dialling import Dialler
from core.loadgen.lookup import Lookup
from tests.core.loadgen.scripted import plan_for, scripted


def page(body: bytes, status: int = 200) -> bytes:
    return b"HTTP/1.1 %d X\r\nX-Own: yes\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)


def looking(port: int, key_header=None, **endpoint) -> Lookup:
    endpoint = plan_for(port, **endpoint).configuration.endpoint
    return Lookup(endpoint, Dialler(asyncio.get_running_loop(), endpoint), key_header)


def pages(**bodies: bytes):
    """A server with these pages, by the last part of their path."""

    async def script(asked, writer):
        name = asked.head.split(b" ")[1].rpartition(b"/")[2].decode()
        writer.write(page(bodies[name]) if name in bodies else page(b"", 404))

    return script


async def test_models_stand_below_the_base_url_and_other_pages_above_it():
    async with scripted(pages(models=b'{"data":[{"id":"a"},{"id":"b"}]}', version=b'{"version":"1"}')) as server:
        seen = looking(server.port)
        assert await seen.model_names() == ("a", "b")
        assert (await seen.page("/version")).table == {"version": "1"}

    assert [asked.head.split(b" ")[1] for asked in server.asked] == [b"/v1/models", b"/version"]


async def test_key_and_headers_of_the_endpoint_go_with_every_page_and_all_headers_come_back():
    async with scripted(pages(version=b"{}")) as server:
        seen = looking(server.port, ("Authorization", "Bearer k"), headers=(("X-Team", "lab"),))
        found = await seen.page("/version")

    (asked,) = server.asked
    assert b"\r\nAuthorization: Bearer k\r\n" in asked.head
    assert b"\r\nX-Team: lab\r\n" in asked.head
    assert found.headers["x-own"] == "yes"


async def test_a_redirect_is_not_followed():
    async def elsewhere(_, writer):
        writer.write(b"HTTP/1.1 302 X\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")

    async with scripted(elsewhere) as server:
        assert await looking(server.port).model_names() == ()

    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"data":7}', b'{"data":[{"id":7},7]}', b"[" * 100_000, b"<html>"]
)
async def test_what_is_no_model_list_has_no_names(body):
    async with scripted(pages(models=body)) as server:
        assert await looking(server.port).model_names() == ()


async def test_a_server_that_says_nothing_is_left_in_time_and_its_connection_closed(monkeypatch):
    monkeypatch.setattr(lookup, "WITHIN_S", 0.2)

    async def silent(*_):
        await asyncio.sleep(3600)

    async with scripted(silent) as server:
        began = monotonic()
        assert await looking(server.port).page("/version") is None
        assert monotonic() - began < 15  # 0.2 s where nothing else runs
        async with asyncio.timeout(60):
            while not server.asked_by[0].at_eof():
                await asyncio.sleep(0.01)


async def test_where_nobody_listens_there_is_no_page():
    async with scripted(pages()) as server:
        pass

    assert await looking(server.port).page("/version") is None


@pytest.mark.parametrize(
    ("bodies", "busy"),
    [
        ({"slots": orjson.dumps([{"is_processing": True}, {"is_processing": False}])}, 1),
        ({"metrics": b'vllm:num_requests_running{model="m"} 2.0\nvllm:num_requests_running{model="n"} 1.0\n'}, 3),
        ({"metrics": b"llamacpp:requests_processing 1\n"}, 1),
        ({"slots": b'{"error":"off"}', "metrics": b"llamacpp:requests_processing 0\n"}, 0),
        ({"slots": b"[7]", "metrics": b"llamacpp:requests_processing 1.2.3\n"}, None),
        ({}, None),
    ],
)
async def test_how_busy_a_server_is_comes_from_its_slots_or_its_metrics(bodies, busy):
    async with scripted(pages(**bodies)) as server:
        assert await looking(server.port).busy() == busy


async def test_the_page_that_told_once_is_the_only_one_asked_again():
    async with scripted(pages(metrics=b"llamacpp:requests_processing 0\n")) as server:
        seen = looking(server.port)
        await seen.busy()
        await seen.busy()

    assert [asked.head.split(b" ")[1] for asked in server.asked] == [b"/slots", b"/metrics", b"/metrics"]


@pytest.mark.parametrize("told", [b"1e999", b"1.2.3", b"-1e999", b"1e400\nvllm:num_requests_running 1"])
async def test_a_number_that_is_none_says_nothing_about_how_busy_a_server_is(told):
    async with scripted(pages(metrics=b"vllm:num_requests_running " + told)) as server:
        assert await looking(server.port).busy() is None


async def test_a_page_that_never_ends_is_left_once_it_is_too_long(monkeypatch):
    monkeypatch.setattr(lookup, "KEPT_BODY_BYTES", 100_000)
    sent = 0

    async def flood(_, writer):
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while True:
            writer.write(b"x" * 10_000)
            sent += 10_000
            await writer.drain()

    async with scripted(flood) as server:
        await looking(server.port).page("/metrics")

    assert sent < 60_000_000  # what fits between two looks; an answer may have 100,000,000
