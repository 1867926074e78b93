"""Doubts about one answer: each is raised by one answer and not by another that is almost the same."""

from core.doubts.record import buffered, is_short


def test_eight_chunks_within_a_twentieth_of_the_wait_are_a_buffer():
    assert buffered([100_000] * 7 + [104_999])
    assert not buffered([100_000] * 7 + [105_000])


def test_few_chunks_at_once_are_no_buffer():
    assert not buffered([100_000] * 7)
    assert buffered([100_000] * 8)


def test_a_length_that_is_not_known_is_not_short():
    assert is_short(94, 100)
    assert not is_short(95, 100)
    assert not is_short(None, 100)
    assert not is_short(5, None)
