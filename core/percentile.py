"""The one way percentiles are taken, and how many values they need. Apart, so that the measuring child stays light."""

from collections.abc import Sequence
from math import floor

# Of fewer values, a percentile is hardly more than the few slowest: it is shown grey and no interval is given.
FOR_P99 = 100
FOR_HALF = 5
FOR_HIGH = 30  # for any other percentile above the median
HIGH = ("p90", "p95", "p99")


def percentile(ordered: Sequence[float], p: float) -> float:
    """Linear interpolation as numpy's default; `ordered` ascends and has at least one value, `p` is 0 to 100."""
    rank = p / 100 * (len(ordered) - 1)
    below = floor(rank)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    part = rank - below
    # Interpolating from the nearer end keeps the result within [low, high] in floats.
    value = low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)
    return float(value)


def too_few(name: str, count: int) -> bool:
    """Whether so many values are too few for the percentile of this name."""
    return name in HIGH and count < (FOR_P99 if name == "p99" else FOR_HIGH)
