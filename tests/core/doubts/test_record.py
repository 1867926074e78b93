"""Doubts about one answer: each is raised by one answer and not by another that is almost the same."""

from array import array

import pytest

from core.doubts.record import Doubt, buffered, is_short, request_warnings
from core.records import Failure, FailureKind, RequestRecord, TokenSource

CHUNKS = array("i", range(100_000, 200_000, 10_000))


def record(**more):
    """A request that raises no doubt: ten chunks, ten tokens."""
    values = {
        "output_tokens": 10, "token_source": TokenSource.USAGE, "finish_reason": "length", "chunk_us": CHUNKS, **more,
    }  # fmt: skip
    return RequestRecord(request_id="r", index=0, **values)


def test_an_ordinary_answer_raises_none():
    assert request_warnings(record(), demanded_tokens=10) == frozenset()


@pytest.mark.parametrize(
    ("doubt", "doubtful", "fine"),
    [
        (Doubt.CHUNKS_NOT_TOKENS, {"output_tokens": 12}, {"output_tokens": 11}),
        (Doubt.CHUNKS_NOT_TOKENS, {"output_tokens": 12}, {"output_tokens": 12, "chunk_us": array("i")}),
        (Doubt.TOKEN_COUNT_UNKNOWN, {"token_source": TokenSource.TOKENIZER}, {"token_source": TokenSource.USAGE}),
        (Doubt.NO_FINISH_REASON, {"finish_reason": None}, {"finish_reason": "stop"}),
        (Doubt.BUFFERED_STREAM, {"chunk_us": array("i", [100_000] * 9 + [104_999])},
         {"chunk_us": array("i", [100_000] * 9 + [105_000])}),
    ],
)  # fmt: skip
def test_each_doubt_has_its_edge(doubt, doubtful, fine):
    assert doubt in request_warnings(record(**doubtful))
    assert doubt not in request_warnings(record(**fine))


@pytest.mark.parametrize(("tokens", "short"), [(94, True), (95, False), (None, False)])
def test_an_answer_below_95_percent_of_a_demanded_length_is_short(tokens, short):
    found = request_warnings(record(output_tokens=tokens), demanded_tokens=100)

    assert (Doubt.SHORT_OUTPUT in found) == short


def test_no_answer_is_short_if_no_length_was_demanded():
    assert Doubt.SHORT_OUTPUT not in request_warnings(record(output_tokens=1))


def test_one_body_is_doubtful_only_where_a_stream_was_asked_for():
    body = record(streamed=False, chunk_us=array("i"))

    assert request_warnings(body) == {Doubt.NOT_STREAMED}
    assert request_warnings(body, stream_asked=False) == frozenset()


def test_few_chunks_at_once_are_no_buffer():
    assert not buffered([100_000] * 7)
    assert buffered([100_000] * 8)


def test_a_length_that_is_not_known_is_not_short():
    assert is_short(94, 100)
    assert not is_short(95, 100)
    assert not is_short(None, 100)
    assert not is_short(5, None)


def test_what_failed_or_is_empty_has_no_number_to_doubt():
    for kind in (FailureKind.EMPTY, FailureKind.TRUNCATED, FailureKind.CANCELLED):
        assert request_warnings(record(failure=Failure(kind=kind, message="x"), finish_reason=None)) == frozenset()
