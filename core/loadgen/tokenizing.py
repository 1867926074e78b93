"""How many tokens texts have, by the server's own `/tokenize`. Asked before a run; all of it is bounded in time.

Where a server has none, or says something else than a count, nothing is known and nothing is guessed here.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import orjson

from core.loadgen.lookup import Lookup
from core.loadgen.pieces import Piece, joined, separator
from core.probing.page import Page

PATH = "/tokenize"
WITHIN_S = 4.0  # for the pieces of one kind; what is not known by then stays unknown
AT_ONCE = 4
MANY = 1.5  # tokens a text, above which few of them can be single ones
LEAD = "and so"  # what stands before pieces while they are counted: the first of a text may be cut otherwise


class Counting(ABC):
    """Counts tokens of texts for one model, and finds the lengths of pieces with few questions."""

    @abstractmethod
    async def count(self, text: str) -> int | None:
        """The tokens of a text by itself, no special ones added; None if they are not told."""

    async def pieces(self, texts: Sequence[str]) -> list[Piece] | None:
        """Each of them with the tokens that it adds; None if that cannot be known, or lengths do not add up."""
        try:
            async with asyncio.timeout(WITHIN_S):
                lead = LEAD + separator(texts)
                length = await self.count(lead)
                if not length:
                    return None
                found = await self._measured(texts, lead, length)
                return found if found and await self._adds_up(found, lead, length) else None
        except TimeoutError:
            return None

    async def _measured(self, texts: Sequence[str], lead: str, length: int) -> list[Piece] | None:
        """Halves what is not all single tokens, as nearly all common words are; asks for each of longer texts."""
        total = await self.count(lead + joined(texts))
        if total is None or total < length + len(texts):
            return None
        if total == length + len(texts) or len(texts) == 1:
            return [Piece(text=text, tokens=(total - length) // len(texts)) for text in texts]
        step = 1 if total > length + MANY * len(texts) else len(texts) - len(texts) // 2
        parts = [texts[begin : begin + step] for begin in range(0, len(texts), step)]
        found = await asyncio.gather(*(self._measured(part, lead, length) for part in parts))
        return None if None in found else [piece for part in found for piece in part or ()]

    async def _adds_up(self, pieces: list[Piece], lead: str, length: int) -> bool:
        """Whether the pieces in another order have as many tokens as they have one by one."""
        turned = pieces[1::2] + pieces[::2][::-1]
        total = await self.count(lead + joined([piece.text for piece in turned]))
        return total == length + sum(piece.tokens for piece in turned)


class Tokenizing(Counting):
    """Asks a server."""

    def __init__(self, lookup: Lookup, model: str) -> None:
        self._lookup = lookup
        self._model = model
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def count(self, text: str) -> int | None:
        """The tokens of a text by itself, no special ones added; None if the server does not tell."""
        # llama.cpp reads "content", vLLM and SGLang "model" and "prompt", TGI "inputs"; each leaves the others alone.
        asked = {
            "content": text, "model": self._model, "prompt": text, "inputs": text,
            "add_special": False, "add_special_tokens": False,
        }  # fmt: skip
        async with self._turns:
            page = await self._lookup.post(PATH, orjson.dumps(asked))
        return None if page is None else counted(page)


def counted(page: Page) -> int | None:
    """The number of tokens that an answer to `/tokenize` tells: llama.cpp, vLLM, SGLang and TGI each in their way."""
    if page.status != 200:
        return None
    found: Any = page.json
    if isinstance(found, dict):
        if type(found.get("count")) is int:
            return int(found["count"])
        found = found.get("tokens")
    return len(found) if isinstance(found, list) else None
