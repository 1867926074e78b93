"""Which numbers of one answer deserve doubt. Pure; looks at one answer, never at a run."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from core.records import Failure, TokenSource

SHORT_SHARE = 0.95
BUFFERED_CHUNKS = 8
BUFFERED_SHARE = 0.05


class Doubt(StrEnum):
    """The warnings that a single answer can raise."""

    CHUNKS_NOT_TOKENS = "chunks_not_tokens"
    TOKEN_COUNT_UNKNOWN = "token_count_unknown_or_estimated"  # noqa: S105 -- tokens of text
    NO_FINISH_REASON = "no_finish_reason"
    SHORT_OUTPUT = "short_output"
    BUFFERED_STREAM = "buffered_stream"
    NOT_STREAMED = "not_streamed"


class Answered(Protocol):
    """What an Answer and a RequestRecord have in common."""

    @property
    def failure(self) -> Failure | None: ...
    @property
    def streamed(self) -> bool: ...
    @property
    def output_tokens(self) -> int | None: ...
    @property
    def token_source(self) -> TokenSource: ...
    @property
    def finish_reason(self) -> str | None: ...
    @property
    def chunk_us(self) -> Sequence[int]: ...


def request_warnings(
    answer: Answered, *, demanded_tokens: int | None = None, stream_asked: bool = True
) -> frozenset[Doubt]:
    """The doubts about one answer. A failed or empty one has no number to doubt.

    `demanded_tokens`: the length that was demanded whatever the model wanted (ignore_eos, min_tokens).
    """
    if answer.failure is not None:
        return frozenset()
    raised = {
        Doubt.CHUNKS_NOT_TOKENS: chunks_hide_tokens(answer),
        Doubt.TOKEN_COUNT_UNKNOWN: answer.token_source is not TokenSource.USAGE,
        Doubt.NO_FINISH_REASON: not answer.finish_reason,
        Doubt.SHORT_OUTPUT: is_short(answer.output_tokens, demanded_tokens),
        Doubt.BUFFERED_STREAM: buffered(answer.chunk_us),
        Doubt.NOT_STREAMED: stream_asked and not answer.streamed,
    }
    return frozenset(doubt for doubt, raise_it in raised.items() if raise_it)


def chunks_hide_tokens(answer: Answered) -> bool:
    """More tokens than chunks; one extra is the end token that no chunk carries. Records of others may lack chunks."""
    chunks = len(answer.chunk_us)
    return answer.streamed and answer.output_tokens is not None and 0 < chunks < answer.output_tokens - 1


def is_short(tokens: int | None, demanded: int | None) -> bool:
    """Less than 95 % of a length, where both are known."""
    return tokens is not None and demanded is not None and tokens < SHORT_SHARE * demanded


def buffered(chunk_us: Sequence[int]) -> bool:
    """Many chunks all at once after a long wait: something on the way held the stream back."""
    if len(chunk_us) < BUFFERED_CHUNKS:
        return False
    return chunk_us[-1] - chunk_us[0] < BUFFERED_SHARE * chunk_us[0]
