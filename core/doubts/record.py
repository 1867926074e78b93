"""Which numbers of one answer deserve doubt. Pure; looks at one answer, never at a run."""

from collections.abc import Sequence

SHORT_SHARE = 0.95
BUFFERED_CHUNKS = 8
BUFFERED_SHARE = 0.05


def is_short(tokens: int | None, demanded: int | None) -> bool:
    """Less than 95 % of a length, where both are known."""
    return tokens is not None and demanded is not None and tokens < SHORT_SHARE * demanded


def buffered(chunk_us: Sequence[int]) -> bool:
    """Many chunks all at once after a long wait: something on the way held the stream back."""
    if len(chunk_us) < BUFFERED_CHUNKS:
        return False
    return chunk_us[-1] - chunk_us[0] < BUFFERED_SHARE * chunk_us[0]
