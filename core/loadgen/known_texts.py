"""What a server's tokenizer says of the texts that prompts are made of. Asks; makes no prompt."""

from core.loadgen.pieces import Piece, joined, separator
from core.loadgen.prompts import NONCE_WORDS, Known
from core.loadgen.tokenizing import Counting
from core.loadgen.vocabulary import WORDS, guessed
from core.workload import Language

FEWEST = 100  # different words of one token that a nonce needs to be unique
FILLING = 10  # so many phrases to one word that fills
TRIED = 3  # whole texts that are counted before the lengths are believed


async def known_texts(tokenizing: Counting, language: Language) -> Known | None:
    """Texts of the language whose lengths add up to what the server counts; None if it does not count, or they do not.

    A word that is one token behind a blank may be two at the begin of a text, so both are asked for.
    """
    words = await tokenizing.pieces([f" {word}" for word in WORDS])
    if words is None:
        return None
    single = [piece.text[1:] for piece in words if piece.tokens == 1]
    firsts = await tokenizing.pieces([f"\n{word}" for word in single]) if len(single) >= FEWEST else None
    begins = [piece.text[1:] for piece in firsts or [] if piece.tokens == 2]  # the line's end is a token of its own
    if len(begins) < FEWEST:
        return None
    pieces = words if language == "english" else await _of_language(tokenizing, language, single)
    if pieces is None:
        return None
    for turn in range(TRIED):
        nonce = " ".join([begins[turn], *single[turn : turn + NONCE_WORDS - 1]])
        some = pieces[turn::TRIED]
        between = separator(piece.text for piece in pieces)
        counted = await tokenizing.count(nonce + between + joined([piece.text for piece in some]))
        if counted != NONCE_WORDS + len(between) + sum(piece.tokens for piece in some):
            return None
    return Known(pieces=tuple(pieces), firsts=tuple(begins), words=tuple(single))


async def _of_language(tokenizing: Counting, language: Language, single: list[str]) -> list[Piece] | None:
    """Its texts, and some single tokens to fill what is left: phrases and lines alone do not add up to every length."""
    texts = [text for text, _ in guessed(language)]
    filling = [f" {word}" for word in single[: len(texts) // FILLING]]
    return await tokenizing.pieces([*dict.fromkeys([*texts, *filling])])
