"""How to end a request from outside, and why one ended: the same for httpx and for the client of the openai SDK."""

import socket
import ssl
from typing import Any

from core.probing import reach
from core.quantities import number
from core.records import Failure, FailureKind
from core.words import say

TIMEOUTS = frozenset({"ReadTimeout", "WriteTimeout", "PoolTimeout"})
SILENCE = {True: FailureKind.IDLE_TIMEOUT, False: FailureKind.FIRST_BYTE_TIMEOUT}


class HeldSocket:
    """The socket of a client that has one connection at a time, learned from its trace events.

    HTTP clients limit each read and not all of them together; shutting the socket ends a request at any moment.
    """

    def __init__(self) -> None:
        self._socket: Any = None
        self._over = False

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Take note of a trace event of httpcore."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._socket = info["return_value"].get_extra_info("socket")
            if self._over:
                self.shut()

    def shut_for_good(self) -> None:
        """End what goes on now, and every connection that comes about later."""
        self._over = True
        self.shut()

    def shut(self) -> None:
        """End what the connection does now: its reader sees the end of the stream."""
        try:
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it was closed in this very moment


def client_failure(fault: BaseException | None, *, started: bool, seconds: float, expired: bool) -> Failure:
    """The failure behind a client's exception; `expired` if the socket was shut since the time was up."""
    names = {type(link).__name__ for link in _chain(fault)}
    cause = next((link for link in _chain(fault) if isinstance(link, OSError)), None)
    if expired or names & TIMEOUTS:
        text = "nothing more came within {seconds} s" if started else "no answer came within {seconds} s"
        return Failure(kind=SILENCE[started], message=say(text, seconds=number(seconds)))
    if "ConnectTimeout" in names:
        return reach.connect_failure(TimeoutError())
    if "ConnectError" in names and cause is not None:
        return reach.tls_failure(cause) if isinstance(cause, ssl.SSLError) else reach.connect_failure(cause)
    if "RemoteProtocolError" in names and not started and "disconnected" not in "".join(map(str, _chain(fault))):
        return Failure(kind=FailureKind.MALFORMED, message=say("what came back is no HTTP"))
    return Failure(kind=FailureKind.CONNECTION_LOST, message=say("the server closed the connection"))


def _chain(fault: BaseException | None) -> list[BaseException]:
    links: list[BaseException] = []
    link = fault
    while link is not None and link not in links:
        links.append(link)
        link = link.__cause__ or link.__context__
    return links
