"""The connections of an open loop: opened before a request is due, taken when it is, given back when it has ended."""

import asyncio
from collections import deque
from time import monotonic_ns

from core.loadgen.connection import STALE_NS, Connection
from core.loadgen.dialling import DIALS_AT_ONCE, Dial, Dialler, Dials, close_all
from core.loadgen.lanes import SETTLE_S
from core.records import Failure

REST_NS = STALE_NS // 2  # one that rested so long may be stale before its request is due


class Pool:
    """Idle connections, the longest idle one is taken first: so none of them grows stale while there is traffic."""

    def __init__(self, dialler: Dialler, *, reuse: bool) -> None:
        """`reuse`: a connection is kept for a next request, as long as the server keeps it."""
        self._dials = Dials(dialler)
        self._reuse = reuse
        self._idle: deque[Connection] = deque()
        self._coming: set[Dial] = set()
        self._closed = False

    def ready(self, count: int) -> None:
        """Open so many that `count` are idle and fresh, or on their way."""
        now = monotonic_ns()
        while self._idle and now - self._idle[0].idle_since_ns > REST_NS:
            self._idle.popleft().close()
        missing = count - len(self._idle) - len(self._coming)
        for _ in range(min(missing, DIALS_AT_ONCE - len(self._coming))):
            dial = self._dials.begin()
            self._coming.add(dial)
            dial.add_done_callback(self._dialled)

    async def opened(self) -> None:
        """Wait until none is on its way, and let the server accept them."""
        while self._coming:
            await asyncio.wait(self._coming)
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
        return await self._dials.one()

    def give_back(self, connection: Connection) -> None:
        """Its request has ended: keep it for another one."""
        if self._reuse and not self._closed and connection.usable():
            self._idle.append(connection)
        else:
            connection.close()

    def stop(self) -> None:
        """Give up every connection that is being opened, and keep none that is given back."""
        self._closed = True
        self._dials.stop()

    async def close(self) -> None:
        """Close what is idle."""
        self.stop()
        idle, self._idle = self._idle, deque()
        await close_all(idle)

    def _dialled(self, dial: Dial) -> None:
        self._coming.discard(dial)
        if dial.cancelled():
            return
        found = dial.result()
        if isinstance(found, Failure):
            return  # the request that is due will find out itself
        if self._closed:
            found.close()
        else:
            self._idle.append(found)
