"""The connections of an open loop: opened before a request is due, taken when it is, given back when it has ended."""

import asyncio
from collections import deque
from time import monotonic_ns

from core.loadgen.connection import STALE_NS, Connection
from core.loadgen.dialling import Dialler
from core.loadgen.lanes import CLOSES_AT_ONCE, DIALS_AT_ONCE, SETTLE_S
from core.records import Failure, FailureKind
from core.words import say

REST_NS = STALE_NS // 2  # one that rested so long may be stale before its request is due


class Pool:
    """Idle connections, the longest idle one is taken first: so none of them grows stale while there is traffic."""

    def __init__(self, dialler: Dialler, *, reuse: bool) -> None:
        """`reuse`: a connection is kept for a next request, as long as the server keeps it."""
        self._dialler = dialler
        self._reuse = reuse
        self._idle: deque[Connection] = deque()
        self._dials: set[asyncio.Task[Connection | Failure]] = set()
        self._awaited: set[asyncio.Task[Connection | Failure]] = set()
        self._closed = False

    def ready(self, count: int) -> None:
        """Open so many that `count` are idle and fresh, or on their way."""
        now = monotonic_ns()
        while self._idle and now - self._idle[0].idle_since_ns > REST_NS:
            self._idle.popleft().close()
        missing = count - len(self._idle) - len(self._dials)
        for _ in range(min(missing, DIALS_AT_ONCE - len(self._dials))):
            dial = asyncio.ensure_future(self._dialler.dial())
            self._dials.add(dial)
            dial.add_done_callback(self._dialled)

    async def opened(self) -> None:
        """Wait until none is on its way, and let the server accept them."""
        while self._dials:
            await asyncio.wait(self._dials)
        await asyncio.sleep(SETTLE_S)

    def take(self) -> Connection | None:
        """An idle connection that may be used; None if there is none."""
        while self._idle:
            found = self._idle.popleft()
            if found.usable():
                return found
            self._reuse = self._reuse and not found.closed_early
            found.close()
        return None

    async def dial(self) -> Connection | Failure:
        """A new connection for a request that is due and found none."""
        dial = asyncio.ensure_future(self._dialler.dial())
        self._awaited.add(dial)
        await asyncio.wait((dial,))
        self._awaited.discard(dial)
        if dial.cancelled():
            return Failure(kind=FailureKind.CANCELLED, message=say("Cancelled before it was sent."))
        return dial.result()

    def give_back(self, connection: Connection) -> None:
        """Its request has ended: keep it for another one."""
        if self._reuse and not self._closed and connection.usable():
            self._idle.append(connection)
        else:
            connection.close()

    def stop(self) -> None:
        """Give up every connection that is being opened, and keep none that is given back."""
        self._closed = True
        for dial in (*self._dials, *self._awaited):
            dial.cancel()

    async def close(self) -> None:
        """Close what is idle, a few at a time: a thousand at once would hold the loop for 20 ms."""
        self.stop()
        while self._idle:
            for _ in range(min(CLOSES_AT_ONCE, len(self._idle))):
                self._idle.popleft().close()
            await asyncio.sleep(0)

    def _dialled(self, dial: "asyncio.Task[Connection | Failure]") -> None:
        self._dials.discard(dial)
        if dial.cancelled():
            return
        found = dial.result()
        if isinstance(found, Failure):
            return  # the request that is due will find out itself
        if self._closed:
            found.close()
        else:
            self._idle.append(found)
