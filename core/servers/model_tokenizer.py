"""The bundled model's tokenizer, read from its file: counts tokens without a server. Never reads a weight.

A model file (GGUF) begins with named values; the vocabulary is among them. What stands behind them is left alone.
"""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from core.servers.variants import shipped_file
from core.words import say

TEXT, LIST = 8, 9
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
MOST_VALUES, MOST_BYTES = 10_000_000, 64_000_000  # a damaged file may claim any length
KINDS = {("gpt2", "smollm")}  # how the bundled model cuts texts: other rules are not known here


class TokenizerError(ValueError):
    """A model file whose tokenizer cannot be read. The message is one sentence."""


def bundled() -> Callable[[str], int]:
    """How many tokens a text has for the bundled model. Raises VariantError without it, and TokenizerError."""
    return counter(shipped_file())


def counter(file: Path) -> Callable[[str], int]:
    """How many tokens a text has for the model of this file, no special ones added. Raises TokenizerError."""
    from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: PLC0415 -- heavy: only where it counts

    values = named_values(file)
    kind = (values.get("tokenizer.ggml.model"), values.get("tokenizer.ggml.pre"))
    tokens, merges = values.get("tokenizer.ggml.tokens"), values.get("tokenizer.ggml.merges")
    if kind not in KINDS or not tokens or not merges:
        raise TokenizerError(say("{file} has a tokenizer of another kind: {kind}.", file=file.name, kind=kind))
    vocabulary = {token: place for place, token in enumerate(tokens)}
    pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=pairs))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    return lambda text: len(made.encode(text, add_special_tokens=False).ids)


def named_values(file: Path) -> dict[str, Any]:
    """The values at the begin of a model file. Raises TokenizerError."""
    try:
        with file.open("rb") as opened:
            return _Reader(opened).values()
    except (OSError, struct.error, UnicodeDecodeError, KeyError, MemoryError) as fault:
        raise TokenizerError(say("{file} cannot be read as a model file: {fault}.", file=file, fault=fault)) from None


class _Reader:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def values(self) -> dict[str, Any]:
        if self._file.read(4) != b"GGUF" or self._number("I") < 2:
            raise TokenizerError(say("{file} is no model file.", file=self._file.name))
        self._number("Q")  # how many tensors it has
        return {self._text(): self._value(self._number("I")) for _ in range(self._count())}

    def _value(self, kind: int) -> Any:
        if kind == TEXT:
            return self._text()
        if kind == LIST:
            inner, count = self._number("I"), self._count()
            return [self._value(inner) for _ in range(count)]
        return self._number(NUMBERS[kind])

    def _text(self) -> str:
        length = self._number("Q")
        if length > MOST_BYTES:
            raise TokenizerError(say("{file} claims a text of {n:,} bytes.", file=self._file.name, n=length))
        return self._file.read(length).decode("utf-8")

    def _count(self) -> int:
        count: int = self._number("Q")
        if count > MOST_VALUES:
            raise TokenizerError(say("{file} claims {n:,} values in one list.", file=self._file.name, n=count))
        return count

    def _number(self, form: str) -> Any:
        found = struct.unpack("<" + form, self._file.read(struct.calcsize("<" + form)))
        return found[0]
