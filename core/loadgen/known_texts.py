"""What a server's tokenizer says of the texts that prompts are made of. Asks; makes no prompt."""

from core.loadgen.prompts import NONCE_WORDS, Known
from core.loadgen.tokenizing import Tokenizing
from core.loadgen.vocabulary import WORDS, guessed
from core.workload import Language

FEWEST = 100  # different words of one token that a nonce needs to be unique
TRIED = 3  # whole texts that are counted before the lengths are believed


async def known_texts(tokenizing: Tokenizing, language: Language) -> Known | None:
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
    pieces = words if language == "english" else await tokenizing.pieces([text for text, _ in guessed(language)])
    if pieces is None:
        return None
    for turn in range(TRIED):
        nonce = " ".join([begins[turn], *single[turn : turn + NONCE_WORDS - 1]])
        some = pieces[turn::TRIED]
        counted = await tokenizing.count(nonce + "".join(piece.text for piece in some))
        if counted != NONCE_WORDS + sum(piece.tokens for piece in some):
            return None
    return Known(pieces=tuple(pieces), firsts=tuple(begins), words=tuple(single))
