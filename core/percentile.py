"""The one way percentiles are taken. Apart, so that the measuring child imports nothing for it."""

from collections.abc import Sequence
from math import floor


def percentile(ordered: Sequence[float], p: float) -> float:
    """Linear interpolation as numpy's default; `ordered` ascends and has at least one value, `p` is 0 to 100."""
    rank = p / 100 * (len(ordered) - 1)
    below = floor(rank)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    part = rank - below
    # Interpolating from the nearer end keeps the result within [low, high] in floats.
    value = low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)
    return float(value)
