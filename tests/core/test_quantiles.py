"""A sample and its quantile grid are read the same way, alone and pooled."""

import numpy as np
import pytest

from core.quantiles import Sample


def test_percentiles_of_a_whole_sample_are_those_of_numpy():
    values = sorted(np.random.default_rng(1).lognormal(size=137).tolist())

    found = Sample(points=values, count=len(values)).at([0.5, 0.95, 0.99])

    assert found == pytest.approx(np.percentile(values, [50, 95, 99]))


def test_what_is_known_exactly_is_not_read_off_a_grid():
    grid = Sample(points=[0.0, 10.0], count=1_000, exact={0.99: 7.5})

    assert grid.at([0.5, 0.99, 1.0]).tolist() == [5.0, 7.5, 10.0]


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


def test_whole_samples_pool_exactly():
    pooled = Sample.pooled([Sample(points=[1.0, 3.0], count=2), Sample(points=[2.0], count=1)])

    assert pooled == Sample(points=[1.0, 2.0, 3.0], count=3)


def test_one_sample_pools_to_itself():
    one = Sample(points=[1.0], count=7)

    assert Sample.pooled([one]) is one


def test_pooled_grids_weigh_by_their_counts():
    rng = np.random.default_rng(3)
    many, few = np.sort(rng.normal(10, 1, 90_000)), np.sort(rng.normal(20, 1, 10_000))
    grids = [Sample(points=np.quantile(v, np.linspace(0, 1, 200)).tolist(), count=len(v)) for v in (many, few)]

    pooled = Sample.pooled(grids)

    truth = np.quantile(np.concatenate([many, few]), [0.25, 0.5, 0.85, 0.95])
    assert pooled.count == 100_000
    assert pooled.at([0.25, 0.5, 0.85, 0.95]) == pytest.approx(truth, rel=0.02)


def test_a_small_sample_cumulates_in_steps_that_rise_at_its_values():
    values, shares = Sample(points=[4.5, 4.5, 11.2, 11.2], count=4).cumulated()

    assert values.tolist() == [4.5, 4.5, 4.5, 11.2, 11.2]
    assert shares.tolist() == [0, 0.25, 0.5, 0.75, 1.0]


def test_a_large_sample_cumulates_in_a_bounded_number_of_points():
    values, shares = Sample(points=[float(place) for place in range(10_000)], count=10_000).cumulated()

    assert len(values) == len(shares) <= 500
    assert (values[0], values[-1]) == (0, 9999)


def test_a_grid_cumulates_along_its_points():
    values, shares = Sample(points=[1.0, 2.0, 4.0], count=1000).cumulated()

    assert (values[0], values[-1], shares[0], shares[-1]) == (1.0, 4.0, 0, 1)
