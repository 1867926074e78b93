"""Intervals by drawing again: the bootstrap distribution of a mean or percentile. Knows values, no metric and no run.

numpy is imported inside the functions: the measuring command never pays for it.
"""

from collections.abc import Sequence
from math import floor, sqrt
from typing import Any

DRAWS = 1000
GROUPED_DRAWS = 400
MOST_VALUES = 200_000  # more are thinned evenly by rank, which leaves every percentile where it was
MOST_DRAWN = 2000  # above this many values a mean is drawn from its normal limit


def percentile_of(statistic: str) -> float | None:
    """0.95 of "p95", None for the mean."""
    return None if statistic == "mean" else float(statistic[1:]) / 100


def estimate(values: Sequence[float], statistic: str) -> float:
    """The statistic itself: "mean" or a percentile such as "p95", interpolated as numpy does."""
    import numpy as np  # noqa: PLC0415 -- see above

    share = percentile_of(statistic)
    found = np.asarray(values, dtype=float)
    return float(found.mean() if share is None else np.quantile(found, share))


def draws(values: Sequence[float], statistic: str, seed: int, groups: Sequence[int] | None = None) -> Any:
    """The statistic of resampled values, many times over (a numpy array).

    `groups`: which request each value belongs to. Values of one request hang together, as the gaps of a stream do:
    then whole requests are drawn, since drawing single values would make the interval far too narrow.
    """
    import numpy as np  # noqa: PLC0415 -- see above

    rng = np.random.default_rng(seed)
    found = np.asarray(values, dtype=float)
    share = percentile_of(statistic)
    if groups is not None:
        return _grouped(found, np.asarray(groups), share, rng)
    return _means(found, rng) if share is None else _percentiles(np.sort(found), share, rng)


def _means(values: Any, rng: Any) -> Any:
    count = len(values)
    if count > MOST_DRAWN:
        return rng.normal(values.mean(), values.std() / sqrt(count), DRAWS)
    return values[rng.integers(0, count, (DRAWS, count))].mean(axis=1)


def _percentiles(ordered: Any, share: float, rng: Any) -> Any:
    # The k-th smallest of n values drawn again is the value at rank n * U, U being the k-th smallest of n uniform
    # numbers, which is beta-distributed: the bootstrap's own distribution without drawing n values each time.
    count = len(ordered)
    rank = share * (count - 1)
    below = floor(rank)
    low = rng.beta(below + 1, count - below, DRAWS)
    above = count - below - 1
    high = low + (1 - low) * (rng.beta(1, above, DRAWS) if above else 0)
    last = count - 1
    at_low = ordered[(low * count).astype(int).clip(0, last)]
    at_high = ordered[(high * count).astype(int).clip(0, last)]
    return at_low + (at_high - at_low) * (rank - below)


def _grouped(values: Any, groups: Any, share: float | None, rng: Any) -> Any:
    import numpy as np  # noqa: PLC0415 -- see above

    order = np.argsort(values, kind="stable")
    step = max(1, -(-len(values) // MOST_VALUES))
    ordered = values[order][::step]
    _, member = np.unique(groups[order][::step], return_inverse=True)
    count = int(member.max()) + 1
    found = np.empty(GROUPED_DRAWS)
    for place in range(GROUPED_DRAWS):
        times = np.bincount(rng.integers(0, count, count), minlength=count)[member]
        if share is None:
            found[place] = np.average(ordered, weights=times)
            continue
        running = np.cumsum(times)
        rank = share * (running[-1] - 1)
        low, high = np.searchsorted(running, (floor(rank), min(floor(rank) + 1, running[-1] - 1)), side="right")
        found[place] = ordered[low] + (ordered[high] - ordered[low]) * (rank - floor(rank))
    return found
