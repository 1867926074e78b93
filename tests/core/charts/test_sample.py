"""A sample and its quantile grid are read the same way."""

import numpy as np
import pytest

from core.charts.sample import Sample, Series, thinned, time_unit


def test_percentiles_of_a_whole_sample_are_those_of_numpy():
    values = sorted(np.random.default_rng(1).lognormal(size=137).tolist())

    found = Sample(points=values, count=len(values)).at([0.5, 0.95, 0.99])

    assert found == pytest.approx(np.percentile(values, [50, 95, 99]))


def test_a_grid_counts_as_many_values_as_stand_behind_it():
    values = np.sort(np.random.default_rng(2).normal(10, 1, 100_000))
    grid = np.quantile(values, np.linspace(0, 1, 200))
    edges = np.linspace(values[0], values[-1], 21)

    found = Sample(points=grid.tolist(), count=100_000).counted(edges)

    assert found.sum() == pytest.approx(100_000)
    assert np.abs(found - np.histogram(values, edges)[0]).max() < 2_000


def test_a_whole_sample_is_counted_exactly():
    found = Sample(points=[1.0, 1.0, 2.0, 5.0], count=4).counted(np.array([1.0, 2.0, 3.0, 6.0]))

    assert found.tolist() == [2, 1, 1]


def test_thinning_keeps_the_ends():
    assert thinned(list(range(10_000)), 500)[0] == 0
    assert thinned(list(range(10_000)), 500)[-1] == 9_999
    assert len(thinned(list(range(10_000)), 500)) == 500
    assert thinned([1, 2], 500) == [1, 2]


def test_times_from_ten_seconds_on_are_read_in_seconds():
    assert time_unit(9.99).name == "ms"
    assert time_unit(10.0).name == "s"


def test_a_note_stays_with_the_name():
    assert Series(name="A", slot=0, note="simulated").title == "A (simulated)"
