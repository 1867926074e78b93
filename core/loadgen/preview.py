"""The first prompts of a workload as a run would make them, and the lengths it would draw. Asks no server.

How long a text is, is told by a tokenizer that is at hand, or guessed by words and said to be.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from core.loadgen.known_texts import known_texts
from core.loadgen.prompts import Known, Prompts, Shape
from core.loadgen.tokenizing import Counting
from core.plan import Configuration, Endpoint, RunPlan, Workload

SHOWN, DRAWN = 5, 200
NOWHERE = Configuration(
    id="preview", label="preview", model="preview", endpoint=Endpoint(name="preview", base_url="http://127.0.0.1/v1")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewedPrompt:
    """One prompt.

    Attributes:
        asked_tokens, answer_tokens: As asked for: of the prompt with everything in it, and of its answer.
        tokens: Of this text and the system prompt before it.
    """

    text: str
    asked_tokens: int
    answer_tokens: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a workload would send.

    Attributes:
        counted: Whether a tokenizer counted the tokens; else they are guessed by words.
        system_tokens: Of the system prompt, which every prompt holds.
        drawn: The first lengths of prompt and answer.
    """

    prompts: tuple[PreviewedPrompt, ...]
    counted: bool
    system_tokens: int
    drawn: tuple[tuple[int, int], ...]


class ByTokenizer(Counting):
    """Asks a function."""

    def __init__(self, tokens: Callable[[str], int]) -> None:
        self._tokens = tokens

    async def count(self, text: str) -> int | None:
        """The tokens of a text by itself."""
        return self._tokens(text)


def preview(workload: Workload, tokens: Callable[[str], int] | None) -> Preview:
    """The first prompts and lengths; `tokens` counts those of a text, None where nothing does."""
    known = None if tokens is None else _known(workload, tokens)
    count = tokens if tokens is not None and known is not None else by_words
    system = count(workload.system_prompt) if workload.system_prompt is not None else 0
    prompts = Prompts(
        RunPlan(configuration=NOWHERE, workload=workload),
        tag="preview", key_header=None, shape=Shape(known=known, overhead_tokens=float(system)),
    )  # fmt: skip
    return Preview(
        prompts=tuple(_prompt(prompts, index, tokens if known is not None else None, system) for index in range(SHOWN)),
        counted=known is not None,
        system_tokens=system,
        drawn=tuple(prompts.lengths(index, warmup=False) for index in range(DRAWN)),
    )


def _prompt(prompts: Prompts, index: int, tokens: Callable[[str], int] | None, system: int) -> PreviewedPrompt:
    asked, answer = prompts.lengths(index, warmup=False)
    text, guessed = prompts.written(index, asked, warmup=False)
    length = guessed if tokens is None else tokens(text)
    return PreviewedPrompt(text=text, asked_tokens=asked, answer_tokens=answer, tokens=system + length)


def by_words(text: str) -> int:
    """About how many tokens a text has: one a word, and one for each sign of a script without blanks."""
    return sum(1 if word.isascii() else len(word) for word in text.split())


def _known(workload: Workload, tokens: Callable[[str], int]) -> Known | None:
    return asyncio.run(known_texts(ByTokenizer(tokens), workload.language))
