"""Opens connections to one endpoint and says in words why one could not be opened. Knows no request.

What is being opened can be given up, and what was opened is closed a few at a time.
"""

import asyncio
import errno
import socket
import ssl
from collections.abc import Iterable
from time import monotonic
from urllib.parse import urlsplit

from core.loadgen.connection import Connection
from core.plan import Endpoint
from core.records import Failure, FailureKind
from core.tls import client_context
from core.words import say

DIALS_AT_ONCE = 128  # a listen queue is often 128 long
CLOSES_AT_ONCE = 8
Dial = asyncio.Task[Connection | Failure]


class Dialler:
    """Connects to the endpoint's host and port, with TLS where its address says https."""

    def __init__(self, loop: asyncio.AbstractEventLoop, endpoint: Endpoint) -> None:
        self._loop = loop
        parts = urlsplit(endpoint.base_url)
        self._secure = parts.scheme == "https"
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if self._secure else 80)
        self._endpoint = endpoint
        self._context: ssl.SSLContext | None = None
        self._addresses: list[str] = []

    @property
    def place(self) -> str:
        """Host and port, for sentences."""
        return f"{self._host}:{self._port}"

    async def dial(self) -> Connection | Failure:
        """A new connection, its set-up time in `connect_s`; or why there is none.

        The name is resolved once a run; that time is no part of `connect_s`.
        """
        limit_s = self._endpoint.limits.connect_s
        try:
            async with asyncio.timeout(limit_s):
                if not self._addresses:
                    self._addresses = await self._resolved()
                return await self._connected()
        except TimeoutError:
            return Failure(
                kind=FailureKind.CONNECT_TIMEOUT,
                message=say("No connection to {place} within {limit_s:g} s.", place=self.place, limit_s=limit_s),
            )
        except (OSError, ssl.SSLError, ValueError) as fault:
            return self._failure(fault)

    async def _resolved(self) -> list[str]:
        found = await self._loop.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(address[0]) for *_, address in found))

    async def _connected(self) -> Connection:
        """Through the first address that takes us; the one that did is tried first from then on."""
        if self._secure and self._context is None:
            self._context = client_context(verify=self._endpoint.verify, ca_file=self._endpoint.ca_file)
        fault: OSError | None = None
        for address in self._addresses:
            started = monotonic()
            try:
                _, connection = await self._loop.create_connection(
                    Connection,
                    address,
                    self._port,
                    ssl=self._context,
                    server_hostname=self._host if self._secure else None,
                )
            except ssl.SSLError:
                raise
            except OSError as refused:
                fault = refused
                continue
            connection.connect_s = monotonic() - started
            self._addresses.remove(address)
            self._addresses.insert(0, address)
            return connection
        assert fault is not None
        raise fault

    def _failure(self, fault: Exception) -> Failure:
        reason = getattr(fault, "verify_message", "") or getattr(fault, "strerror", None) or str(fault)
        if isinstance(fault, socket.gaierror):
            kind, text = FailureKind.DNS, "The name {host} cannot be resolved: {reason}."
        elif isinstance(fault, ssl.SSLError):
            kind, text = FailureKind.TLS, "TLS with {place} failed: {reason}."
        elif self._secure and self._context is None:
            kind, text = FailureKind.TLS, "The certificate file {file} cannot be used: {reason}."
        elif isinstance(fault, ConnectionResetError) or getattr(fault, "errno", None) == errno.ECONNRESET:
            kind, text = (
                FailureKind.TLS if self._secure else FailureKind.REFUSED,
                "{place} closed the connection: {reason}.",
            )
        else:
            kind, text = FailureKind.REFUSED, "Nothing answers at {place}: {reason}."
        words = say(
            text, host=self._host, place=self.place, reason=str(reason).rstrip("."), file=self._endpoint.ca_file
        )
        return Failure(kind=kind, message=words)


class Dials:
    """What is being opened, until it is opened or all of it is given up."""

    def __init__(self, dialler: Dialler) -> None:
        self._dialler = dialler
        self._under_way: set[Dial] = set()
        self._stopped = False

    def begin(self) -> Dial:
        """Open one; cancelled if it is given up."""
        dial = asyncio.ensure_future(self._dialler.dial())
        self._under_way.add(dial)
        dial.add_done_callback(self._under_way.discard)
        return dial

    async def one(self) -> Connection | Failure:
        """A new connection; a failure if it is given up, and at once after `stop`."""
        if not self._stopped:
            dial = self.begin()
            await asyncio.wait((dial,))
            if not dial.cancelled():
                return dial.result()
        return Failure(kind=FailureKind.CANCELLED, message=say("Cancelled before it was sent."))

    def stop(self) -> None:
        """Give up everything that is being opened."""
        self._stopped = True
        for dial in tuple(self._under_way):
            dial.cancel()


async def close_all(connections: Iterable[Connection]) -> None:
    """Close them, a few at a time: a thousand at once would hold the loop for 20 ms."""
    for number, connection in enumerate(connections, start=1):
        connection.close()
        if number % CLOSES_AT_ONCE == 0:
            await asyncio.sleep(0)
    await asyncio.sleep(0)
