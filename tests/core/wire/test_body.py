"""What a body is, told from its first bytes and its type."""

import pytest

from core.wire.body import LOOK, Body, kind_of_body


@pytest.mark.parametrize(
    ("begin", "content_type", "kind"),
    [
        (b"data: x", "text/event-stream", Body.STREAM),
        (b": hm", "application/json", Body.STREAM),
        (b"event: x", "text/plain", Body.STREAM),
        (b"x", "text/event-stream", Body.STREAM),
        (b"x", "", Body.STREAM),
        (b"{", "text/event-stream", Body.JSON),
        (b"\n\n [", "text/plain", Body.JSON),
        (b"\xef\xbb\xbf{", "", Body.JSON),
        (b"x", "Application/JSON; charset=utf-8", Body.JSON),
        (b"<html>", "", Body.OTHER),
        (b"hello", "text/plain", Body.OTHER),
        (b"", "application/json", None),
        (b" \r\n", "text/event-stream", None),
        (b" " * LOOK, "text/event-stream", Body.STREAM),
        (b" " * LOOK + b"{", "application/json", Body.JSON),
        (b" " * LOOK, "text/html", Body.OTHER),
    ],
)
def test_the_first_bytes_and_the_type_tell_the_body(begin, content_type, kind):
    assert kind_of_body(begin, content_type) is kind
