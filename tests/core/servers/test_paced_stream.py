"""Requests cut out of bytes, and the order in which an answer's bytes leave. No socket, no clock."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.servers.pace import Asked, Pace
from core.servers.paced_stream import MAX_HEAD, Request, Stream, cut_request

WHOLE = b"POST /v1/completions?x=1 HTTP/1.1\r\nHost: h\r\nX-Request-Id: r7\r\nContent-Length: 4\r\n\r\n{  }"


@given(st.integers(0, len(WHOLE) - 1))
def test_an_incomplete_request_is_left_alone(length):
    inbox = bytearray(WHOLE[:length])

    assert cut_request(inbox) is None
    assert inbox == WHOLE[:length]


def test_a_request_is_cut_off_and_the_next_one_stays():
    inbox = bytearray(WHOLE + b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")

    assert cut_request(inbox) == Request("POST", "/v1/completions", "r7", False, b"{  }")
    assert cut_request(inbox) == Request("GET", "/", "", True, b"")
    assert not inbox


@pytest.mark.parametrize(
    "bad",
    [
        b"nonsense\r\n\r\n",
        b"GET / SPDY/3\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: -4\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: four\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
        b"x" * (MAX_HEAD + 1),
    ],
)
def test_what_is_no_request_is_refused(bad):
    with pytest.raises(ValueError, match="request"):
        cut_request(bytearray(bad))


@pytest.mark.parametrize(("tokens", "burst", "steps"), [(10, 1, 10), (10, 4, 3), (3, 9, 1), (1, 1, 1)])
def test_every_token_leaves_once_and_in_bursts(tokens, burst, steps):
    stream = opened(tokens, f"m-burst{burst}")

    parts = []
    while stream.sent < stream.tokens:
        parts.append(stream.next_bytes())

    assert len(parts) == steps
    assert sum(part.count(b'"content":" ') for part in parts) == tokens
    assert parts[0].startswith(b"HTTP/1.1 200 OK\r\n")
    assert b'"role":"assistant"' in parts[0]
    assert [part.endswith(b"0\r\n\r\n") for part in parts] == [False] * (steps - 1) + [True]


def test_an_answer_in_one_piece_is_due_when_its_last_token_would_have_come():
    stream = opened(10, "m-itl1000", stream=False)

    assert stream.due_ns == 5_000_000 + 9 * 1_000_000
    assert stream.next_bytes().startswith(b"HTTP/1.1 200 OK\r\ncontent-type: application/json")


def opened(tokens, model, *, stream=True):
    asked = Asked.of({"model": model, "max_tokens": tokens, "stream": stream})
    return Stream(asked, Pace.of(model), chat=True, recv_ns=0, due_ns=5_000_000)
