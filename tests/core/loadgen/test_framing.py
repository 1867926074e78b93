"""How an answer's end will be recognised, from its first read."""

import pytest

from core.loadgen.framing import FirstRead, Mode, first_read

OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("data", "mode"),
    [
        (OK + b"Transfer-Encoding: chunked\r\n\r\n", Mode.CHUNKED),
        (OK + b"transfer-encoding: CHUNKED\r\n\r\n5\r\n", Mode.CHUNKED),
        (OK + b"Content-Length: 12\r\n\r\n", Mode.LENGTH),
        (OK + b"Content-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n", Mode.EAGER),
        (OK + b"Content-Length: -1\r\n\r\n", Mode.EAGER),
        (OK + b"Content-Length: 99999999999999999\r\n\r\n", Mode.EAGER),
        (OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n", Mode.EAGER),
        (OK + b"\r\n", Mode.CLOSE),
        (b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", Mode.CLOSE),
        (b"HTTP/1.1 204 No Content\r\n\r\n", Mode.EAGER),
        (b"HTTP/1.1 500 X\r\n\r\n", Mode.EAGER),
        (OK + b"Content-Le", Mode.EAGER),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\n", Mode.EAGER),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n", Mode.EAGER),
        (b"nonsense", Mode.EAGER),
        (b"", Mode.EAGER),
    ],
)
def test_the_usual_is_recognised_and_the_unusual_left_to_a_parser(data, mode):
    assert first_read(data).mode is mode


def test_a_known_length_counts_the_head_in():
    head = OK + b"Content-Length: 12\r\n\r\n"

    assert first_read(head + b"twelve bytes") == FirstRead(Mode.LENGTH, len(head), len(head) + 12)


def test_what_the_head_says_of_the_connection_and_the_status_is_kept():
    found = first_read(b"HTTP/1.1 429 X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")

    assert found.refused
    assert not found.keep_alive
