"""Intervals by drawing again: right on average, and honest about values that hang together."""

import numpy as np
import pytest

from core.resampling import MANY_GROUPS, MOST_DRAWN, MOST_VALUES, draws, estimate


def middle_95(values, statistic, seed, groups=None):
    """Ends of the middle 95 % of what is drawn."""
    return np.quantile(draws(values, statistic, seed, groups), (0.025, 0.975))


def coverage(statistic: str, truth: float, count: int, make) -> float:
    """How often the interval holds the truth, over 200 samples."""
    rng = np.random.default_rng(7)
    held = 0
    for seed in range(200):
        low, high = middle_95(make(rng, count), statistic, seed)
        held += low <= truth <= high
    return held / 200


def normal(rng, count):
    """Values around 10."""
    return rng.normal(10, 1, count)


@pytest.mark.parametrize(
    ("statistic", "truth", "count"),
    [("mean", 10.0, 40), ("mean", 10.0, 2500), ("p50", 10.0, 40), ("p90", 11.2816, 200)],
)
def test_about_95_of_100_intervals_hold_the_truth(statistic, truth, count):
    assert 0.88 <= coverage(statistic, truth, count, normal) <= 1


@pytest.mark.parametrize("statistic", ["p50", "p90", "p99"])
def test_percentiles_are_drawn_as_by_drawing_every_value_again(statistic):
    values = np.random.default_rng(1).lognormal(0, 0.5, 150)
    rng = np.random.default_rng(2)
    by_hand = np.quantile(values[rng.integers(0, 150, (4000, 150))], float(statistic[1:]) / 100, axis=1)

    found = draws(values, statistic, 3)

    for share in (0.1, 0.5, 0.9):
        assert np.quantile(found, share) == pytest.approx(np.quantile(by_hand, share), rel=0.06)


def test_values_of_one_request_are_drawn_together():
    # Ten requests of 100 gaps each, alike within a request: there are ten observations here, not a thousand.
    of_requests = np.random.default_rng(4).normal(10, 1, 10)
    values, groups = np.repeat(of_requests, 100), np.repeat(np.arange(10), 100)

    low, high = middle_95(values, "p50", 0, groups)
    naive_low, naive_high = middle_95(values, "p50", 0)

    assert high - low > 2 * (naive_high - naive_low)


@pytest.mark.parametrize("statistic", ["mean", "p50", "p95"])
@pytest.mark.parametrize("hang_together", [True, False])
def test_many_groups_are_drawn_from_their_limit_as_by_drawing_each_again(statistic, hang_together):
    rng = np.random.default_rng(6)
    size = MOST_DRAWN // MANY_GROUPS + 1
    luck = np.repeat(rng.lognormal(0, 0.2, MANY_GROUPS + 50), size)
    values = rng.lognormal(0, 0.2, len(luck)) * (luck if hang_together else 1)
    groups = np.arange(len(values)) // size
    by_hand = []
    for _ in range(1500):
        chosen = rng.integers(0, MANY_GROUPS + 50, MANY_GROUPS + 50)
        by_hand.append(estimate(values.reshape(-1, size)[chosen].ravel(), statistic))

    found = draws(values, statistic, 1, groups)

    assert found.std() == pytest.approx(np.std(by_hand), rel=0.15)
    assert found.mean() == pytest.approx(np.mean(by_hand), rel=0.01)


@pytest.mark.parametrize("statistic", ["mean", "p90"])
def test_more_values_than_can_be_drawn_cheaply_are_thinned_without_a_shift(statistic):
    values = np.random.default_rng(5).lognormal(0, 0.3, MOST_VALUES + 50_000)
    groups = np.arange(len(values)) % (MANY_GROUPS - 1)

    low, high = middle_95(values, statistic, 0, groups)

    assert low <= estimate(values, statistic) <= high
    assert high / low < 1.02


def test_one_value_is_drawn_as_itself():
    assert set(draws([3.0], "p99", 0)) == {3.0}
    assert set(draws([3.0], "mean", 0)) == {3.0}
    assert set(draws([3.0], "p50", 0, [0])) == {3.0}
