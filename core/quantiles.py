"""A sorted sample, or the quantile grid of a larger one, read in the same way. Knows no metric and no run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

Numbers = np.ndarray[Any, np.dtype[np.float64]]
POINTS = 200  # of a grid
STEPS = 300  # of a cumulative line


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Ascending values at evenly spaced shares: a whole sorted sample, or the stored quantile grid of a larger one.

    Attributes:
        points: From the smallest to the largest value, in seconds.
        count: How many raw values stand behind the points.
        exact: Values known exactly by their shares, where a grid would only come near them.
    """

    points: Sequence[float]
    count: int
    exact: Mapping[float, float] = field(default_factory=dict)

    def at(self, shares: Sequence[float] | Numbers) -> Numbers:
        """The values below which these shares (0..1) lie; linear interpolation, as the glossary's percentile."""
        values = np.asarray(self.points, dtype=float)
        found: Numbers = np.interp(np.asarray(shares) * (len(values) - 1), np.arange(len(values)), values)
        for place, share in enumerate(shares if self.exact else ()):
            found[place] = self.exact.get(float(share), found[place])
        return found

    def cumulated(self) -> tuple[Numbers, Numbers]:
        """(values, shares): the share of all values at or below each, to be drawn in steps that rise at the value.

        A small sample has all its steps; of a large one as many points as a line needs, too close to be seen as steps.
        """
        values = np.asarray(self.points, dtype=float)
        if len(values) == self.count and self.count <= STEPS:
            return np.concatenate([values[:1], values]), np.linspace(0, 1, self.count + 1)
        shares = np.linspace(0, 1, STEPS)
        return self.at(shares), shares

    def counted(self, edges: Numbers) -> Numbers:
        """How many raw values lie between each two edges; read off the grid where the sample itself is not at hand."""
        values = np.asarray(self.points, dtype=float)
        if len(values) == self.count:
            return np.histogram(values, bins=edges)[0].astype(float)
        below = np.interp(edges, values, np.linspace(0, 1, len(values)), left=0, right=1)
        return np.diff(below) * self.count

    @classmethod
    def pooled(cls, samples: Sequence[Self]) -> Self:
        """Several samples as one, each point standing for its share of the raw values."""
        if len(samples) == 1:
            return samples[0]
        count = sum(sample.count for sample in samples)
        if all(len(sample.points) == sample.count for sample in samples):
            return cls(points=sorted(point for sample in samples for point in sample.points), count=count)
        points = np.concatenate([np.asarray(sample.points, dtype=float) for sample in samples])
        weights = np.concatenate([np.full(len(s.points), s.count / len(s.points)) for s in samples])
        order = np.argsort(points, kind="stable")
        reached = np.cumsum(weights[order]) - weights[order] / 2
        shares = (reached - reached[0]) / (reached[-1] - reached[0])
        return cls(points=np.interp(np.linspace(0, 1, POINTS), shares, points[order]).tolist(), count=count)
