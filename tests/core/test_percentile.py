"""Percentiles by hand, and how many values they need."""

import pytest

from core.percentile import FOR_HIGH, FOR_P99, percentile, too_few


@pytest.mark.parametrize(
    ("values", "p", "found"), [([1.0], 99, 1.0), ([1, 2], 50, 1.5), ([0, 10, 20], 25, 5.0), ([1, 2, 3], 100, 3.0)]
)
def test_a_percentile_lies_between_its_neighbours(values, p, found):
    assert percentile(values, p) == found


@pytest.mark.parametrize(
    ("name", "fewest"), [("p50", 0), ("mean", 0), ("p90", FOR_HIGH), ("p95", FOR_HIGH), ("p99", FOR_P99)]
)
def test_a_percentile_above_the_median_needs_its_values(name, fewest):
    assert not too_few(name, fewest)
    assert too_few(name, fewest - 1) == (fewest > 0)
