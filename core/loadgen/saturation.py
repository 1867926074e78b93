"""Whether a server falls behind for good: requests in flight and TTFT both keep rising. `is_saturated` is pure.

The test is that of an ordinary least squares slope: significantly above 0 (Student's t, one-sided), and large enough
to matter. Neighbours in time hang together, therefore it looks at means of equal stretches of time.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence, Sized
from math import fsum, sqrt
from statistics import fmean
from time import monotonic_ns

from core.metrics import ttft_s
from core.records import RequestRecord

STRETCHES = 12  # of the time looked at
T_999 = 4.144  # Student's t with 10 degrees of freedom, one-sided 0.1 %: it is asked again and again
GROWTH = 1.5  # the fitted end over the fitted begin, in both
LEAST_S = 6.0
LEAST_TTFTS = 24
LOOK_S = 0.5
WINDOW_S = 60.0
MOST_SEEN = 6000  # of each; at more than 100 requests/s the window is shorter


def is_saturated(in_flight: Sequence[tuple[float, float]], ttfts: Sequence[tuple[float, float]]) -> bool:
    """Whether both rise significantly over the time seen.

    `in_flight`: (at_s, requests in flight), `ttfts`: (sent_s, ttft_s), both ascending in time. Too little is no.
    """
    if len(ttfts) < LEAST_TTFTS or not in_flight or ttfts[-1][0] - ttfts[0][0] < LEAST_S:
        return False
    begin_s, end_s = ttfts[0][0], ttfts[-1][0]
    within = [pair for pair in in_flight if begin_s <= pair[0] <= end_s]
    return _rises(_means(within, begin_s, end_s)) and _rises(_means(ttfts, begin_s, end_s))


def _means(pairs: Sequence[tuple[float, float]], begin_s: float, end_s: float) -> list[tuple[float, float]]:
    stretch_s = (end_s - begin_s) / STRETCHES
    bins: list[list[float]] = [[] for _ in range(STRETCHES)]
    for at_s, value in pairs:
        bins[min(int((at_s - begin_s) / stretch_s), STRETCHES - 1)].append(value)
    return [(float(place), fmean(values)) for place, values in enumerate(bins) if values]


def _rises(means: Sequence[tuple[float, float]]) -> bool:
    count = len(means)
    if count < STRETCHES - 2:  # too many holes to call it a line
        return False
    mean_x, mean_y = fmean(x for x, _ in means), fmean(y for _, y in means)
    spread = fsum((x - mean_x) ** 2 for x, _ in means)
    slope = fsum((x - mean_x) * (y - mean_y) for x, y in means) / spread
    begin = mean_y + slope * (means[0][0] - mean_x)
    end = mean_y + slope * (means[-1][0] - mean_x)
    rest = fsum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in means)
    error = sqrt(rest / (count - 2) / spread)
    return slope > T_999 * error and end > GROWTH * max(begin, 0.0)


class SaturationWatch:
    """Looks twice a second at what was seen of a run, and calls `stop` once it is saturated."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, *, in_flight: Callable[[], Sized], stop: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._in_flight = in_flight
        self._stop = stop
        self._seen: deque[tuple[float, float]] = deque(maxlen=round(WINDOW_S / LOOK_S))
        self._ttfts: deque[tuple[float, float]] = deque(maxlen=MOST_SEEN)
        self._begin_ns = 0
        self._handle: asyncio.TimerHandle | None = None

    def start(self, begin_ns: int) -> None:
        """Begin to look; times of requests count from `begin_ns`."""
        self._begin_ns = begin_ns
        self._handle = self._loop.call_later(LOOK_S, self._look)

    def stop(self) -> None:
        """Look no more."""
        if self._handle is not None:
            self._handle.cancel()

    def see(self, record: RequestRecord) -> None:
        """Keep the TTFT of a request that has ended."""
        if self._handle is not None and (ttft := ttft_s(record)) is not None and record.sent_s is not None:
            self._ttfts.append((record.sent_s, ttft))

    def _look(self) -> None:
        now_s = (monotonic_ns() - self._begin_ns) / 1e9
        self._seen.append((now_s, float(len(self._in_flight()))))
        ttfts = sorted(pair for pair in self._ttfts if pair[0] > now_s - WINDOW_S)
        if is_saturated(self._seen, ttfts):
            self._stop()
        else:
            self._handle = self._loop.call_later(LOOK_S, self._look)
