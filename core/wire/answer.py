"""What one answer said, once its bytes are read. Holds values only."""

from array import array
from dataclasses import dataclass

from core.records import Failure, ServerTimes, TokenSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The meaning of one answer. Times are microseconds after the request was sent; event indexes count from 0.

    Attributes:
        text: Answer text; of several choices one after the other. Texts together have at most 4,000,000 characters:
            one that was cut ends with an ellipsis.
        tool_calls: {"name", "arguments"} each.
        finish_reason: The last non-empty one.
        data_events: Dispatched events with data, `[DONE]` included.
        first_token_event: The first event with output in any channel; `first_content_event` with answer text.
        first_counted_event: The first event with a token count above 0, if counts ran along with the output.
        output_chunks: Events with output. Never a number of tokens.
        chunk_us: Their arrivals.
        last_token_us: Arrival of the last chunk with output; not streamed: of the last byte of the body.
        token_source: USAGE if the server counted the output tokens, else NONE.
        usage_place: Where the counts stood.
        streamed: False if the answer came as one JSON body: it has no chunks and no first token.
        error_message: The server's own sentence, if it sent an error.
    """

    text: str
    reasoning_text: str
    tool_calls: list[dict[str, str]]
    finish_reason: str | None
    done_seen: bool
    data_events: int
    first_token_event: int | None
    first_content_event: int | None
    first_counted_event: int | None
    last_token_event: int | None
    output_chunks: int
    chunk_us: "array[int]"
    first_answer_us: int | None
    last_token_us: int | None
    input_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cached_tokens: int | None
    token_source: TokenSource
    usage_place: str | None
    server: ServerTimes | None
    failure: Failure | None
    streamed: bool
    model: str | None
    error_message: str | None
