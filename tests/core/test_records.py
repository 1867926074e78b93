"""Which count a request belongs to."""

import pytest

from core.records import Failure, FailureKind, Outcome, RequestRecord


@pytest.mark.parametrize("kind", FailureKind)
def test_every_kind_of_failure_belongs_to_one_count(kind):
    apart = {
        FailureKind.EMPTY: Outcome.EMPTY,
        FailureKind.CANCELLED: Outcome.CANCELLED,
        FailureKind.INCOMPLETE: Outcome.INCOMPLETE,
    }
    record = RequestRecord(request_id="r", index=0, failure=Failure(kind=kind, message="m"))

    assert record.outcome is apart.get(kind, Outcome.FAILED)


def test_without_a_failure_it_is_ok_and_unknowns_are_none():
    record = RequestRecord(request_id="r", index=0)

    assert record.outcome is Outcome.OK
    assert record.output_tokens is None
    assert list(record.chunk_us) == []
