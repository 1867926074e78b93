"""Server-sent events from bytes in any cut: the rules of the standard, and bounded memory."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.wire import sse
from core.wire.sse import SseEvent, SseParser


def events(*reads):
    """Everything that these reads and the end of the stream dispatch."""
    parser = SseParser()
    return [event for read in reads for event in parser.feed(read)] + parser.close()


def data(*reads):
    """The data alone."""
    return [event.data for event in events(*reads)]


def test_the_first_example_of_the_standard():
    stream = b"data: This is the first message.\n\ndata: This is the second message, it\ndata: has two lines.\n\n"

    assert data(stream) == [b"This is the first message.", b"This is the second message, it\nhas two lines."]


def test_named_events_keep_their_name_for_one_event_only():
    stream = b"event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\ndata: 113411\n\n"

    assert events(stream) == [SseEvent("add", b"73857293"), SseEvent("remove", b"2153"), SseEvent("", b"113411")]


def test_comments_ids_and_unknown_fields_are_no_events():
    stream = (
        b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\nretry: 5\nfoo: bar\n\ndata:  third\n\n"
    )

    assert data(stream) == [b"first event", b"second event", b" third"]


def test_empty_data_is_no_event_and_two_empty_lines_are_a_line_break():
    assert data(b"data\n\ndata\ndata\n\ndata:\n\n") == [b"\n"]


def test_one_blank_after_the_colon_is_dropped():
    assert data(b"data:test\n\ndata: test\n\ndata:\ttest\n\n") == [b"test", b"test", b"\ttest"]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_lines_end_at_lf_cr_or_crlf(end):
    assert data(end.join([b"data: a", b"data: b", b"", b"data: c", b"", b""])) == [b"a\nb", b"c"]


@pytest.mark.parametrize("sign", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_nothing_else_ends_a_line(sign):
    assert data(f"data: a{sign}b\n\n".encode()) == [f"a{sign}b".encode()]


def test_an_event_is_there_with_the_cr_of_its_blank_line():
    parser = SseParser()

    assert parser.feed(b"data: a\r\n\r") == [SseEvent("", b"a")]
    assert parser.feed(b"\n") == []
    assert parser.feed(b"data: b\r\n\r\n") == [SseEvent("", b"b")]


def test_what_is_pending_at_the_end_is_dispatched():
    assert data(b"data: a\n\ndata: b") == [b"a", b"b"]
    assert data(b"data: a\n\ndata: b\n") == [b"a", b"b"]


def test_a_byte_order_mark_is_dropped_at_the_beginning_only():
    mark = b"\xef\xbb\xbf"

    assert data(mark + b"data: a\n\n" + mark + b"data: b\n\ndata: c\n\n") == [b"a", b"c"]


def test_a_name_that_is_no_utf8_is_still_a_name():
    assert events(b"event: \xff\ndata: a\n\n") == [SseEvent("\ufffd", b"a")]


lines = st.sampled_from(
    [
        b"", b"", b"data: {}", b"data:[DONE]", b"data", b"data:", b"data: ", b": comment", b":", b"event: error",
        b"event", b"id: 1", b"\xef\xbb\xbfdata: x", b"  data: y", "data: \u2028é😀".encode(), b"data: \xff\x85",
        b"datax: 1", b"retry: 3",
    ]
)  # fmt: skip
ends = st.sampled_from([b"\n", b"\r", b"\r\n"])
streams = st.lists(st.tuples(lines, ends), max_size=25).map(lambda parts: b"".join(a + b for a, b in parts))


@given(stream=streams | st.binary(max_size=200), cuts=st.lists(st.integers(0, 400), max_size=20))
@settings(deadline=None, max_examples=200)
def test_any_cut_gives_the_same_events(stream, cuts):
    edges = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    reads = [stream[a:b] for a, b in pairwise(edges)]

    assert events(*reads) == events(stream)
    assert events(*(stream[at : at + 1] for at in range(len(stream)))) == events(stream)


@given(st.lists(st.tuples(lines, ends), max_size=25))
@settings(deadline=None, max_examples=200)
def test_any_line_end_gives_the_same_events(parts):
    unified = b"".join(line + b"\n" for line, _ in parts)

    # A CR followed by an empty line that ends in LF would be read as one CRLF: name such ends apart.
    mixed = b"".join(line + (b"\r\n" if end == b"\r" else end) for line, end in parts)
    assert events(mixed) == events(unified)
    assert events(unified.replace(b"\n", b"\r")) == events(unified)


# -- the fast path ----------------------------------------------------------------------------------------------------


def through_plain(reads):
    """The payloads as a decoder takes them: the fast path where it answers, and how often it did."""
    parser, found, plain = SseParser(), [], 0
    for read in reads:
        payloads = parser.plain(read)
        if payloads is None:
            found += [event.data for event in parser.feed(read)]
        else:
            plain += 1
            found += [payload.removeprefix(b" ") for payload in payloads if payload.strip()]
    return found + [event.data for event in parser.close()], plain


whole = st.lists(
    st.sampled_from([b"data: {}\n\n", b"data:1\n\n", b"data:  \n\n", b"data:\n\n"]), min_size=1, max_size=3
)


@given(st.lists(streams | whole.map(b"".join) | whole.map(b"".join), max_size=8))
@settings(deadline=None, max_examples=200)
def test_the_fast_path_gives_what_the_general_path_gives(reads):
    assert [found for found in through_plain(reads)[0] if found.strip()] == [
        found for found in data(*reads) if found.strip()
    ]


def test_the_fast_path_takes_whole_plain_events():
    found, plain = through_plain([b"data: a\n\n", b"data: b\n\n", b"data:c\n\ndata: d\n\n"])

    assert found == [b"a", b"b", b"c", b"d"]
    assert plain == 2  # the first read is looked at for a byte order mark


@pytest.mark.parametrize(
    "read",
    [
        b"data: a\n", b"data: a\ndata: b\n\n", b": c\n\n", b"event: e\ndata: a\n\n", b"data: a\n\n\n",
        b"data: a\r\n\r\n", b"data: a\rdata: b\n\n", b"data: a\n\nid: 1\n\n", b"data: a\n\n\n\ndata: b\n\n",
        b"\n\n", b"",
    ],
)  # fmt: skip
def test_the_fast_path_leaves_everything_else_to_the_general_path(read):
    parser = SseParser()
    parser.feed(b"data: begun\n\n")

    assert parser.plain(read) is None


@pytest.mark.parametrize("pending", [b"data: a", b"data: a\n", b"event: e\n", b"data: a\r"])
def test_the_fast_path_waits_while_something_is_pending(pending):
    parser = SseParser()
    parser.feed(b"data: begun\n\n" + pending)

    assert parser.plain(b"data: b\n\n") is None


# -- memory -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch):
    """Limits that a test can reach."""
    monkeypatch.setattr(sse, "MAX_EVENT", 1000)
    monkeypatch.setattr(sse, "MAX_LINE", 1016)
    monkeypatch.setattr(sse, "EXCERPT", 50)


@pytest.mark.parametrize(
    "huge", [b"data: " + b"x" * 5000, b"data: " + b"x" * 1001, b"\n".join([b"data: " + b"x" * 90] * 20)]
)
@pytest.mark.parametrize("size", [1, 7, 999, 100_000])
@pytest.mark.usefixtures("small")
def test_of_an_event_above_the_limit_only_the_beginning_is_kept(huge, size):
    stream = b"data: a\n\n" + huge + b"\n\ndata: b\n\n"

    found = events(*(stream[at : at + size] for at in range(0, len(stream), size)))

    assert found == [SseEvent("", b"a"), SseEvent("", b"x" * 50, cut=True), SseEvent("", b"b")]


@pytest.mark.usefixtures("small")
def test_an_event_of_just_the_limit_is_whole():
    assert events(b"data: " + b"x" * 1000 + b"\n\n") == [SseEvent("", b"x" * 1000)]


@pytest.mark.usefixtures("small")
def test_a_line_without_end_is_not_kept_beyond_the_limit():
    parser = SseParser()
    for _ in range(100):
        parser.feed(b"data: " + b"x" * 500)

    assert len(parser._line) <= 1016


@pytest.mark.usefixtures("small")
def test_a_huge_comment_is_still_a_comment():
    assert data(b":" + b"x" * 5000 + b"\ndata: a\n\n") == [b"a"]
