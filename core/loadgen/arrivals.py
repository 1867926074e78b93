"""When the requests of an open loop are due. A pure function of the load and a seed: no clock, no sleeping.

Gaps are drawn with mean 1 and gamma shape k (k = 1: Poisson), in a time that runs as fast as the level is high; that
time is mapped back through the load's stages. A ramp is therefore exact, and a constant rate has no drift. A trace has
its own times, which its speed makes shorter or longer.
"""

from collections.abc import Iterator
from math import log, log1p, sqrt
from random import Random

from core.load import Load, Stage
from core.trace import Rows


def due_times(load: Load, *, seed: int, rows: Rows | None = None) -> Iterator[float]:
    """Seconds after the begin of the sending, ascending; the first is 0. Same seed, same times.

    They have no end, but for a trace, whose `rows` are needed. Raises ValueError for a closed loop, whose requests are
    due when others have returned.
    """
    if load.rate is None or (load.trace is not None and rows is None):
        raise ValueError(load)
    if load.trace is not None and rows is not None:
        yield from (at_us / 1e6 / load.trace.speed for at_us in rows.at_us)
        return
    chosen = Random(f"arrivals:{seed}")  # noqa: S311 -- pacing, not secrets
    begin_s, before = 0.0, 0.0  # of the stage under way: its begin, and the arrivals expected until then
    ahead = list(load.stages)
    expected = 0.0
    while True:
        while ahead and expected - before > arrivals_of(ahead[0]):
            stage = ahead.pop(0)
            begin_s, before = begin_s + stage.seconds, before + arrivals_of(stage)
        if ahead:
            yield begin_s + seconds_until(ahead[0], expected - before)
        else:
            yield begin_s + (expected - before) / load.level_at(begin_s)
        expected += 1.0 if load.constant else chosen.gammavariate(load.burstiness, 1 / load.burstiness)


def arrivals_of(stage: Stage) -> float:
    """How many requests a stage offers on average: the integral of its level over its time."""
    if stage.shape == "exponential" and stage.start != stage.end:
        return stage.seconds * (stage.end - stage.start) / log(stage.end / stage.start)
    return stage.seconds * (stage.start + stage.end) / 2


def seconds_until(stage: Stage, arrivals: float) -> float:
    """After how many seconds of a stage so many requests were offered: the inverse of the integral of its level."""
    if stage.start == stage.end:
        return arrivals / stage.start
    if stage.shape == "exponential":
        growth = log(stage.end / stage.start) / stage.seconds
        return log1p(arrivals * growth / stage.start) / growth
    slope = (stage.end - stage.start) / stage.seconds
    # The stable root of start x t + slope x t^2 / 2 = arrivals.
    root = sqrt(max(0.0, stage.start**2 + 2 * slope * arrivals))
    return float(2 * arrivals / (stage.start + root))
