"""The connections of a closed loop: one a lane, opened before its request is due. Knows when one may be used again."""

import asyncio

from core.loadgen.connection import Connection
from core.loadgen.dialling import DIALS_AT_ONCE, Dialler, Dials, close_all
from core.records import Failure

# The kernel connects before the server takes note: what it needs for that would be in the TTFT of the first requests.
SETTLE_S = 0.05
ACCEPT_S = 0.0002  # more for each connection: what a server in Python needs


class Lanes:
    """`count` places, each with a connection or none."""

    def __init__(self, dialler: Dialler, count: int, *, reuse: bool) -> None:
        """`reuse`: a connection is kept for the next request, as long as the server keeps it."""
        self._dials = Dials(dialler)
        self._connections: list[Connection | None] = [None] * count
        self._gate = asyncio.Semaphore(DIALS_AT_ONCE)
        self._reuse = reuse

    def __len__(self) -> int:
        return len(self._connections)

    async def open(self) -> None:
        """Fill every place whose connection may not be used, and let the server accept them.

        A place that stays empty dials again when it sends.
        """
        empty = [place for place in range(len(self)) if not self._usable(place)]
        if not empty or isinstance(await self.connection(empty[0]), Failure):
            return  # do not dial a dead address a thousand times
        await asyncio.gather(*(self.connection(place) for place in empty[1:]))
        await asyncio.sleep(SETTLE_S + ACCEPT_S * len(empty))

    async def connection(self, place: int) -> Connection | Failure:
        """The place's connection; a new one if the old is closed or stale: what was never sent is no retry."""
        found = self._connections[place]
        if found is not None and self._usable(place):
            return found
        if found is not None:
            self._reuse = self._reuse and not found.closed_early
            found.close()
        async with self._gate:
            dialled = await self._dials.one()
        self._connections[place] = dialled if isinstance(dialled, Connection) else None
        return dialled

    def stop(self) -> None:
        """Give up every connection that is being opened."""
        self._dials.stop()

    async def close(self) -> None:
        """Close every connection."""
        await close_all(connection for connection in self._connections if connection is not None)

    def _usable(self, place: int) -> bool:
        connection = self._connections[place]
        fresh = connection is not None and connection.connect_s is not None  # opened ahead, not yet used
        return connection is not None and (self._reuse or fresh) and connection.usable()
