"""Doubts that a single answer raises, each with one that raises it and one that almost does."""

import pytest

from core.doubts.record import record_doubts
from core.records import FailureKind, TokenSource
from tests.core.example_runs import answered, failed, whole


@pytest.mark.parametrize(
    ("word", "doubtful", "sound"),
    [
        ("chunks_not_tokens", answered(tokens=12), answered(tokens=11)),
        ("token_count_unknown_or_estimated", answered(token_source=TokenSource.TOKENIZER), answered()),
        ("no_finish_reason", answered(finish_reason=None), answered(finish_reason="stop")),
        ("short_output", answered(gaps=(0.1,) * 93, asked=100), answered(gaps=(0.1,) * 94, asked=100)),
        ("buffered_stream", answered(first=2.0, gaps=(0.01,) * 9), answered(first=1.75, gaps=(0.01,) * 9)),
        ("not_streamed", whole(), answered()),
    ],
)
def test_each_doubt_is_seen_and_not_where_it_almost_is(word, doubtful, sound):
    assert record_doubts(doubtful, fixed_length=True) == {word}
    assert record_doubts(sound, fixed_length=True) == frozenset()


def test_a_short_answer_is_doubtful_only_where_its_length_was_demanded():
    assert record_doubts(answered(gaps=(0.1,) * 50, asked=100)) == frozenset()


def test_seven_chunks_are_too_few_to_call_a_stream_buffered():
    assert record_doubts(answered(first=2.0, gaps=(0.0,) * 6)) == frozenset()
    assert record_doubts(answered(first=2.0, gaps=(0.0,) * 7)) == {"buffered_stream"}


def test_an_answer_that_failed_is_a_failure_and_no_doubt():
    assert record_doubts(failed(kind=FailureKind.EMPTY)) == frozenset()
