"""What was seen of one request, and nothing derived from it. Never computes a metric, never opens a socket.

Times are float seconds from the run's start on the monotonic clock; a span (`connect_s`) is a difference.
`None` means not observed and is never 0.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Outcome(StrEnum):
    """How a request ended; the words of the run file's `counts`."""

    OK = "ok"
    FAILED = "failed"
    EMPTY = "empty"
    CANCELLED = "cancelled"
    INCOMPLETE = "incomplete"


COUNTED = (Outcome.OK, Outcome.FAILED, Outcome.EMPTY)  # what shares are of: the others say nothing of the server


class TokenSource(StrEnum):
    """Where a token count comes from: the server, a tokenizer, or nowhere. No run of our own counts by a tokenizer."""

    USAGE = "usage"
    TOKENIZER = "tokenizer"
    NONE = "none"


class FailureKind(StrEnum):
    """Why a request has no usable answer. `EMPTY` and `CANCELLED` are counted apart from failures."""

    REFUSED = "refused"
    DNS = "dns"
    TLS = "tls"
    CONNECT_TIMEOUT = "connect_timeout"
    FIRST_BYTE_TIMEOUT = "first_byte_timeout"
    IDLE_TIMEOUT = "idle_timeout"
    TOTAL_TIMEOUT = "total_timeout"
    CONNECTION_LOST = "connection_lost"
    HTTP_401 = "http_401"
    HTTP_403 = "http_403"
    HTTP_404 = "http_404"
    HTTP_429 = "http_429"
    HTTP_4XX = "http_4xx"
    HTTP_5XX = "http_5xx"
    CONTEXT_OVERFLOW = "context_overflow"
    OUT_OF_MEMORY = "out_of_memory"
    STREAM_ERROR = "stream_error"
    MALFORMED = "malformed"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    CANCELLED = "cancelled"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a request failed.

    Attributes:
        message: The server's own sentence where it sent one, else ours. Hostile text: escape it where it is shown.
        status: HTTP status, None if no answer came.
        retry_after_s: Seconds the server asked to wait (429, 503), None if it did not say.
    """

    kind: FailureKind
    message: str
    status: int | None = None
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTimes:
    """Phase times that the server itself reported, in seconds."""

    prefill_s: float | None = None
    decode_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRecord:
    """Everything observed of one request.

    Attributes:
        request_id: The unique value of its X-Request-Id header.
        index: 0-based place in its run, warm-up requests counted apart from measured ones.
        scheduled_s: When the load shape says it should leave; open loop only.
        sent_s: Clock read just before its first byte was written; None if it was never sent.
        first_token_s: Arrival of the first chunk with output in any channel; streamed answers only.
        first_answer_s: Arrival of the first chunk of answer text; streamed answers only.
        last_token_s: Arrival of the last chunk with output; for a non-streamed answer the end of the body.
        ended_s: Arrival of the last byte, or the moment of failure.
        connect_s: TCP and TLS set-up, where the connection was opened for this request.
        input_tokens: Of the prompt, as the server counted; `requested_input_tokens` is what was to be asked.
        sent_input_tokens: Of the prompt, the template's included, by what the server's own tokenizer said before the
            run; None where it did not tell.
        streamed: False if the answer came as one JSON body: TTFT, TPOT and gaps then do not exist.
        reads: Socket reads that brought the answer.
        chunk_us: Arrival of each output chunk, integer microseconds after `sent_s`, ascending.
        text: Answer text, thinking text before it in `reasoning_text`.
    """

    request_id: str
    index: int
    worker: int = 0
    warmup: bool = False
    conversation: int | None = None
    turn: int | None = None
    scheduled_s: float | None = None
    sent_s: float | None = None
    first_token_s: float | None = None
    first_answer_s: float | None = None
    last_token_s: float | None = None
    ended_s: float | None = None
    connect_s: float | None = None
    input_tokens: int | None = None
    requested_input_tokens: int | None = None
    sent_input_tokens: int | None = None
    output_tokens: int | None = None
    requested_output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    token_source: TokenSource = TokenSource.NONE
    finish_reason: str | None = None
    failure: Failure | None = None
    server: ServerTimes | None = None
    streamed: bool = True
    reads: int = 0
    chunk_us: Sequence[int] = field(default_factory=lambda: array("i"))
    text: str | None = None
    reasoning_text: str | None = None

    @property
    def outcome(self) -> Outcome:
        """Which of the counts this request belongs to."""
        if self.failure is None:
            return Outcome.OK
        apart = {
            FailureKind.EMPTY: Outcome.EMPTY,
            FailureKind.CANCELLED: Outcome.CANCELLED,
            FailureKind.INCOMPLETE: Outcome.INCOMPLETE,
        }
        return apart.get(self.failure.kind, Outcome.FAILED)
