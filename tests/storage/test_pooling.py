"""Counted gaps give what the sorted gaps give, exactly, at any number of them."""

import random

import numpy as np
import pytest

from core import summary
from storage import pooling
from storage.pooling import Gaps


def counted(gaps: list[int]) -> Gaps:
    us, times = np.unique(np.array(gaps, np.int64), return_counts=True)
    return Gaps(us=us, times=times)


@pytest.mark.parametrize("gaps", [[7, 7], [1, 2], [0, 0, 5], [3, 3, 3, 9, 9, 100], [2_000_000_000] * 3 + [1]])
def test_few_gaps_worked_out_by_the_sorted_list(gaps):
    found = pooling.distribution(counted(gaps))

    wanted = summary.distribution([gap / 1e6 for gap in gaps])
    assert wanted is not None
    assert found.to_dict() == pytest.approx(wanted.to_dict(), rel=1e-12)


def test_one_gap_has_no_spread():
    found = pooling.distribution(counted([7]))

    assert (found.count, found.mean, found.stdev, found.p99) == (1, 7e-6, None, 7e-6)


def test_quantiles_are_those_of_numpy():
    chance = random.Random(5)
    gaps = [int(chance.lognormvariate(9, 1)) for _ in range(10_001)]
    shares = [place / 199 for place in range(200)]

    assert pooling.quantiles(counted(gaps), shares) == pytest.approx(np.quantile(gaps, shares) / 1e6, rel=1e-12)


def test_twenty_million_gaps_are_summed_without_rounding():
    pool = Gaps(us=np.array([1_000_000_000, 1_000_000_001]), times=np.array([10_000_000, 10_000_000]))

    found = pooling.distribution(pool)

    assert found.count == 20_000_000
    assert found.mean == 1000.0000005
    assert found.stdev == pytest.approx(5e-7, rel=1e-6)
