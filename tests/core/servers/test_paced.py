"""The simulator over real sockets: order and pace, with generous bounds; and its own bookkeeping."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest

from core.servers import child, paced
from core.servers.paced_child import PacedServer


@pytest.fixture(scope="module")
def server():
    with PacedServer() as running:
        yield running


@pytest.fixture
def client(server):
    with httpx.Client(base_url=server.base_url, timeout=20) as made:
        yield made


def ask(client, model, tokens, request_id="", **more):
    body = {
        "model": model,
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": tokens,
        "stream": True,
        **more,
    }
    return client.post("/chat/completions", json=body, headers={"X-Request-Id": request_id})


def raw(server, sent, *, leave=False):
    """What a connection answers until it is closed or idle; `leave` says at once that nothing more will be sent."""
    parts = urlsplit(server.base_url)
    with socket.create_connection((parts.hostname, parts.port), timeout=1) as made:
        made.sendall(sent)
        if leave:
            made.shutdown(socket.SHUT_WR)
        got = b""
        try:
            while data := made.recv(65536):
                got += data
        except TimeoutError:
            pass
        return got


def test_a_stream_begins_with_the_role_and_ends_with_done(client):
    events = re.findall(r"data: (.*)\n\n", ask(client, "m-ttft0-itl0", 12).text)

    assert json.loads(events[0])["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert [json.loads(event)["choices"][0]["delta"].get("content") for event in events[1:-2]].count(None) == 0
    assert len(events) == 1 + 12 + 2
    assert events[-1] == "[DONE]"


def test_legacy_completions_carry_text_and_no_role(client):
    answer = client.post("/completions", json={"model": "m-ttft0-itl0", "prompt": "a", "max_tokens": 3, "stream": True})

    events = re.findall(r"data: (.*)\n\n", answer.text)

    assert [json.loads(event)["choices"][0]["text"] for event in events[:-1]] == [" the", " model", " streams", ""]


def test_an_answer_in_one_piece_takes_as_long_as_its_stream(client, server):
    answer = ask(client, "m-ttft10000-itl2000", 11, "whole", stream=False)

    truth = server.truths(["whole"])["whole"]

    assert answer.json()["usage"]["completion_tokens"] == 11
    assert truth.first_s - truth.received_s >= 0.030


def test_tokens_come_no_earlier_than_the_model_name_says(client, server):
    ask(client, "m-ttft30000-itl3000", 11, "paced")

    truth = server.truths(["paced"])["paced"]

    assert truth.first_s - truth.received_s >= 0.030
    assert truth.last_s - truth.received_s >= 0.060
    assert truth.last_s - truth.received_s <= 0.060 + truth.max_late_s + 0.005


def test_serial_requests_wait_for_each_other(client, server):
    names = [f"serial-{number}" for number in range(3)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda name: ask(client, "m-ttft10000-itl1000-serial", 20, name), names))

    truths = sorted((server.truths(names)[name] for name in names), key=lambda truth: truth.first_s)

    assert truths[1].first_s >= truths[0].last_s
    assert truths[2].first_s >= truths[1].last_s


def test_the_first_token_grows_with_the_requests_in_flight(client, server):
    ask(client, "m-ttft0-itl0-grow40000", 1, "alone")

    assert server.truths(["alone"])["alone"].first_s - server.truths()["alone"].received_s >= 0.040


def test_an_early_role_leaves_before_the_first_token(client):
    body = {"model": "m-ttft300000-early", "max_tokens": 1, "stream": True}
    with client.stream("POST", "/chat/completions", json=body) as answer:
        parts = answer.iter_raw()
        assert b"role" in next(parts)
        assert b"content" in next(parts)


def test_one_connection_serves_requests_one_after_another(server):
    body = b'{"model":"m-ttft1000-itl0","max_tokens":2,"stream":true}'
    request = b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
    last = b"GET /health HTTP/1.1\r\nconnection: close\r\n\r\n"

    got = raw(server, request * 2 + last)

    assert got.count(b"[DONE]") == 2
    assert got.endswith(b'{"status": "ok"}')


def test_a_stream_on_a_connection_that_is_not_kept_is_whole_before_it_closes(server):
    body = b'{"model":"m-ttft1000-itl0","max_tokens":2000,"stream":true}'
    request = b"POST /v1/completions HTTP/1.1\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)

    assert raw(server, request).endswith(b"0\r\n\r\n")


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /v1/models HTTP/1.1\r\n\r\n", b"200"),
        (b"GET /nothing HTTP/1.1\r\n\r\n", b"404"),
        (b"POST /v1/models HTTP/1.1\r\ncontent-length: 0\r\n\r\n", b"404"),
        (b"POST /v1/completions HTTP/1.1\r\ncontent-length: 2\r\n\r\n[]", b"400"),
        (b"POST /v1/completions HTTP/1.1\r\ncontent-length: 1\r\n\r\n{", b"400"),
        (b"\x16\x03\x01 tls?\r\n\r\n", b"400"),
    ],
)
def test_other_requests_get_a_json_answer(server, sent, status):
    head, _, body = raw(server, sent, leave=True).partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 " + status)
    assert isinstance(json.loads(body), dict)


def test_it_tells_how_late_it_was_since_it_was_asked_last(client, server):
    ask_lateness = server.base_url.removesuffix("/v1") + "/lateness"
    client.get(ask_lateness)
    ask(client, "m-ttft0-itl0", 20_000)  # all are due at once, and sending them takes its time
    told, after = client.get(ask_lateness).json(), client.get(ask_lateness).json()

    assert told["tokens"] == 20_000
    assert 0 < told["late_p99_s"] <= told["late_max_s"]
    assert after == {"tokens": 0, "late_p99_s": None, "late_max_s": None}


def test_a_reader_that_pauses_gets_every_token_later(server):
    parts = urlsplit(server.base_url)
    body = b'{"model":"m-ttft0-itl0","max_tokens":60000,"stream":true}'
    with socket.create_connection((parts.hostname, parts.port), timeout=20) as slow:
        slow.sendall(b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
        time.sleep(0.5)
        got = bytearray()
        while not got.endswith(b"0\r\n\r\n"):
            got += slow.recv(1 << 20)

    assert got.count(b'"content":" ') == 60_000


def test_an_arrival_stamp_of_the_kernel_lies_between_sending_and_now(client, server):
    before = time.monotonic()
    ask(client, "m-ttft0-itl0", 1, "stamped")

    received = server.truths(["stamped"])["stamped"].received_s

    assert before <= received <= time.monotonic()


def test_the_wall_clock_offset_is_the_same_twice():
    assert abs(paced.wall_minus_monotonic_ns() - paced.wall_minus_monotonic_ns()) < 50_000_000


def test_without_a_stdin_that_can_end_it_does_not_run():
    run = subprocess.run(
        [sys.executable, "-m", "core.servers.paced"], stdin=subprocess.DEVNULL, cwd=child.ROOT, capture_output=True,
        timeout=20, check=True, env=os.environ,
    )  # fmt: skip

    assert run.stdout.startswith(b"http://127.0.0.1:")
