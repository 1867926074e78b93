"""Doubts that a single answer raises by itself. Knows one record, no run."""

from core import metrics
from core.records import Outcome, RequestRecord, TokenSource

SHORT = 0.95  # of a demanded length
BUFFERED = 0.05  # of the TTFT: a whole answer that takes less was held back and let go at once
BUFFERED_CHUNKS = 8


def chunks_hold_tokens(record: RequestRecord) -> bool:
    """More tokens than chunks; one extra is the end token that is not shown."""
    return (
        record.streamed
        and record.output_tokens is not None
        and len(record.chunk_us) > 0
        and record.output_tokens - len(record.chunk_us) > 1
    )


def is_short(record: RequestRecord) -> bool:
    """Less than 95 % of the length asked for, where both are known."""
    asked, got = record.requested_output_tokens, record.output_tokens
    return asked is not None and got is not None and got < SHORT * asked


def is_buffered(record: RequestRecord) -> bool:
    """At least 8 chunks that all came within 5 % of the time to first token."""
    wait, span = metrics.ttft_s(record), metrics.decode_span_s(record)
    enough = len(record.chunk_us) >= BUFFERED_CHUNKS
    return enough and wait is not None and span is not None and span < BUFFERED * wait


def record_doubts(record: RequestRecord, *, fixed_length: bool = False) -> frozenset[str]:
    """The fixed words of what is doubtful about a successful answer; `fixed_length`: an exact length was demanded."""
    if record.outcome is not Outcome.OK:
        return frozenset()
    seen = {
        "chunks_not_tokens": chunks_hold_tokens(record),
        "token_count_unknown_or_estimated": record.token_source is not TokenSource.USAGE,
        "no_finish_reason": not record.finish_reason,
        "short_output": fixed_length and is_short(record),
        "buffered_stream": is_buffered(record),
        "not_streamed": not record.streamed,
    }
    return frozenset(word for word, true in seen.items() if true)
