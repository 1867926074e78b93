"""Chunk gaps of a whole run, counted by SQL: whole microseconds repeat, so twenty million gaps are few numbers.

Exact: the same values in the same order as the sorted gaps would give. Never holds the gaps themselves.
"""

from dataclasses import dataclass
from math import floor, sqrt

import duckdb
import numpy as np
from numpy.typing import NDArray

from core.summary import Distribution

COUNTED = """
SELECT gap, count(*) AS times FROM (
  SELECT unnest(c.chunk_us[2:]) - unnest(c.chunk_us[:-2]) AS gap
  FROM chunks c JOIN requests r ON r.run_no = c.run_no AND r.ordinal = c.ordinal
  WHERE c.run_no = $no AND r.run_no = $no AND r.streamed AND NOT r.warmup AND r.outcome = 'ok'
    AND (r.chunks_are_tokens OR NOT $tokens) AND r.chunks > 1)
GROUP BY gap ORDER BY gap
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """Different gaps in microseconds, ascending, and how often each came."""

    us: NDArray[np.int64]
    times: NDArray[np.int64]


def gaps(cursor: duckdb.DuckDBPyConnection, run_no: int, *, tokens_only: bool) -> Gaps | None:
    """The run's gaps, those of requests whose chunks are tokens if `tokens_only`; None if there are none."""
    found = cursor.execute(COUNTED, {"no": run_no, "tokens": tokens_only}).fetchnumpy()
    if not len(found["gap"]):
        return None
    return Gaps(us=np.asarray(found["gap"], np.int64), times=np.asarray(found["times"], np.int64))


def distribution(pool: Gaps) -> Distribution:
    """Their distribution in seconds. Sums are Python's whole numbers: nothing overflows or is rounded."""
    us, times = pool.us.tolist(), pool.times.tolist()
    count = sum(times)
    total = sum(gap * number for gap, number in zip(us, times, strict=True))
    squares = sum(gap * gap * number for gap, number in zip(us, times, strict=True))
    variance = (count * squares - total * total) / (count * (count - 1)) if count > 1 else None
    p50, p90, p95, p99 = quantiles(pool, [0.5, 0.9, 0.95, 0.99])
    low, high = us[0] / 1e6, us[-1] / 1e6
    return Distribution(
        count=count,
        mean=min(max(total / count / 1e6, low), high),
        stdev=None if variance is None else sqrt(variance) / 1e6,
        min=low,
        p50=p50,
        p90=p90,
        p95=p95,
        p99=p99,
        max=high,
    )


def quantiles(pool: Gaps, shares: list[float]) -> list[float]:
    """Seconds at these shares (0 to 1), interpolated linearly."""
    ends = np.cumsum(pool.times)
    last = int(ends[-1]) - 1
    found = []
    for share in shares:
        rank = share * last
        below = floor(rank)
        low, high = (float(pool.us[np.searchsorted(ends, place, "right")]) for place in (below, min(below + 1, last)))
        found.append((low + (high - low) * (rank - below)) / 1e6)
    return found
