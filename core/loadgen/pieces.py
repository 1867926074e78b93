"""Texts of a wanted length, put together from pieces whose lengths are known. Knows no server and no tokenizer.

Lengths of pieces add up where a tokenizer never joins the end of one with the begin of the next: words with the blank
before them, phrases that end in a full stop, lines of code. Who measures pieces says whether theirs do.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

DRAWN, SPARE = 500, 5000  # a longer text is a random part of one long one, as drawing each piece would hold the loop
ROUNDS = 3  # the last so many pieces are chosen so that the sum comes out


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of text, and how many tokens it adds to a text that it is appended to."""

    text: str
    tokens: int


class Pieces:
    """Makes texts out of pieces of one language."""

    def __init__(self, pieces: Sequence[Piece], *, seed: int = 0) -> None:
        assert pieces
        assert all(piece.tokens > 0 for piece in pieces)
        self._pieces = tuple(pieces)
        self._by_size: dict[int, list[str]] = {}
        for piece in pieces:
            self._by_size.setdefault(piece.tokens, []).append(piece.text)
        self._sizes = sorted(self._by_size)
        self._mean = sum(piece.tokens for piece in pieces) / len(pieces)
        self._fills = _reachable(self._sizes, ROUNDS * self._sizes[-1] + self._sizes[-1])
        self._seed = seed
        self._long: list[Piece] = []
        self._ends: list[int] = []

    def text(self, tokens: int, chosen: Random) -> tuple[str, int]:
        """A random text of `tokens` tokens, and its length: a little less where no pieces add up to it."""
        drawn, left = self._bulk(tokens - ROUNDS * self._sizes[-1], chosen)
        left += min(tokens, ROUNDS * self._sizes[-1])
        while left > 0:
            fitting = [size for size in self._sizes if size <= left and self._fills_up(left - size)]
            if not fitting:
                if (less := self._best_below(left)) <= 0:
                    break
                left, tokens = less, tokens - (left - less)
                continue
            size = chosen.choice(fitting)
            drawn.append(chosen.choice(self._by_size[size]))
            left -= size
        return joined(drawn), tokens - left

    def _bulk(self, tokens: int, chosen: Random) -> tuple[list[str], int]:
        """Pieces of at most so many tokens in all, and how many are left."""
        if tokens <= 0:
            return [], 0
        count = int(tokens / self._mean) + 1
        if count <= DRAWN:
            pieces = chosen.choices(self._pieces, k=count)
            ends, begin, before = list(accumulate(piece.tokens for piece in pieces)), 0, 0
        else:
            self._lengthen(count)
            pieces, ends = self._long, self._ends
            begin = chosen.randrange(SPARE)
            before = ends[begin - 1] if begin else 0
        end = bisect_right(ends, before + tokens)
        taken = (ends[end - 1] if end > begin else before) - before
        return [piece.text for piece in pieces[begin:end]], tokens - taken

    def _lengthen(self, count: int) -> None:
        wanted = 2 * count + 2 * SPARE
        if len(self._long) < wanted:
            self._long = Random(self._seed).choices(self._pieces, k=wanted)  # noqa: S311 -- words, not secrets
            self._ends = list(accumulate(piece.tokens for piece in self._long))

    def _fills_up(self, tokens: int) -> bool:
        return tokens >= len(self._fills) or self._fills[tokens]

    def _best_below(self, left: int) -> int:
        return next((size for size in range(min(left, len(self._fills) - 1), 0, -1) if self._fills[size]), 0)


def joined(texts: Sequence[str]) -> str:
    """Pieces one after the other, words with a blank before them last: a line that follows one would grow onto it."""
    return "".join(sorted(texts, key=lambda text: text.startswith(" ")))


def separator(texts: Iterable[str]) -> str:
    """What has to stand between a word and the first of these pieces: a line's end, unless all bring a blank along."""
    return "" if all(text[:1].isspace() for text in texts) else "\n"


def _reachable(sizes: Sequence[int], most: int) -> list[bool]:
    """Which lengths up to `most` are sums of these sizes; 0 is one."""
    found = [True] + [False] * most
    for total in range(1, most + 1):
        found[total] = any(size <= total and found[total - size] for size in sizes)
    return found
