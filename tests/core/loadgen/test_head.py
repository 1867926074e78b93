"""Which headers are kept."""

from core.loadgen.head import LONGEST, MOST, Head


def test_the_headers_that_matter_are_kept_whatever_their_case():
    head = Head()
    head.take(b"Content-TYPE", b"text/event-stream")
    head.take(b"X-Other", b"1")

    assert head.value("content-type") == "text/event-stream"
    assert head.value("x-other") is None
    assert not head.framed


def test_either_framing_header_frames():
    for name in (b"Content-Length", b"Transfer-Encoding"):
        head = Head()
        head.take(name, b"x")
        assert head.framed


def test_a_hostile_value_is_cut_and_never_undecodable():
    head = Head()
    head.take(b"Server", b"\xff" * 10_000)

    assert len(head.value("server")) == LONGEST


def test_a_compressed_body_is_told_and_identity_is_none():
    head = Head()
    assert head.compressed is None
    head.take(b"content-encoding", b" Identity ")
    assert head.compressed is None
    head.take(b"content-encoding", b"GZIP")
    assert head.compressed == "gzip"


def test_all_headers_are_kept_where_that_is_asked_for_up_to_a_number():
    few, every = Head(), Head(keep_all=True)
    for head in (few, every):
        head.take(b"X-Own", b"yes")
        for number in range(1000):
            head.take(b"x-%d" % number, b"")

    assert few.values() == {}
    assert every.value("x-own") == "yes"
    assert len(every.values()) == MOST


def test_a_framing_header_is_seen_where_all_are_kept_too():
    head = Head(keep_all=True)
    head.take(b"Content-Length", b"7")

    assert head.framed
