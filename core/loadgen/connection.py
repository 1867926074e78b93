"""One kept-alive connection and the request in flight on it. Stamps every read; never decodes what it holds back.

Subtleness ahead: in `data_received` other sockets are waiting to be read, so all it does is read the clock, keep
`(time, bytes)` and look at the last bytes for the end of the answer. HTTP framing and meaning come later
(`core.loadgen.exchange`). A seldom answer whose end cannot be told so simply is parsed at once ("eager").
"""

import asyncio
import select
from time import monotonic_ns

from core.loadgen.exchange import TAIL_BYTES, Exchange
from core.loadgen.framing import Mode, ends_chunked
from core.records import FailureKind
from core.words import say

LAST_CHUNK = b"\r\n0\r\n\r\n"
BLANK_LINE = LAST_CHUNK[-4:]
CHUNKED = Mode.CHUNKED  # an attribute of an Enum costs a look-up on the path of every token
SHORT = len(LAST_CHUNK)
EARLY_NS = 200_000_000
HANG_UP = getattr(select, "POLLRDHUP", select.POLLHUP)
STALE_NS = 2_000_000_000  # servers close idle connections at 5 s: one idle for more than 2 is not used again


class Connection(asyncio.Protocol):
    """A socket to the endpoint; at most one exchange at a time."""

    __slots__ = ("_poll", "connect_s", "exchange", "idle_since_ns", "lost", "lost_ns", "transport")

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.exchange: Exchange | None = None
        self.lost = False
        self.connect_s: float | None = None
        self.idle_since_ns = monotonic_ns()
        self.lost_ns: int | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; the socket already has TCP_NODELAY."""
        self.transport = transport  # type: ignore[assignment]  # always a Transport for a stream socket
        self._poll = select.poll()
        # Within TLS a session ticket may wait to be read; without it, what waits between answers is the end.
        plain = transport.get_extra_info("ssl_object") is None
        self._poll.register(transport.get_extra_info("socket").fileno(), HANG_UP | (select.POLLIN if plain else 0))

    def usable(self) -> bool:
        """Whether a request may still be sent on it: open, not idle for long, and no end waiting to be read."""
        return not (
            self.lost
            or self.transport is None
            or self.transport.is_closing()
            or monotonic_ns() - self.idle_since_ns > STALE_NS
            or self._poll.poll(0)
        )

    @property
    def closed_early(self) -> bool:
        """Whether the server closed it right after an answer: some do, although their head promises to keep it."""
        return self.lost_ns is not None and 0 <= self.lost_ns - self.idle_since_ns < EARLY_NS

    def send(self, exchange: Exchange) -> None:
        """Write a prepared request; the clock is read just before its first byte."""
        assert self.transport is not None
        self.exchange = exchange
        exchange.abandon = self.close
        exchange.distrust_connection = self.distrust
        exchange.sent_ns = monotonic_ns()
        self.transport.write(exchange.prepared.payload)

    def data_received(self, data: bytes) -> None:
        """Stamp the read. See the note at the top of this file: this is the path of every token."""
        exchange = self.exchange
        if exchange is None or exchange.mode is not CHUNKED:
            self.seldom_received(monotonic_ns(), data)
            return
        now = monotonic_ns()
        exchange.reads.append((now, data))
        exchange.bytes_seen += len(data)
        if data[-4:] == BLANK_LINE or len(data) < SHORT:
            self.near_the_end(now, data)

    def seldom_received(self, now: int, data: bytes) -> None:
        """The first read of an answer, an answer that is not chunked, or bytes that nobody asked for."""
        exchange = self.exchange
        if exchange is None:  # nothing on this connection can be trusted
            self.close()
            return
        exchange.reads.append((now, data))
        exchange.bytes_seen += len(data)
        if exchange.mode is not Mode.NEW or exchange.read_head() is not Mode.CHUNKED:
            self.not_chunked(exchange, now)
        elif exchange.bytes_seen > exchange.head_length and data[-4:] == BLANK_LINE:  # a head ends so, too
            self.near_the_end(now, data)

    def not_chunked(self, exchange: Exchange, now: int) -> None:
        """An answer of known length, one without an end of its own, or one that only a parser can follow."""
        mode = exchange.mode
        if mode is Mode.CLOSE or mode is Mode.NEW:
            return
        if exchange.bytes_seen >= exchange.length if mode is Mode.LENGTH else exchange.parse_now():
            self.release(now)

    def near_the_end(self, now: int, data: bytes) -> None:
        """A read that ends as a last chunk does; one that is too short to tell is looked at closer."""
        if data[-7:] == LAST_CHUNK or data == LAST_CHUNK[2:]:
            self.release(now)
        elif data[-6:-4] != BLANK_LINE[2:]:  # a chunk with a whole event of CRLF lines ends with one line end more
            self.look_closer(now)

    def look_closer(self, now: int) -> None:
        """A read that may be an unusual end (trailers, a cut last chunk): told by the bytes before it, too.

        Few bytes are parsed at once. Of many the last few kilobytes tell: to decode them all would hold the loop.
        """
        exchange = self.exchange
        assert exchange is not None
        tail = exchange.tail()
        if ends_chunked(tail) if len(tail) >= TAIL_BYTES else exchange.parse_now():
            self.release(now)

    def release(self, now: int) -> None:
        """The answer is complete: free the connection, then tell the exchange."""
        exchange = self.exchange
        assert exchange is not None
        self.exchange = None
        self.idle_since_ns = now
        if not exchange.keep_alive:
            self.close()
        exchange.end(now)

    def eof_received(self) -> bool:
        """The server closed its side: this connection takes no further request."""
        self._gone()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Whatever is in flight ends here; a clean end is the end of an answer without framing."""
        self._gone()
        exchange = self.exchange
        if exchange is not None:
            self.exchange = None
            exchange.lose(monotonic_ns(), exc)

    def distrust(self) -> None:
        """An answer before was not what it seemed: nobody can tell whose bytes come now."""
        exchange = self.exchange
        if exchange is not None:
            exchange.fail(FailureKind.MALFORMED, say("On its connection, the answer before it had not really ended."))
        self.close()
        if exchange is not None:
            exchange.end(monotonic_ns())

    def _gone(self) -> None:
        if not self.lost:
            self.lost_ns = monotonic_ns()
        self.lost = True

    def close(self) -> None:
        """Close at once; the server sees the connection go and can stop generating."""
        self.lost = True
        self.exchange = None
        if self.transport is not None:
            self.transport.abort()
