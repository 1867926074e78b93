"""Hostile servers: bounded in time and size, and the key goes nowhere else."""

import gzip
import json
import ssl
import time

import pytest

from core.keys import Key
from core.probe import ProbeState, probe
from core.probing.courier import Courier
from tests.core.answering_server import AnsweringServer, chat, free_port, models, reply
from tests.core.probing.asking import CHAT, MODELS, SECRET, endpoint, probed, typed_key


def endless(_asked):
    yield b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
    while True:
        yield b'data: {"choices":[{"delta":{"content":"x"}}]}\n\n'
        yield 0.001


def drip(_asked):
    yield b"HTTP/1.1 200 OK\r\n"
    while True:
        yield b"x-drip: 1\r\n"
        yield 0.02


def huge(_asked):
    yield b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"data":['
    for _ in range(100):
        yield b'{"id":"m"},' * 10_000


HOSTILE = {
    "an endless answer": ({MODELS: models("m"), CHAT: endless}, ProbeState.READY),
    "headers without end": ({MODELS: drip}, ProbeState.TIMED_OUT),
    "silence": ({MODELS: lambda _asked: [30.0]}, ProbeState.TIMED_OUT),
    "silence after the models": ({MODELS: models("m"), CHAT: lambda _asked: [30.0]}, ProbeState.TIMED_OUT),
    "silence on every other page": ({MODELS: models("m"), CHAT: chat(), "*": lambda _asked: [30.0]}, ProbeState.READY),
    "a huge list": ({MODELS: huge}, ProbeState.WRONG_ADDRESS),
    "no HTTP": ({"*": b"SSH-2.0-OpenSSH_9.9\r\n"}, ProbeState.WRONG_ADDRESS),
    "a closed door": ({MODELS: b""}, ProbeState.FAULTY),
    "a redirect in a circle": ({MODELS: reply(302, "", "Location: /v1/models")}, ProbeState.WRONG_ADDRESS),
    "a redirect to no address": ({MODELS: reply(302, "", "Location: http://[/")}, ProbeState.FAULTY),
    "a redirect to no port": ({MODELS: reply(302, "", "Location: http://h:99999999/")}, ProbeState.FAULTY),
    "deep JSON": ({MODELS: reply(200, b"[" * 100_000, content_type="application/json")}, ProbeState.WRONG_ADDRESS),
    "names of the wrong kind": (
        {MODELS: reply(200, {"data": [{"id": 7}, {"id": "a\nb"}, {"id": "x" * 999}, None, "m"]})},
        ProbeState.WRONG_ADDRESS,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_server_is_bounded_in_time_and_told_in_words(case):
    answers, state = HOSTILE[case]
    began = time.monotonic()

    result = probed(answers, budget_s=1.0)

    assert time.monotonic() - began < 5
    assert result.state is state, result
    assert result.what


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("place", [MODELS, CHAT, "GET /version"])
def test_a_redirect_to_another_host_never_gets_the_key(status, place):
    with AnsweringServer({"*": reply(200, {"data": [{"id": "stolen"}]})}) as thief:
        elsewhere = reply(status, "", f"Location: http://127.0.0.1:{thief.port}/v1/models")
        answers = {MODELS: models("m"), CHAT: chat(), place: elsewhere}

        result = probed(answers, key=SECRET)

        assert thief.asked == []
    if place != "GET /version":
        assert f"redirects to http://127.0.0.1:{thief.port}/v1" in result.what
        assert "The key was not sent there." in result.what
        assert "make it the base URL" in result.next_step


def other_hosts_key() -> Key:
    return Key(name="K", value=SECRET, origin="a test", hosts=(("llm.example.com", None),))


def test_a_key_of_another_host_that_is_handed_in_is_not_sent():
    with AnsweringServer({MODELS: models("m"), CHAT: chat()}) as server:
        result = probe(endpoint(server), key=other_hosts_key())

        assert server.asked == []
    assert "llm.example.com only" in result.what


def test_the_courier_itself_leaves_a_key_of_another_host_at_home():
    with (
        AnsweringServer({MODELS: models("m")}) as server,
        Courier(endpoint(server), other_hosts_key(), ssl.create_default_context()) as courier,
    ):
        courier.get(server.base_url + "/models", seconds=2.0, cap=1000)

        assert "authorization" not in server.asked[0].headers


def test_a_compressed_page_is_unpacked_within_bounds():
    page = json.dumps({"data": [{"id": "m"}]}).encode()
    bomb = gzip.compress(b'{"data":[{"id":"m"}' + b" " * 50_000_000)
    small = probed({MODELS: reply(200, gzip.compress(page), "content-encoding: gzip"), CHAT: chat()})
    broken = probed({MODELS: reply(200, b"no gzip", "content-encoding: gzip")})
    large = probed({MODELS: reply(200, bomb, "content-encoding: gzip")})

    assert small.models == ("m",)
    assert broken.state is ProbeState.WRONG_ADDRESS
    assert large.state is ProbeState.WRONG_ADDRESS


def test_a_redirect_within_the_server_is_followed_with_the_key():
    with AnsweringServer(
        {MODELS: reply(307, "", "Location: /v1/models/"), "GET /v1/models/": models("m"), CHAT: chat()}
    ) as server:
        target = endpoint(server)
        result = probe(target, session=typed_key(target))

        keys = [asked.headers.get("authorization") for asked in server.asked[:2]]
    assert keys == [f"Bearer {SECRET}"] * 2
    assert result.state is ProbeState.READY


def test_a_key_that_the_server_says_back_is_not_kept():
    echo = {"error": {"message": f"No such key: {SECRET} ({SECRET.replace('-', chr(92) + 'u002d')})", "code": SECRET}}
    answers = {
        MODELS: reply(200, {"data": [{"id": SECRET, "owned_by": SECRET}]}, f"x-echo: {SECRET}"),
        CHAT: reply(400, json.dumps(echo).replace("\\\\", "\\"), content_type="application/json"),
    }

    result = probed(answers, key=SECRET)

    kept = repr(result) + json.dumps(result.to_dict())
    assert SECRET not in kept
    assert "[the key]" in kept


def test_extra_headers_are_sent_and_the_environment_adds_nothing(monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password netrc-secret\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    with AnsweringServer({MODELS: models("m"), CHAT: chat()}) as server:
        result = probe(endpoint(server, headers=(("X-Team", "blue"),)))

        assert all(asked.headers["x-team"] == "blue" for asked in server.asked)
        assert not any("authorization" in asked.headers for asked in server.asked)
    assert result.state is ProbeState.READY
