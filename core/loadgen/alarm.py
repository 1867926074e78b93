"""Calls back at an exact moment of the monotonic clock. Knows nothing of requests.

The loop's own timers are whole milliseconds; where the kernel has a timer that can be read like a socket, it is used.
"""

import asyncio
import ctypes
import os
import struct
import sys
from collections.abc import Callable
from time import monotonic_ns

CLOCK_MONOTONIC = 1
TFD_TIMER_ABSTIME = 1
TFD_NONBLOCK = os.O_NONBLOCK
SECOND = 1_000_000_000


def kernel_timer() -> int | None:
    """A file descriptor that becomes readable when its time comes, or None where there is no such thing."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "timerfd_create"):
        return None
    fd = libc.timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK)
    return int(fd) if fd >= 0 else None


def set_timer(fd: int, first_ns: int, period_ns: int = 0, *, absolute: bool = False) -> bool:
    """Let it become readable after `first_ns` (or at it), then every `period_ns`; False if the kernel will not."""
    spec = struct.pack("qqqq", *divmod(period_ns, SECOND), *divmod(max(first_ns, 1), SECOND))
    return bool(ctypes.CDLL(None).timerfd_settime(fd, TFD_TIMER_ABSTIME if absolute else 0, spec, None) == 0)


class Alarm:
    """One moment at a time: setting it again forgets the one before."""

    def __init__(self, loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> None:
        self._loop = loop
        self._ring = ring
        self._handle: asyncio.TimerHandle | None = None
        self._fd = kernel_timer()
        if self._fd is not None:
            loop.add_reader(self._fd, self._expired)

    def at(self, due_ns: int) -> None:
        """Ring at this moment; at once if it has passed."""
        if self._fd is not None and set_timer(self._fd, due_ns, absolute=True):
            return
        if self._handle is not None:
            self._handle.cancel()
        self._handle = self._loop.call_later(max(0, due_ns - monotonic_ns()) / SECOND, self._ring)

    def close(self) -> None:
        """Ring no more."""
        if self._handle is not None:
            self._handle.cancel()
        if self._fd is not None:
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = None

    def _expired(self) -> None:
        assert self._fd is not None
        try:
            os.read(self._fd, 8)
        except BlockingIOError:  # set again meanwhile
            return
        self._ring()
