"""What every figure is given beside its values: who a series is, and the unit of its axis. Draws nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.quantities import LONGEST_MS

MOST_POINTS = 500  # of one trace; a screen shows no more


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
