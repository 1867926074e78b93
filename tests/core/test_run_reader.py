"""Single requests of a run file, read with suspicion."""

import pytest

from core.records import FailureKind, TokenSource
from core.run_reader import RunFileError, list_at, request_from


def test_a_request_that_tells_little_is_read_with_what_it_tells():
    record = request_from({"sent_s": 1}, "here", 7)

    assert (record.request_id, record.index, record.sent_s) == ("7", 7, 1)
    assert record.token_source is TokenSource.NONE
    assert record.output_tokens is None


def test_a_failure_keeps_its_kind_and_may_lack_a_message():
    record = request_from({"failure": {"kind": "http_429", "status": 429, "retry_after_s": 2}}, "here", 0)

    assert record.failure.kind is FailureKind.HTTP_429
    assert record.failure.retry_after_s == 2
    assert record.failure.message == ""


def test_nothing_where_a_value_must_be_is_left_to_its_default():
    record = request_from({"worker": None, "warmup": None, "reads": None, "chunk_us": None}, "here", 0)

    assert (record.worker, record.warmup, record.reads, len(record.chunk_us)) == (0, False, 0, 0)


def test_true_is_no_number():
    with pytest.raises(RunFileError, match=r"here\.output_tokens"):
        request_from({"output_tokens": True}, "here", 0)


def test_a_list_that_is_absurdly_long_is_refused():
    assert list_at([1, 2], "here", 2) == [1, 2]
    with pytest.raises(RunFileError, match="here has more than 2 entries"):
        list_at([1, 2, 3], "here", 2)
