"""Few samples for the percentiles shown."""

import pytest

from core.doubts.evidence import evidence
from core.doubts.samples import sample_doubts
from tests.core.example_runs import failed, run, steady


def told(count: int):
    """What is said of a run with this many successful requests."""
    return list(sample_doubts(evidence(run([*steady(count), failed(count)]))))


def test_99_requests_are_few_for_a_p99_and_100_are_not():
    (found,) = told(99)

    assert (found.kind, found.level) == ("few_samples", "note")
    assert "99 requests" in found.what
    assert found.why.startswith("p99 is greyed")
    assert told(100) == []


def test_below_30_every_high_percentile_is_in_doubt():
    assert told(29)[0].why.startswith("Every percentile above p50")
    assert told(30)[0].why.startswith("p99")


@pytest.mark.parametrize(("count", "words"), [(1, "1 request."), (2, "2 requests.")])
def test_one_request_is_not_called_several(count, words):
    assert told(count)[0].what.endswith(words)


def test_without_a_successful_request_there_is_no_percentile_to_doubt():
    assert told(0) == []
