"""The bytes of one OpenAI-style answer -> its Answer: streams, JSON and error bodies. Never reads a clock or a socket.

It runs in the measuring process between two reads: an ordinary chunk is cheap, and no reference cycle is built.
"""

from array import array
from datetime import datetime
from typing import Any

from orjson import JSONDecodeError, loads

from core.records import Failure, FailureKind, TokenSource
from core.wire.answer import Answer
from core.wire.body import MAX_BODY, Body, kind_of_body
from core.wire.chunk import read_odd_json
from core.wire.errors import clean, http_failure, says_error
from core.wire.likeness import Likeness
from core.wire.reading import ANSWER, Reading
from core.wire.request import path, request_body
from core.wire.sse import SseEvent, SseParser
from core.words import say

__all__ = ("Answer", "StreamDecoder", "path", "request_body")

MAX_US = 2**31 - 1  # a chunk time is a C int
EXCERPT = 200


class StreamDecoder:
    """Feed it body bytes as they came, then `finish`. What it finds is the same for any cut of the bytes.

    With `keep_text` False the answer's texts are "" and all else is the same: nothing grows with its length but times.

    Attributes:
        chunk_us: Arrivals of the output chunks decoded so far.
    """

    __slots__ = (
        "_answered_at", "_at_us", "_body", "_closing", "_content_type", "_done", "_events", "_first_answer_us",
        "_first_content_event", "_first_token_event", "_last_token_event", "_likeness", "_malformed",
        "_reading", "_retry_after", "_sse", "_status", "chunk_us",
    )  # fmt: skip

    def __init__(
        self,
        *,
        status: int,
        content_type: str,
        retry_after: str | None = None,
        answered_at: datetime | None = None,
        keep_text: bool = True,
    ) -> None:
        self._status = status
        self._content_type = content_type
        self._retry_after, self._answered_at = retry_after, answered_at
        self._sse: SseParser | None = None  # until the first byte says that it is a stream
        self._body = bytearray()
        self._at_us: int | None = None  # of the last read
        self._reading = Reading(keep_text=keep_text)
        self._likeness = Likeness()
        self._events = 0
        self._first_token_event: int | None = None
        self._first_content_event: int | None = None
        self._last_token_event: int | None = None
        self._first_answer_us: int | None = None
        self._done = False
        self._closing = False
        self._malformed: str | None = None
        self.chunk_us = array("i")

    def feed(self, at_us: int, data: bytes) -> None:
        """Body bytes that came in one read, `at_us` after the request was sent."""
        self._at_us = at_us
        sse = self._sse
        if sse is None:
            self._keep(at_us, data)
            return
        payloads = sse.plain(data)
        if payloads is not None:
            for payload in payloads:
                text = self._likeness.text(payload)
                if text is None:
                    self._event(at_us, payload)
                else:
                    self._reading.text.write(text)
                    self._place(at_us, ANSWER)
            return
        for event in sse.feed(data):
            self._named(at_us, event)

    def finish(self, *, complete: bool) -> Answer:
        """The end. Not `complete`: the transport ended before its framing said so.

        A stream with `[DONE]` or a finish_reason is whole even then: everything that is timed had come.
        """
        if self._sse is not None:
            self._closing = True
            for event in self._sse.close():
                self._named(self._at_us or 0, event)  # its bytes came with the last read, whenever the end was seen
            return self._answer(self._stream_failure())
        if not 200 <= self._status < 300:
            failure = http_failure(
                self._status, self._content_type, bytes(self._body), self._retry_after, answered_at=self._answered_at
            )
            self._reading.error = failure.message
            return self._answer(failure)
        kind = kind_of_body(self._body, self._content_type)
        failure_of = self._json_failure if kind is Body.JSON else self._other_failure
        return self._answer(failure_of(complete=complete), streamed=kind is not Body.JSON)

    # -- one event ----------------------------------------------------------------------------------------------------

    def _event(self, at_us: int, payload: bytes) -> None:
        try:
            found = loads(payload)
        except JSONDecodeError:
            self._no_json(at_us, payload)
        else:
            brought = self._count(at_us, found)
            if brought == ANSWER and self._likeness.tries:
                self._likeness.learn(payload, found)

    def _count(self, at_us: int, found: Any) -> int:
        brought = self._reading.take(found, self._events) if type(found) is dict else 0
        self._place(at_us, brought)
        return brought

    def _place(self, at_us: int, brought: int) -> None:
        """One more event, and what it brought."""
        index = self._events
        self._events = index + 1
        if brought:
            chunk_us = self.chunk_us
            if not chunk_us:
                self._first_token_event = index
            chunk_us.append(min(at_us, MAX_US))
            self._last_token_event = index
            if brought == ANSWER and self._first_content_event is None:
                self._first_content_event = index
                self._first_answer_us = at_us

    def _named(self, at_us: int, event: SseEvent) -> None:
        if event.cut:
            self._malform("An event is larger than 16 MB: {beginning}", event.data)
        elif event.event == "error":
            self._events += 1
            try:
                self._reading.fail(loads(event.data))
            except JSONDecodeError:
                self._reading.fail(event.data.decode("utf-8", "replace"))
        else:
            self._event(at_us, event.data)

    def _no_json(self, at_us: int, payload: bytes) -> None:
        payload = payload.strip()
        if not payload:
            return  # a heartbeat
        if payload == b"[DONE]":
            self._events += 1
            self._done = True
            return
        try:
            found = read_odd_json(payload)
        except ValueError:
            if not self._closing:  # what the end of a stream cuts off is no event
                self._malform("An event is no JSON: {beginning}", payload)
            return
        self._count(at_us, found)

    def _malform(self, message: str, data: bytes) -> None:
        self._events += 1
        if self._malformed is None:
            self._malformed = say(message, beginning=_excerpt(data))

    # -- bodies that are no stream, or not yet known to be one --------------------------------------------------------

    def _keep(self, at_us: int, data: bytes) -> None:
        self._body += data[: MAX_BODY + 1 - len(self._body)]
        if 200 <= self._status < 300 and kind_of_body(self._body, self._content_type) is Body.STREAM:
            self._sse = SseParser()
            begin, self._body = bytes(self._body), bytearray()
            self.feed(at_us, begin)

    def _json_failure(self, *, complete: bool) -> Failure | None:
        """Read the body as one completion."""
        try:
            found = loads(self._body) if len(self._body) <= MAX_BODY else None
        except JSONDecodeError as fault:
            if not complete or fault.pos >= len(fault.doc):
                return self._failure(FailureKind.TRUNCATED, say("The answer's body ended inside its JSON."))
            found = None
        if not isinstance(found, dict) or not (isinstance(found.get("choices"), list) or says_error(found)):
            message = say("The answer's body is no completion: {beginning}", beginning=_excerpt(self._body))
            return self._failure(FailureKind.MALFORMED, message)
        brought = self._reading.take(_as_chunk(found), 0)
        return self._told_failure() or (None if brought else self._empty())

    def _other_failure(self, *, complete: bool) -> Failure:
        if not self._body.strip():
            ended = (
                say("The answer has no body.") if complete else say("The connection ended before the answer's body.")
            )
            return self._failure(FailureKind.TRUNCATED, ended)
        message = say(
            "The answer is neither an event stream nor JSON ({content_type}): {beginning}",
            content_type=clean(self._content_type)[:EXCERPT],
            beginning=_excerpt(self._body),
        )
        return self._failure(FailureKind.MALFORMED, message)

    # -- the end ------------------------------------------------------------------------------------------------------

    def _stream_failure(self) -> Failure | None:
        told = self._told_failure()
        if told is not None:
            return told
        if self._malformed is not None:
            return self._failure(FailureKind.MALFORMED, self._malformed)
        if not self._done and self._reading.finish_reason is None:
            return self._failure(
                FailureKind.TRUNCATED, say("The stream ended without [DONE] and without a finish_reason.")
            )
        return None if self.chunk_us else self._empty()

    def _told_failure(self) -> Failure | None:
        """An error that the server told inside its 200."""
        if self._reading.error is not None:
            return self._failure(FailureKind.STREAM_ERROR, self._reading.error)
        if self._reading.finish_reason == "error":
            return self._failure(FailureKind.STREAM_ERROR, say("The server ended the answer with finish_reason error."))
        return None

    def _empty(self) -> Failure:
        return self._failure(FailureKind.EMPTY, say("The answer ended without any output."))

    def _failure(self, kind: FailureKind, message: str) -> Failure:
        return Failure(kind=kind, message=message, status=self._status)

    def _answer(self, failure: Failure | None, *, streamed: bool = True) -> Answer:
        reading = self._reading
        counts, place = reading.counts()
        last_us = self.chunk_us[-1] if self.chunk_us else None
        last_event = self._last_token_event
        ran_along = reading.counted_at is not None and last_event is not None and reading.counted_at <= last_event
        return Answer(
            text=reading.answer_text(),
            reasoning_text=reading.thinking_text(),
            tool_calls=reading.tools.joined() if reading.tools is not None else [],
            finish_reason=reading.finish_reason,
            done_seen=self._done,
            data_events=self._events,
            first_token_event=self._first_token_event,
            first_content_event=self._first_content_event,
            first_counted_event=reading.counted_at if ran_along else None,
            last_token_event=last_event,
            output_chunks=len(self.chunk_us),
            chunk_us=self.chunk_us,
            first_answer_us=self._first_answer_us,
            last_token_us=last_us if streamed else self._at_us,
            input_tokens=counts.input,
            output_tokens=counts.output,
            reasoning_tokens=counts.reasoning,
            cached_tokens=counts.cached,
            token_source=TokenSource.USAGE if place else TokenSource.NONE,
            usage_place=place,
            server=reading.server,
            failure=failure,
            streamed=streamed,
            model=reading.model,
            error_message=reading.error,
        )


def _as_chunk(found: dict[str, Any]) -> dict[str, Any]:
    """A whole completion in the shape of a chunk: what a message holds, a delta would."""
    choices = found.get("choices")
    if not isinstance(choices, list):
        return found
    turned = [
        {**choice, "delta": choice["message"]} if isinstance(choice, dict) and "message" in choice else choice
        for choice in choices
    ]
    return {**found, "choices": turned}


def _excerpt(data: bytes | bytearray) -> str:
    return clean(bytes(data[: 4 * EXCERPT]).decode("utf-8", "replace"))[:EXCERPT]
