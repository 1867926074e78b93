"""One request on its way: what was sent, every read since, and how both become a record. Never touches a socket.

Reads are kept as they came and decoded later in slices; `parse_now` is for answers whose end only a parser can see.
"""

from collections.abc import Callable
from dataclasses import replace
from time import monotonic_ns

from core.loadgen.framing import Mode, first_read
from core.loadgen.message import Message
from core.loadgen.seen import Prepared, Seen
from core.records import Failure, FailureKind, RequestRecord
from core.words import say

PIECE_BYTES = 4096  # decoded between two looks at the clock: about 50 us
TAIL_BYTES, TAIL_READS = 4096, 256  # looked at for an unusual end: what is shorter costs less to decode at once
READ_COST = 256  # what a read costs beside its bytes, in bytes


class Exchange:
    """A prepared request and what came back. `ended` is called once, when the last byte is there or never will be."""

    __slots__ = (
        "_closed_cleanly", "_last_decoded_ns", "_offset", "_promised", "abandon", "bytes_decoded",
        "bytes_seen", "connect_s", "distrust_connection", "ended", "ended_ns", "failure", "head_length", "length",
        "message", "mode", "prepared", "queued", "reads", "refused", "scheduled_ns", "sent_ns", "total_reads",
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
        self.scheduled_ns: int | None = None
        self.connect_s: float | None = None
        self.reads: list[tuple[int, bytes]] = []
        self.total_reads = 0
        self.bytes_seen = self.bytes_decoded = 0
        self.mode = Mode.NEW
        self.length = self.head_length = 0
        self.refused, self._promised = False, True
        self.failure: Failure | None = None
        self.queued = False
        self.message = Message(keep_body=keep_body, keep_text=keep_text, asked=prepared.url)
        self._offset = 0  # how far into the first of the reads all is decoded
        self._last_decoded_ns: int | None = None
        self._closed_cleanly = False

    # -- as bytes come ------------------------------------------------------------------------------------------

    def read_head(self) -> Mode:
        """Decide from the reads until now how the end will be recognised."""
        reads = self.reads
        head = first_read(reads[0][1] if len(reads) == 1 else b"".join(data for _, data in reads))
        self.mode, self.head_length, self.length = head.mode, head.head_length, head.length
        self._promised, self.refused = head.keep_alive, head.refused
        return head.mode

    def tail(self) -> bytes:
        """The last few kilobytes; fewer where fewer are held."""
        found: list[bytes] = []
        size = 0
        for _, data in reversed(self.reads):
            found.append(data[size - TAIL_BYTES :])
            size += len(found[-1])
            if size >= TAIL_BYTES or len(found) >= TAIL_READS:
                break
        return b"".join(reversed(found))

    @property
    def over(self) -> bool:
        """Whether what is decoded so far is a complete answer, or cannot become one."""
        return self.message.complete or self.message.fault is not None

    @property
    def keep_alive(self) -> bool:
        """Whether its connection may take the next request, by what is known of it yet."""
        return self._promised and self.message.keep_alive and self.message.fault is None

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
        self._closed_cleanly = exc is None
        self.end(now_ns)

    @property
    def undecoded(self) -> int:
        """Bytes held in memory since everything was decoded last."""
        return self.bytes_seen - self.bytes_decoded

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
        Each slice lets go of its own reads: to free those of a long answer all at once takes longer than a slice.
        """
        message = self.message
        reads, position, fed = self.reads, 0, 0
        while position < len(reads) and message.fault is None:
            at_ns, data = reads[position]
            begin = self._offset
            if len(data) - begin > PIECE_BYTES:
                self._offset = begin + PIECE_BYTES
                data = data[begin : begin + PIECE_BYTES]
            else:
                data = data[begin:] if begin else data
                self._offset = 0
                position += 1
            message.feed((at_ns - self.sent_ns) // 1000, data)
            fed += len(data) + READ_COST
            if fed > PIECE_BYTES and deadline_ns is not None:
                fed = 0
                if position < len(reads) and monotonic_ns() > deadline_ns:
                    self.total_reads += position
                    del reads[:position]
                    return False
        if reads:
            self._last_decoded_ns = reads[-1][0]
        self.total_reads += len(reads)
        self.bytes_decoded = self.bytes_seen
        self._offset = 0
        reads.clear()
        return True

    def leave_undecoded(self) -> None:
        """Drop what came and is not decoded; its record says so. There is no time for it, or no room."""
        left = sum(len(data) for _, data in self.reads) - self._offset
        self.failure = self.failure or Failure(kind=FailureKind.CANCELLED, message=say("Cancelled."))
        words = say("{sentence} {left:,} bytes were left undecoded.", sentence=self.failure.message, left=left)
        self.failure = replace(self.failure, message=words)
        self.total_reads += len(self.reads)
        self.bytes_decoded = self.bytes_seen
        self._offset = 0
        self.reads.clear()

    # -- the record -----------------------------------------------------------------------------------------------

    def record(self, started_ns: int, *, keep_text: bool) -> RequestRecord:
        """What was seen, once everything is decoded. Times count from `started_ns`."""
        if self._closed_cleanly:
            self.message.end_with_connection()
        answer = self.message.answer()
        seen = Seen(
            prepared=self.prepared,
            started_ns=started_ns,
            scheduled_ns=self.scheduled_ns,
            sent_ns=self.sent_ns,
            ended_ns=self.ended_ns,
            connect_s=self.connect_s,
            reads=self.total_reads,
            answer=answer,
            failure=self.failure or self.message.failure(answer),
        )
        return seen.record(keep_text=keep_text)

    def release(self) -> None:
        """Let go of what refers back to it. Collection is frozen, no cycle may stay."""
        self.message.release()
        self.abandon = self.distrust_connection = None

    def distrust(self) -> None:
        """Give up the connection that brought it, and whatever is on its way there."""
        if self.distrust_connection is not None:
            self.distrust_connection()
