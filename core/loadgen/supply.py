"""Requests made ready before they are due, one a pass of the loop: a long prompt takes its time. Sends nothing."""

import asyncio
from collections import deque
from collections.abc import Iterator

from core.loadgen.prompts import Prompts
from core.loadgen.seen import Prepared


class Supply:
    """The next requests of a phase, a few of them ready."""

    def __init__(self, loop: asyncio.AbstractEventLoop, prompts: Prompts) -> None:
        self._loop = loop
        self._prompts = prompts
        self._ready: deque[Prepared] = deque()
        self._indices: Iterator[int] = iter(())
        self._warmup = False
        self._owed = 0  # taken, and not replaced yet

    def begin(self, indices: range, *, ahead: int, warmup: bool) -> None:
        """A new phase; `ahead` of its requests are made now and kept ready."""
        self._indices, self._warmup = iter(indices), warmup
        self._ready.clear()
        for _ in range(ahead):
            self._make()

    def stop(self) -> None:
        """There are no more."""
        self._indices = iter(())
        self._ready.clear()

    def take(self) -> Prepared | None:
        """The next request, None after the last."""
        if not self._ready:
            self._make()
        if not self._ready:
            return None
        if not self._owed:
            self._loop.call_soon(self._replace)
        self._owed += 1
        return self._ready.popleft()

    def _replace(self) -> None:
        self._make()
        self._owed -= 1
        if self._owed:
            self._loop.call_soon(self._replace)

    def _make(self) -> None:
        index = next(self._indices, None)
        if index is not None:
            self._ready.append(self._prompts.prepare(index, warmup=self._warmup))
