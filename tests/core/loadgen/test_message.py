"""What one answer was, told from its bytes alone."""

import gzip

import pytest

from core.loadgen.message import ERROR_BODY_BYTES, Message
from core.records import FailureKind
from tests.core.loadgen.scripted import CHUNKED, DONE, FINISH, chunk, event

GZIP = b"Content-Encoding: gzip\r\n"


def fed(*reads: bytes, **options) -> Message:
    message = Message(**{"keep_body": False, "keep_text": True} | options)
    for at_us, data in enumerate(reads):
        message.feed(at_us, data)
    return message


def failure(*reads: bytes):
    message = fed(*reads)
    return message.failure(message.answer())


def with_length(status: str, body: bytes, *headers: bytes) -> bytes:
    return b"HTTP/1.1 %b\r\n%bContent-Length: %d\r\n\r\n%b" % (status.encode(), b"".join(headers), len(body), body)


def test_each_chunk_has_the_time_of_the_read_that_brought_it():
    message = fed(CHUNKED, chunk(event("a")), chunk(event("b")) + chunk(event("c")), chunk(FINISH) + b"0\r\n\r\n")

    assert message.complete
    assert message.chunks == 3
    assert message.first_token_us == 1
    assert list(message.answer().chunk_us) == [1, 2, 2]
    assert message.failure(message.answer()) is None


@pytest.mark.parametrize("kind", [b"text/event-stream", b"application/json"])
def test_a_compressed_answer_is_named_so_and_not_decoded(kind):
    found = failure(with_length("200 OK", gzip.compress(event("a")), b"Content-Type: %b\r\n" % kind, GZIP))

    assert found.kind is FailureKind.MALFORMED
    assert "compressed (gzip)" in found.message
    assert found.status == 200


def test_a_compressed_refusal_is_told_by_its_status():
    found = failure(with_length("503 Busy", gzip.compress(b'{"error":{"message":"x"}}'), GZIP))

    assert found.kind is FailureKind.HTTP_5XX
    assert "503" in found.message
    assert "\ufffd" not in found.message


def test_a_wait_until_a_date_counts_from_the_answers_own_date_whatever_our_clock_says():
    until = b"Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
    dated = b"Date: Sun, 06 Nov 1994 08:49:30 GMT\r\n"

    assert failure(with_length("429 X", b"{}", dated, until)).retry_after_s == 7.0
    assert failure(with_length("429 X", b"{}", until)).retry_after_s == 0.0  # it is over by now


def test_a_body_that_says_identity_is_not_compressed():
    said = b"Content-Encoding: Identity\r\nContent-Type: text/event-stream\r\n"

    assert failure(with_length("200 OK", event("a") + FINISH + DONE, said)) is None


def test_an_answer_that_leaves_http_is_malformed_in_words():
    found = failure(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nxx")

    assert found.kind is FailureKind.MALFORMED
    assert "another protocol" in found.message


def test_what_follows_an_answer_belongs_to_nobody():
    message = fed(with_length("200 OK", event("a") + FINISH + DONE), with_length("500 X", b"boom"))

    assert (message.status, message.chunks) == (200, 1)
    assert message.failure(message.answer()) is None


def test_an_answer_without_framing_is_whole_when_its_connection_ends():
    message = fed(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + event("a") + FINISH)
    before = message.complete
    message.end_with_connection()

    assert (before, message.complete) == (False, True)


def test_of_a_long_error_only_the_beginning_is_kept():
    message = fed(
        with_length("500 X", b"x" * (3 * ERROR_BODY_BYTES))[:ERROR_BODY_BYTES], b"x" * ERROR_BODY_BYTES, b"xx"
    )

    assert len(message.body()) <= 2 * ERROR_BODY_BYTES
    assert message.broken


def test_nothing_at_all_ended_inside_the_head():
    assert failure(CHUNKED[:20]).kind is FailureKind.CONNECTION_LOST
