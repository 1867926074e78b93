"""How an answer's end will be recognised, from its first read."""

import pytest

from core.loadgen.framing import LONGEST_HEAD, FirstRead, Mode, ends_chunked, first_read

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
        (OK + b"Transfer-Encoding:chunked\r\n\r\n", Mode.CHUNKED),
        (OK + b"Content-Length: 12\r\nContent-Length: 12\r\n\r\n", Mode.EAGER),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\n", Mode.LENGTH),
        (b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", Mode.EAGER),
        (OK + b"Content-Le", Mode.NEW),
        (b"HTT", Mode.NEW),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n", Mode.NEW),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 2", Mode.NEW),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" + OK + b"Transfer-Encoding: chunked\r\n\r\n", Mode.CHUNKED),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", Mode.EAGER),
        (b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", Mode.EAGER),
        (OK + b"X: " + b"x" * LONGEST_HEAD, Mode.EAGER),
        (b"nonsense", Mode.EAGER),
        (b"HTTP/2 200", Mode.EAGER),
    ],
)
def test_the_usual_is_recognised_and_the_unusual_left_to_a_parser(data, mode):
    assert first_read(data).mode is mode


def test_a_known_length_counts_the_head_in():
    head = OK + b"Content-Length: 12\r\n\r\n"

    assert first_read(head + b"twelve bytes") == FirstRead(Mode.LENGTH, len(head), len(head) + 12)


def test_interim_answers_count_into_the_head_and_say_nothing_of_the_answer():
    interim = b"HTTP/1.1 103 Early Hints\r\nContent-Length: 99\r\nConnection: close\r\n\r\n"
    head = interim + OK + b"Content-Length: 12\r\n\r\n"

    assert first_read(head) == FirstRead(Mode.LENGTH, len(head), len(head) + 12)


@pytest.mark.parametrize(
    ("version", "connection", "kept"),
    [(b"1.1", b"", True), (b"1.1", b"Connection: Close\r\n", False), (b"1.0", b"", False),
     (b"1.0", b"Connection: keep-alive\r\n", True)],
)  # fmt: skip
def test_what_a_version_means_for_the_connection_is_known(version, connection, kept):
    head = b"HTTP/" + version + b" 200 OK\r\n" + connection + b"Content-Length: 0\r\n\r\n"

    assert first_read(head).keep_alive is kept


@pytest.mark.parametrize(
    ("tail", "ends"),
    [
        (b"x\r\n0\r\n\r\n", True),
        (b"0\r\n\r\n", True),
        (b"x\r\n000\r\n\r\n", True),
        (b"x\r\n0;last=1\r\n\r\n", True),
        (b"x\r\n0\r\nX-Trailer: 1\r\nY: 2\r\n\r\n", True),
        (b"x\r\n0\r\nX-Trailer: 1\r\n", False),
        (b"x\r\n0\r\n", False),
        (b"x0\r\n\r\n", False),
        (b"data: a\r\n\r\n", False),
        (b"x\r\n0\r\n\r\n5\r\n", False),
        (b"x\r\n10\r\n\r\n", False),
    ],
)
def test_a_last_chunk_is_told_by_its_bytes(tail, ends):
    assert ends_chunked(tail) is ends


def test_what_the_head_says_of_the_connection_and_the_status_is_kept():
    found = first_read(b"HTTP/1.1 429 X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")

    assert found.refused
    assert not found.keep_alive
