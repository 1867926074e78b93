"""Why a request ended, by the exceptions of a client and of the system."""

import socket
import ssl

import httpx
import pytest

from core.probing.connection_end import HeldSocket, client_failure
from core.probing.reach import connect_failure, tls_failure
from core.records import FailureKind


def caused(fault: Exception, cause: BaseException | None = None) -> Exception:
    fault.__cause__ = cause
    return fault


@pytest.mark.parametrize(
    ("fault", "started", "expired", "kind"),
    [
        (httpx.ReadTimeout("x"), False, False, FailureKind.FIRST_BYTE_TIMEOUT),
        (httpx.ReadTimeout("x"), True, False, FailureKind.IDLE_TIMEOUT),
        (httpx.ReadError("x"), True, True, FailureKind.IDLE_TIMEOUT),
        (None, True, True, FailureKind.IDLE_TIMEOUT),
        (httpx.ConnectTimeout("x"), False, False, FailureKind.CONNECT_TIMEOUT),
        (
            caused(httpx.ConnectError("x"), ConnectionRefusedError(111, "Connection refused")),
            False,
            False,
            FailureKind.REFUSED,
        ),
        (caused(httpx.ConnectError("x"), socket.gaierror(-2, "Name unknown")), False, False, FailureKind.DNS),
        (caused(httpx.ConnectError("x"), ssl.SSLError(1, "x")), False, False, FailureKind.TLS),
        (httpx.ConnectError("x"), False, False, FailureKind.CONNECTION_LOST),
        (httpx.RemoteProtocolError("illegal status line"), False, False, FailureKind.MALFORMED),
        (httpx.RemoteProtocolError("Server disconnected"), False, False, FailureKind.CONNECTION_LOST),
        (httpx.RemoteProtocolError("peer closed connection"), True, False, FailureKind.CONNECTION_LOST),
    ],
)
def test_the_kind_is_told_by_the_whole_chain(fault, started, expired, kind):
    failure = client_failure(fault, started=started, seconds=1.0, expired=expired)

    assert failure.kind is kind
    assert failure.message


def test_a_chain_that_bites_its_tail_ends():
    first, second = httpx.ReadError("a"), httpx.ReadError("b")
    first.__cause__, second.__cause__ = second, first

    assert client_failure(first, started=True, seconds=1.0, expired=False).kind is FailureKind.CONNECTION_LOST


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        (TimeoutError(), FailureKind.CONNECT_TIMEOUT, "no answer to the connection request"),
        (OSError(110, "Connection timed out"), FailureKind.CONNECT_TIMEOUT, "no answer to the connection request"),
        (OSError(113, "No route to host"), FailureKind.REFUSED, "no route to host"),
        (
            socket.gaierror(-3, "Temporary failure in name resolution"),
            FailureKind.DNS,
            "temporary failure in name resolution",
        ),
    ],
)
def test_why_no_connection_came_about(fault, kind, message):
    failure = connect_failure(fault)

    assert (failure.kind, failure.message) == (kind, message)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (TimeoutError(), "no answer to the TLS handshake"),
        (ConnectionResetError(104, "reset"), "the server closed the connection during the TLS handshake"),
        (ssl.SSLEOFError(8, "EOF occurred"), "the server closed the connection during the TLS handshake"),
    ],
)
def test_why_no_tls_came_about(fault, message):
    failure = tls_failure(fault)

    assert (failure.kind, failure.message) == (FailureKind.TLS, message)


class Stream:
    """What httpcore tells of: a stream that knows its socket."""

    def __init__(self, sock):
        self._sock = sock

    def get_extra_info(self, name):
        return self._sock if name == "socket" else None


def test_a_shut_socket_ends_its_reader_and_one_shut_for_good_ends_later_ones_too():
    held = HeldSocket()
    held.shut()
    ours, theirs = socket.socketpair()
    late, other = socket.socketpair()
    with ours, theirs, late, other:
        held.trace("connection.connect_tcp.complete", {"return_value": Stream(ours)})
        theirs.sendall(b"x")
        assert ours.recv(1) == b"x"

        held.shut_for_good()
        assert ours.recv(1) == b""

        held.trace("connection.connect_tcp.complete", {"return_value": Stream(late)})
        assert late.recv(1) == b""
        held.shut()
