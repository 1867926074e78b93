"""The requests on their way, whichever loop sends them: put on a connection, and told when they have ended."""

from collections.abc import Callable
from time import monotonic_ns

from core.loadgen.connection import Connection
from core.loadgen.exchange import Exchange
from core.loadgen.seen import Prepared
from core.records import Failure, FailureKind
from core.words import say


class Flight:
    """What is in flight now, and how much was sent."""

    def __init__(self, *, decode: Callable[[Exchange], None], keep_text: bool) -> None:
        """`decode` gets every exchange that has ended, sent or not."""
        self.exchanges: set[Exchange] = set()
        self.sent = self.most = 0
        self._decode = decode
        self._keep_text = keep_text
        self._cancelled = False

    def send(
        self,
        prepared: Prepared,
        connection: Connection | Failure,
        ended: Callable[[Exchange], None],
        *,
        scheduled_ns: int | None = None,
    ) -> None:
        """Send it; `ended` is called once, possibly before this returns."""

        def over(exchange: Exchange) -> None:
            self.exchanges.discard(exchange)
            self._decode(exchange)
            ended(exchange)

        exchange = Exchange(prepared, ended=over, keep_text=self._keep_text)
        exchange.scheduled_ns = scheduled_ns
        if isinstance(connection, Failure):
            exchange.failure = connection
            exchange.end(monotonic_ns())
        elif self._cancelled:
            exchange.fail(FailureKind.CANCELLED, say("Cancelled before it was sent."))
            exchange.end(monotonic_ns())
        else:
            self.exchanges.add(exchange)
            self.most = max(self.most, len(self.exchanges))
            self.sent += not prepared.warmup
            exchange.connect_s, connection.connect_s = connection.connect_s, None  # told once, by its first request
            connection.send(exchange)

    def leave_out(self, prepared: Prepared, scheduled_ns: int) -> None:
        """Keep a record of one that was due and will not be sent: what was offered is more than what was achieved."""
        exchange = Exchange(prepared, ended=self._decode, keep_text=self._keep_text)
        exchange.scheduled_ns = scheduled_ns
        exchange.fail(FailureKind.CANCELLED, say("Still waiting for its turn when the sending ended."))
        exchange.end(monotonic_ns())

    def cut(self, now_ns: int) -> None:
        """Cancel everything on its way: the server sees the connections go."""
        self._cancelled = True
        for exchange in list(self.exchanges):
            exchange.fail(FailureKind.CANCELLED, say("Cancelled."), now_ns=now_ns)
