"""Intervals by drawing again: the bootstrap distribution of a mean or percentile. Knows values, no metric and no run.

numpy is imported inside the functions: the command line pays for it only where it holds configurations against each
other, and then after the last run.
"""

from collections.abc import Sequence
from math import floor, sqrt
from typing import Any

DRAWS = 1000
GROUPED_DRAWS = 400
MOST_VALUES = 200_000  # more are thinned evenly by rank, which leaves every percentile where it was
AT_ONCE = 1_000_000  # values weighed in one go
MOST_DRAWN = 2000  # above this many values a mean is drawn from its normal limit, and so are many groups
MANY_GROUPS = 100


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

    `groups`: which values hang together, as the gaps of one request do: then whole groups are drawn, since drawing
    single values would make the interval far too narrow.
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
    if len(values) > MOST_DRAWN:
        _, member = np.unique(groups[order], return_inverse=True)
        if int(member.max()) + 1 >= MANY_GROUPS:
            return _limit(values[order], member, share, rng)
    step = max(1, -(-len(values) // MOST_VALUES))
    ordered = values[order][::step]
    _, member = np.unique(groups[order][::step], return_inverse=True)
    count = int(member.max()) + 1
    found = np.empty(GROUPED_DRAWS)
    at_once = max(1, AT_ONCE // len(ordered))
    for first in range(0, GROUPED_DRAWS, at_once):
        drawn = min(at_once, GROUPED_DRAWS - first)
        chosen = rng.integers(0, count, (drawn, count)) + np.arange(drawn)[:, None] * count
        times = np.bincount(chosen.ravel(), minlength=drawn * count).reshape(drawn, count)[:, member]
        found[first : first + drawn] = _weighted(ordered, times, share)
    return found


def _limit(ordered: Any, member: Any, share: float | None, rng: Any) -> Any:
    """What drawing many groups again comes to: normal, with what each group alone moves the statistic by."""
    import numpy as np  # noqa: PLC0415 -- see above

    count = len(ordered)
    if share is None:
        moved = np.bincount(member, weights=ordered - ordered.mean())
        return rng.normal(ordered.mean(), sqrt((moved**2).sum()) / count, DRAWS)
    # A percentile moves as the share of values below it does.
    below = floor(share * (count - 1)) + 1
    sizes = np.bincount(member)
    moved = np.bincount(member[:below], minlength=len(sizes)) - share * sizes
    shares = share + rng.normal(0, sqrt((moved**2).sum()) / count, DRAWS)
    return np.interp(shares.clip(0, 1) * (count - 1), np.arange(count), ordered)


def _weighted(ordered: Any, times: Any, share: float | None) -> Any:
    """The statistic of ascending values, each taken so many times, for every row of `times`."""
    import numpy as np  # noqa: PLC0415 -- see above

    running = np.cumsum(times, axis=1)
    total = running[:, -1].copy()
    if share is None:
        return times @ ordered / total
    rank = share * (total - 1)
    below = np.floor(rank).astype(int)
    # The value at a rank is the first with more than that many values up to it. Lifted above each other, all rows
    # ascend as one and are searched at once.
    lift = np.arange(len(times)) * (total.max() + 1)
    running += lift[:, None]
    rows = np.arange(len(times)) * len(ordered)
    low, high = (
        np.searchsorted(running.ravel(), at + lift, side="right") - rows
        for at in (below, np.minimum(below + 1, total - 1))
    )
    return ordered[low] + (ordered[high] - ordered[low]) * (rank - below)
