"""One HTTP answer as its parser tells it: status, a few headers, a body that is decoded or kept. Knows no time of ours.

Fed while others wait to be read: an ordinary read costs a parse and a decode, and nothing is logged.
"""

from datetime import UTC, datetime

import httptools

from core.loadgen.head import Head
from core.records import Failure, FailureKind
from core.wire.errors import http_failure
from core.wire.openai import Answer, StreamDecoder
from core.wire.rate_limits import PREFIXES, told_limits
from core.wire.retry_after import http_date
from core.words import say

ERROR_BODY_BYTES = 262_144
KEPT_BODY_BYTES = 4_000_000  # of a page that was asked for: a long model list is near 1 MB


class Message:
    """Feed it reads as they came, then ask what they were.

    Attributes:
        complete: The framing says that the answer is whole; what follows belongs to nobody.
        fault: Why it is no valid HTTP, None as long as it is.
        status: 0 until a head came.
        keep_alive: Whether its connection is kept, as far as the head is known.
    """

    __slots__ = (
        "_asked", "_at_us", "_body", "_body_size", "_decoder", "_head", "_keep_body", "_keep_text", "_parser",
        "complete", "fault", "keep_alive", "status",
    )  # fmt: skip

    def __init__(self, *, keep_body: bool, keep_text: bool, asked: str = "") -> None:
        """`keep_body`: a success, too, is kept as it is instead of being decoded, and so are all headers.

        `asked` is the address that it answers at: a redirect leads somewhere from there.
        """
        self._asked = asked
        self._parser: httptools.HttpResponseParser | None = None
        self._keep_body, self._keep_text = keep_body, keep_text
        self._at_us = 0
        self._head = Head(keep_all=keep_body)
        self._decoder: StreamDecoder | None = None
        self._body: list[bytes] = []
        self._body_size = 0
        self.complete, self.keep_alive = False, True
        self.fault: str | None = None
        self.status = 0

    def feed(self, at_us: int, data: bytes) -> None:
        """Bytes of a read, and its time: microseconds after the request was sent."""
        self._at_us = at_us
        if self._parser is None:
            self._parser = httptools.HttpResponseParser(self)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self.fault = say("it leaves HTTP for another protocol")
        except httptools.HttpParserError as fault:
            self.fault = str(fault) or type(fault).__name__

    def end_with_connection(self) -> None:
        """An answer without framing is whole once its connection has ended cleanly."""
        if self.status and not self._head.framed:
            self.complete = True

    def release(self) -> None:
        """Let go of the parser, which refers back: collection is frozen, no cycle may stay."""
        self._parser = None

    # httptools calls these while it is fed.
    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep the few headers that matter."""
        if not self.complete:
            self._head.take(name, value)

    def on_headers_complete(self) -> None:
        """An answer of 2xx is decoded as a stream, everything else is kept for its sentence."""
        assert self._parser is not None
        if self.complete:  # something follows the answer: it is nobody's
            return
        self.status = self._parser.get_status_code()
        if 200 <= self.status < 300 and not self._keep_body and not self._head.compressed:
            self._decoder = StreamDecoder(status=self.status, content_type=self.content_type, keep_text=self._keep_text)
        self.keep_alive = self.keep_alive and self._parser.should_keep_alive()

    def on_body(self, body: bytes) -> None:
        """A piece of the body, with the time of the read that brought it."""
        if self.complete:
            return
        if self._decoder is not None:
            self._decoder.feed(self._at_us, body)
        elif self._body_size < (KEPT_BODY_BYTES if self._keep_body else ERROR_BODY_BYTES):
            self._body.append(body)
            self._body_size += len(body)

    def on_message_complete(self) -> None:
        """The framing says that the answer is whole."""
        if self.status >= 200:
            self.complete = True

    # -- what it was ----------------------------------------------------------------------------------------------

    @property
    def content_type(self) -> str:
        """Of the answer, "" if it did not say."""
        return self._head.value("content-type") or ""

    @property
    def server_name(self) -> str | None:
        """What the server calls itself."""
        return self._head.value("server")

    def limits(self) -> dict[str, int | float]:
        """What its head told of the endpoint's limits, empty if nothing."""
        found = {name: value for name, value in self._head.values().items() if name.startswith(PREFIXES)}
        return told_limits(found, http_date(self._head.value("date")) or datetime.now(UTC)) if found else {}

    def headers(self) -> dict[str, str]:
        """All headers where the body is kept, else the few that matter."""
        return self._head.values()

    def body(self) -> bytes:
        """The beginning of a body that was not decoded."""
        return b"".join(self._body)

    @property
    def chunks(self) -> int:
        """Output chunks decoded until now."""
        return len(self._decoder.chunk_us) if self._decoder is not None else 0

    @property
    def first_token_us(self) -> int | None:
        """Arrival of the first output chunk, if it is decoded by now."""
        return self._decoder.chunk_us[0] if self._decoder is not None and len(self._decoder.chunk_us) else None

    @property
    def broken(self) -> bool:
        """Whether its end was not the end of an answer: what comes next on its connection belongs to nobody."""
        return self.fault is not None or (self.status != 0 and not self.complete)

    def answer(self) -> Answer | None:
        """What a success said, once everything is fed."""
        return None if self._decoder is None else self._decoder.finish(complete=self.complete)

    def failure(self, answer: Answer | None) -> Failure | None:
        """Why this is no usable answer; None if it is one."""
        if self.fault is not None:
            words = say("The answer is not valid HTTP: {fault}.", fault=self.fault)
            return Failure(kind=FailureKind.MALFORMED, message=words)
        if answer is not None:
            return answer.failure
        if self.status == 0:
            words = say("The connection ended inside the answer's head.")
            return Failure(kind=FailureKind.CONNECTION_LOST, message=words)
        return self._refusal()

    def _refusal(self) -> Failure:
        head, compressed = self._head, self._head.compressed
        if compressed and 200 <= self.status < 300:
            words = say(
                "The answer is compressed ({encoding}) although that was not asked for: switch compression off in the "
                "server or its proxy. It holds tokens back.",
                encoding=compressed[:40],
            )
            return Failure(kind=FailureKind.MALFORMED, message=words, status=self.status)
        body = b"" if compressed else self.body()
        return http_failure(
            self.status,
            self.content_type,
            body,
            head.value("retry-after"),
            head.value("location"),
            asked=self._asked,
            answered_at=http_date(head.value("date")) or datetime.now(UTC),  # it is decoded soon after it came
        )
