"""A sorted sample or its quantile grid, read the same way, and who it belongs to. Draws nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

MOST_POINTS = 500  # of one trace; a screen shows no more
LONGEST_MS = 10.0  # seconds from which people read s, not ms

Numbers = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One configuration on a figure.

    Attributes:
        name: Its label: data, escaped where it is drawn.
        slot: Its colour and marker for life, 0-based.
        note: What must stand behind the name wherever it appears, such as "simulated".
    """

    name: str
    slot: int
    note: str = ""

    @property
    def title(self) -> str:
        """Name and note together."""
        return f"{self.name} ({self.note})" if self.note else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Ascending values at evenly spaced shares: a whole sorted sample, or the stored quantile grid of a larger one.

    Attributes:
        points: From the smallest to the largest value, in seconds.
        count: How many raw values stand behind the points.
    """

    points: Sequence[float]
    count: int

    def at(self, shares: Sequence[float] | Numbers) -> Numbers:
        """The values below which these shares (0..1) lie; linear interpolation, as the glossary's percentile."""
        values = np.asarray(self.points, dtype=float)
        found: Numbers = np.interp(np.asarray(shares) * (len(values) - 1), np.arange(len(values)), values)
        return found

    def counted(self, edges: Numbers) -> Numbers:
        """How many raw values lie between each two edges; read off the grid where the sample itself is not at hand."""
        values = np.asarray(self.points, dtype=float)
        if len(values) == self.count:
            return np.histogram(values, bins=edges)[0].astype(float)
        below = np.interp(edges, values, np.linspace(0, 1, len(values)), left=0, right=1)
        return np.diff(below) * self.count


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """The unit of a time axis and how many of it make a second."""

    name: str
    per_second: float


def time_unit(largest_s: float) -> Unit:
    """Milliseconds below ten seconds, then seconds."""
    return Unit(name="ms", per_second=1e3) if largest_s < LONGEST_MS else Unit(name="s", per_second=1.0)


def thinned(values: Sequence[float], most: int = MOST_POINTS) -> list[float]:
    """At most `most` of the values, evenly picked, first and last kept."""
    if len(values) <= most:
        return list(values)
    places = np.linspace(0, len(values) - 1, most).round().astype(int)
    return [values[int(place)] for place in places]
