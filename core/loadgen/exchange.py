"""One request on its way: what was sent, every read since, and how both become a record. Never touches a socket.

Reads are kept as they came and decoded later in slices; `parse_now` is for answers whose end only a parser can see.
"""

from collections.abc import Callable
from dataclasses import replace
from time import monotonic_ns

import httptools

from core.loadgen.framing import Mode, first_read
from core.loadgen.head import Head
from core.loadgen.seen import Prepared, Seen
from core.records import Failure, FailureKind, RequestRecord
from core.wire.errors import http_failure
from core.wire.openai import Answer, StreamDecoder
from core.words import say

ERROR_BODY_BYTES = 262_144
PIECE_BYTES = 4096  # decoded between two looks at the clock: about 50 us
READ_COST = 256  # what a read costs beside its bytes, in bytes


class Exchange:
    """A prepared request and what came back. `ended` is called once, when the last byte is there or never will be."""

    __slots__ = (
        "_body", "_body_size", "_complete", "_decoder", "_fault", "_head", "_keep_body", "_keep_text",
        "_last_decoded_ns", "_offset", "_position", "_status", "abandon", "answered_at_us", "bytes_decoded",
        "bytes_seen", "connect_s", "distrust_connection", "ended", "ended_ns", "failure", "head_length",
        "keep_alive", "length", "mode", "parser", "prepared", "queued", "reads", "refused", "sent_ns",
        "total_reads",
    )  # fmt: skip

    def __init__(
        self,
        prepared: Prepared,
        *,
        ended: Callable[["Exchange"], None],
        keep_body: bool = False,
        keep_text: bool = True,
    ) -> None:
        self.prepared, self.ended = prepared, ended
        self.abandon: Callable[[], None] | None = None
        self.distrust_connection: Callable[[], None] | None = None
        self.sent_ns = self.ended_ns = 0
        self.connect_s: float | None = None
        self.reads: list[tuple[int, bytes]] = []
        self.total_reads = 0
        self.bytes_seen = self.bytes_decoded = 0
        self.mode = Mode.NEW
        self.length = self.head_length = 0
        self.keep_alive, self.refused = True, False
        self.failure: Failure | None = None
        self.queued = False
        self.parser: httptools.HttpResponseParser | None = None
        self.answered_at_us: int | None = None
        self._position = self._offset = 0  # the read that is decoded next, and how far into it
        self._decoder: StreamDecoder | None = None
        self._status = 0
        self._head = Head()
        self._body: list[bytes] = []
        self._body_size = 0
        self._keep_body, self._keep_text = keep_body, keep_text
        self._complete = False
        self._fault: str | None = None
        self._last_decoded_ns: int | None = None

    # -- as bytes come ------------------------------------------------------------------------------------------

    def read_head(self, data: bytes) -> Mode:
        """Decide from the first read how the end will be recognised."""
        head = first_read(data)
        self.mode, self.head_length, self.length = head.mode, head.head_length, head.length
        self.keep_alive, self.refused = head.keep_alive, head.refused
        return head.mode

    @property
    def over(self) -> bool:
        """Whether what is decoded so far is a complete answer, or cannot become one."""
        return self._complete or self._fault is not None

    def parse_now(self) -> bool:
        """Decode everything that came; True once the answer is complete or cannot be one."""
        self.decode(None)
        return self.over

    def end(self, now_ns: int) -> None:
        """The last byte came at `now_ns`."""
        if not self.ended_ns:
            self.ended_ns = now_ns
            self.ended(self)

    def lose(self, now_ns: int, exc: Exception | None) -> None:
        """The connection ended under the request."""
        if self.ended_ns:
            return
        if not self.reads and not self.total_reads:
            reason = f" ({exc})" if exc else ""
            self.fail(FailureKind.CONNECTION_LOST, say("The server closed the connection without an answer.") + reason)
        elif self.mode is Mode.EAGER and exc is None:
            self.decode(None)
            if self._status and not self._head.framed:
                self._complete = True  # an answer without framing ends with its connection
        self.end(now_ns)

    @property
    def last_read_ns(self) -> int | None:
        """When something came last; None while nothing did."""
        return self.reads[-1][0] if self.reads else self._last_decoded_ns

    def end_late(self) -> None:
        """Its end was seen only by decoding it: something followed. What followed belongs to nobody."""
        abandon, self.abandon = self.abandon, None
        self.end(self.last_read_ns or self.sent_ns)
        if abandon is not None:
            abandon()

    def fail(self, kind: FailureKind, message: str, *, now_ns: int | None = None) -> None:
        """Give the request up for a reason of ours; what arrived is kept. Closes its connection."""
        if self.failure is None:
            self.failure = Failure(kind=kind, message=message)
        if now_ns is not None and not self.ended_ns:
            abandon, self.abandon = self.abandon, None
            self.end(now_ns)
            if abandon is not None:
                abandon()

    # -- later, in slices -----------------------------------------------------------------------------------------

    def decode(self, deadline_ns: int | None) -> bool:
        """Decode reads until none is left (True) or the clock passes `deadline_ns` (False).

        The clock is looked at every few reads or kilobytes: a large read is decoded in pieces, with its one time.
        """
        if self.parser is None:
            self.parser = httptools.HttpResponseParser(self)
        reads, position, fed = self.reads, self._position, 0
        while position < len(reads) and self._fault is None:
            at_ns, data = reads[position]
            self.answered_at_us = (at_ns - self.sent_ns) // 1000
            begin = self._offset
            if len(data) - begin > PIECE_BYTES:
                self._offset = begin + PIECE_BYTES
                data = data[begin : begin + PIECE_BYTES]
            else:
                data = data[begin:] if begin else data
                self._offset = 0
                position += 1
            self._feed(data)
            fed += len(data) + READ_COST
            if fed > PIECE_BYTES and deadline_ns is not None:
                fed = 0
                if position < len(reads) and monotonic_ns() > deadline_ns:
                    self._position = position
                    return False
        if reads:
            self._last_decoded_ns = reads[-1][0]
        self.total_reads += len(reads)
        self.bytes_decoded = self.bytes_seen
        self._position = self._offset = 0
        reads.clear()
        return True

    def leave_undecoded(self) -> None:
        """A cancelled run ends before everything that came is decoded; its record says so."""
        left = sum(len(data) for _, data in self.reads[self._position :]) - self._offset
        self.failure = self.failure or Failure(kind=FailureKind.CANCELLED, message=say("Cancelled."))
        words = say("{sentence} {left:,} bytes were left undecoded.", sentence=self.failure.message, left=left)
        self.failure = replace(self.failure, message=words)
        self.total_reads += len(self.reads)
        self._position = self._offset = 0
        self.reads.clear()

    def _feed(self, data: bytes) -> None:
        assert self.parser is not None
        try:
            self.parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as fault:
            self._fault = str(fault) or type(fault).__name__

    # httptools calls these while it is fed.
    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep the few headers that matter."""
        if not self._complete:
            self._head.take(name, value)

    def on_headers_complete(self) -> None:
        """An answer of 2xx is decoded as a stream, everything else is kept for its sentence."""
        assert self.parser is not None
        if self._complete:  # something follows the answer: it is nobody's
            return
        self._status = self.parser.get_status_code()
        if 200 <= self._status < 300 and not self._keep_body:
            self._decoder = StreamDecoder(
                status=self._status, content_type=self.content_type, keep_text=self._keep_text
            )
        self.keep_alive = self.keep_alive and self.parser.should_keep_alive()

    def on_body(self, body: bytes) -> None:
        """A piece of the body, with the time of the read that brought it."""
        if self._complete:
            return
        if self._decoder is not None:
            assert self.answered_at_us is not None
            self._decoder.feed(self.answered_at_us, body)
        elif self._body_size < ERROR_BODY_BYTES:
            self._body.append(body)
            self._body_size += len(body)

    def on_message_complete(self) -> None:
        """The framing says that the answer is whole."""
        if self._status >= 200:
            self._complete = True

    # -- the record -----------------------------------------------------------------------------------------------

    @property
    def content_type(self) -> str:
        """Of the answer, "" if it did not say."""
        return self._head.value("content-type") or ""

    @property
    def server_name(self) -> str | None:
        """What the server calls itself."""
        return self._head.value("server")

    @property
    def status(self) -> int:
        """HTTP status, 0 if no head came."""
        return self._status

    def error_body(self) -> bytes:
        """The body of an answer that is no stream."""
        return b"".join(self._body)

    @property
    def chunks_so_far(self) -> int:
        """Output chunks decoded until now."""
        return len(self._decoder.chunk_us) if self._decoder is not None else 0

    @property
    def first_token_us(self) -> int | None:
        """Arrival of the first output chunk, if it is decoded by now."""
        return self._decoder.chunk_us[0] if self._decoder is not None and len(self._decoder.chunk_us) else None

    def record(self, started_ns: int, *, keep_text: bool) -> RequestRecord:
        """What was seen, once everything is decoded. Times count from `started_ns`."""
        answer: Answer | None = None
        if self._decoder is not None:
            answer = self._decoder.finish(complete=self._complete)
        seen = Seen(
            prepared=self.prepared,
            started_ns=started_ns,
            sent_ns=self.sent_ns,
            ended_ns=self.ended_ns,
            connect_s=self.connect_s,
            reads=self.total_reads,
            answer=answer,
            failure=self.failure or self._failure(answer),
        )
        return seen.record(keep_text=keep_text)

    @property
    def faulty(self) -> bool:
        """Whether the parser gave up on it."""
        return self._fault is not None

    @property
    def broken(self) -> bool:
        """Whether its end was not the end of an answer: what comes next on its connection belongs to nobody."""
        return self._fault is not None or (self._status != 0 and not self._complete)

    def release(self) -> None:
        """Let go of what refers back to it: the parser and the connection. Collection is frozen, no cycle may stay."""
        self.parser = self.abandon = self.distrust_connection = None

    def distrust(self) -> None:
        """Give up the connection that brought it, and whatever is on its way there."""
        if self.distrust_connection is not None:
            self.distrust_connection()

    def _failure(self, answer: Answer | None) -> Failure | None:
        if self._fault is not None:
            return Failure(
                kind=FailureKind.MALFORMED, message=say("The answer is not valid HTTP: {fault}.", fault=self._fault)
            )
        if answer is not None and answer.failure is not None:
            return answer.failure
        if self._status == 0:
            return Failure(
                kind=FailureKind.CONNECTION_LOST, message=say("The connection ended inside the answer's head.")
            )
        if answer is None:
            head = self._head
            return http_failure(
                self._status, self.content_type, self.error_body(), head.value("retry-after"), head.value("location")
            )
        return None
