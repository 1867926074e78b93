"""The way to a server, step by step: name, TCP, TLS. Sends nothing of the application, knows no key."""

import errno
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from core.records import Failure, FailureKind
from core.tls import client_context
from core.words import say

MOST_ADDRESSES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """A way that works.

    Attributes:
        address: The address that answered.
        connect_s: TCP set-up, without the name and without TLS.
    """

    address: str
    connect_s: float


def resolve(host: str, port: int, seconds: float) -> tuple[str, ...] | Failure:
    """The addresses of a host. The system's resolver has no time limit, so it is asked in a thread of its own."""
    answers: queue.SimpleQueue[tuple[str, ...] | Failure] = queue.SimpleQueue()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as fault:
            answers.put(Failure(kind=FailureKind.DNS, message=_reason(fault)))
        else:
            answers.put(tuple(dict.fromkeys(str(row[4][0]) for row in found)))

    threading.Thread(target=ask, name="probe-resolve", daemon=True).start()
    try:
        return answers.get(timeout=seconds)
    except queue.Empty:
        message = say("the name was not resolved within {seconds:.0f} s", seconds=seconds)
        return Failure(kind=FailureKind.DNS, message=message)


def connect(
    addresses: Sequence[str], port: int, seconds: float, clock: Callable[[], float] = time.monotonic
) -> tuple[socket.socket, Connected] | Failure:
    """A TCP connection to the first address that takes one."""
    tried = addresses[:MOST_ADDRESSES]
    failure = Failure(kind=FailureKind.DNS, message=say("the name has no address"))
    for address in tried:
        began = clock()
        try:
            sock = socket.create_connection((address, port), timeout=seconds / len(tried))
        except OSError as fault:
            failure = connect_failure(fault)
        else:
            return sock, Connected(address=address, connect_s=clock() - began)
    return failure


def shake_hands(sock: socket.socket, context: ssl.SSLContext, host: str, seconds: float) -> datetime | Failure | None:
    """Do the TLS handshake and close. The certificate's end, None if it was not verified, or what is wrong with it."""
    try:
        sock.settimeout(seconds)
        with context.wrap_socket(sock, server_hostname=host) as wrapped:
            ends = (wrapped.getpeercert() or {}).get("notAfter")
    except OSError as fault:
        return tls_failure(fault)
    finally:
        sock.close()
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(ends), UTC) if isinstance(ends, str) else None


def speaks_tls(address: str, port: int, host: str, seconds: float) -> bool:
    """Whether a TLS handshake succeeds there, whatever the certificate: then http:// was the wrong beginning."""
    context = client_context(verify=False)
    try:
        with (
            socket.create_connection((address, port), timeout=seconds) as sock,
            context.wrap_socket(sock, server_hostname=host),
        ):
            return True
    except OSError:
        return False


def first_words(address: str, port: int, seconds: float) -> bytes:
    """What a server says to a harmless HTTP request without a key; empty if it says nothing."""
    try:
        with socket.create_connection((address, port), timeout=seconds) as sock:
            sock.sendall(b"OPTIONS * HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n")
            return sock.recv(16)
    except OSError:
        return b""


def connect_failure(fault: OSError) -> Failure:
    """Why no TCP connection came about."""
    if isinstance(fault, TimeoutError) or fault.errno == errno.ETIMEDOUT:
        return Failure(kind=FailureKind.CONNECT_TIMEOUT, message=say("no answer to the connection request"))
    if isinstance(fault, socket.gaierror):
        return Failure(kind=FailureKind.DNS, message=_reason(fault))
    return Failure(kind=FailureKind.REFUSED, message=_reason(fault))


def tls_failure(fault: OSError) -> Failure:
    """Why no TLS connection came about."""
    reason = str(getattr(fault, "reason", None) or "").strip("_")  # not every SSLError has one
    if isinstance(fault, ssl.SSLCertVerificationError):
        message = fault.verify_message.rstrip(".") or _reason(fault)
    elif isinstance(fault, TimeoutError):
        message = say("no answer to the TLS handshake")
    elif reason and not isinstance(fault, ssl.SSLEOFError):
        message = reason.replace("_", " ").lower()
    else:
        message = say("the server closed the connection during the TLS handshake")
    return Failure(kind=FailureKind.TLS, message=message)


def _reason(fault: OSError | UnicodeError) -> str:
    text = (fault.strerror if isinstance(fault, OSError) else None) or str(fault) or type(fault).__name__
    return text[:1].lower() + text[1:]
