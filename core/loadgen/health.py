"""How late the load generator's own loop is, measured while it works. Knows nothing of requests."""

import asyncio
import os
import resource
import struct
from array import array
from collections import Counter
from collections.abc import Callable
from random import Random
from time import monotonic, monotonic_ns
from time import sleep as block

from core.loadgen.alarm import kernel_timer, set_timer
from core.percentile import percentile
from core.processor_time import busy_share, machine_times
from core.run import ClientHealth

PERIOD_NS = 5_000_000
MAX_SAMPLES = 2_000_000  # 2.7 hours at 5 ms; later ones are left out of the percentiles
STEP_S, COARSE_STEPS = 1e-5, 100  # how finely lag is told while it goes on; above 10 ms whole milliseconds do


def _timerfd(period_ns: int) -> int | None:
    """A kernel timer that fires every `period_ns`, or None where there is none.

    The loop's own timers are rounded to whole milliseconds, which would be shown as lag.
    """
    fd = kernel_timer()
    if fd is not None and not set_timer(fd, period_ns, period_ns):
        os.close(fd)
        return None
    return fd


class LagProbe:
    """Fires every 5 ms and keeps how late it was: what any other event of this loop would have suffered."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, inject_s: float = 0.0) -> None:
        self._loop = loop
        self._lags = array("d")
        self._steps: Counter[int] = Counter()
        self._inject_s = inject_s
        self._pauses = Random(0)  # noqa: S311 -- no secret: only out of step
        self._cpu_before = resource.getrusage(resource.RUSAGE_SELF)
        self._started_s = monotonic()
        self._machine_before = machine_times()
        self._fd: int | None = None
        self._due_ns = 0
        self._stop: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begin to measure."""
        self._cpu_before = resource.getrusage(resource.RUSAGE_SELF)
        self._started_s = monotonic()
        self._due_ns = monotonic_ns() + PERIOD_NS
        self._fd = fd = _timerfd(PERIOD_NS)
        if fd is None:
            self._handle = self._loop.call_later(PERIOD_NS / 1e9, self._tick)
            self._stop = self._cancel_tick
        else:
            self._loop.add_reader(fd, self._expired, fd)

            def stop() -> None:
                self._fd = None
                self._loop.remove_reader(fd)
                os.close(fd)

            self._stop = stop
        if self._inject_s:
            self._loop.call_later(self._inject_s, self._hold)

    def restart(self) -> None:
        """Forget what was measured so far, and what the loop is late for right now: from here on it counts."""
        self._machine_before = machine_times()
        self._cpu_before = resource.getrusage(resource.RUSAGE_SELF)
        self._started_s = monotonic()
        if self._fd is not None:
            self._expired(self._fd)
        self._due_ns = max(self._due_ns, monotonic_ns())
        self._lags, self._steps = array("d"), Counter()

    def stop(self) -> None:
        """End measuring."""
        self._stop()
        self._stop = lambda: None
        self._inject_s = 0.0

    def _keep(self, lag_s: float) -> None:
        if len(self._lags) < MAX_SAMPLES:
            self._lags.append(max(lag_s, 0.0))
        step = round(max(lag_s, 0.0) / STEP_S)
        self._steps[step if step < 10 * COARSE_STEPS else step - step % COARSE_STEPS] += 1

    def _expired(self, fd: int) -> None:
        now = monotonic_ns()
        try:
            (missed,) = struct.unpack("Q", os.read(fd, 8))
        except BlockingIOError:
            return
        for _ in range(min(missed, 1000)):  # each missed expiry was a moment at which an event would have waited
            self._keep((now - self._due_ns) / 1e9)
            self._due_ns += PERIOD_NS
        self._due_ns += max(missed - 1000, 0) * PERIOD_NS

    def _tick(self) -> None:
        now = monotonic_ns()
        self._keep((now - self._due_ns) / 1e9)
        self._due_ns = now + PERIOD_NS
        self._handle = self._loop.call_later(PERIOD_NS / 1e9, self._tick)

    def _cancel_tick(self) -> None:
        self._handle.cancel()

    def _hold(self) -> None:
        """Block the loop on purpose (PACELINE_TEST_LAG_MS): half of the time, so that the probe has to see it.

        The pauses vary: equal ones would stay in step with the probe's period, which then sees the same part of each.
        """
        if self._inject_s:
            block(self._inject_s)
            self._loop.call_later(self._inject_s * self._pauses.uniform(0.2, 1.8), self._hold)

    def so_far_p99_s(self) -> float | None:
        """p99 of the lag since the start, to 10 µs; None if nothing was measured.

        Counted by steps: to sort every sample twice a second would itself hold the loop.
        """
        above = self._steps.total() * 0.01
        for step in sorted(self._steps, reverse=True):
            above -= self._steps[step]
            if above < 0:
                return step * STEP_S
        return None

    def busy_so_far(self) -> float | None:
        """How busy all cores of this machine were since the start, by whatever ran."""
        return busy_share(self._machine_before, machine_times())

    def health(self, *, max_in_flight: int, priority: str, reads: int, chunks: int) -> ClientHealth:
        """The client's part of a run."""
        lags = sorted(self._lags)
        used = resource.getrusage(resource.RUSAGE_SELF)
        before = self._cpu_before
        cpu_s = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
        span_s = monotonic() - self._started_s
        return ClientHealth(
            loop_lag_p50_s=percentile(lags, 50) if lags else None,
            loop_lag_p99_s=percentile(lags, 99) if lags else None,
            loop_lag_max_s=lags[-1] if lags else None,
            cpu_share=cpu_s / span_s if span_s > 0 else None,
            max_in_flight=max_in_flight,
            priority=priority,
            reads_per_token=reads / chunks if chunks else None,
            machine_busy_share=self.busy_so_far(),
        )
