"""Lengths in tokens as people write them: `128`, `64..256`, `normal:128,32`, `128:64*3,1024:256`. Measures nothing."""

import re
from dataclasses import dataclass
from math import ceil

from core.base_url import PlanError
from core.words import say
from core.workload import MOST_INPUT, LengthPair, Shape, Spread

NUMBER = r"(\d{1,9})"
RANGE = re.compile(rf"{NUMBER}\.\.{NUMBER}")
BELL = re.compile(rf"(normal|lognormal):{NUMBER},(\d{{1,9}}(?:\.\d+)?)(?:,{NUMBER}\.\.{NUMBER})?")
PAIR = re.compile(rf"{NUMBER}:{NUMBER}(?:\*(\d{{1,9}}(?:\.\d+)?))?")
WIDTH = 4  # standard deviations to each side where no bounds are given


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """A mean in tokens, and how the length varies around it; None is always the same."""

    mean: int
    spread: Spread | None = None

    def words(self) -> str:
        """It as it is written, read back by `read_length`."""
        spread = self.spread
        if spread is None:
            return str(self.mean)
        if spread.shape == "uniform":
            return f"{spread.low}..{spread.high}"
        return f"{spread.shape}:{self.mean},{spread.stdev:g},{spread.low}..{spread.high}"


def read_length(written: str, *, most: int = MOST_INPUT) -> Length:
    """`128`; `64..256` at random between them; `normal:128,32` or `lognormal:128,32`, with `,16..512` as its bounds.

    Raises PlanError.
    """
    text = re.sub(r"[\s_]", "", written)
    if text.isdecimal() and len(text) <= 9:
        return Length(mean=int(text))
    if found := RANGE.fullmatch(text):
        low, high = map(int, found.groups())
        spread = Spread(shape="uniform", low=low, high=high)
        return Length(mean=(low + high) // 2, spread=spread if low < high else None)
    if found := BELL.fullmatch(text):
        return _bell(found, most)
    raise PlanError(
        say("The length {text} is not understood: write 128, 64..256 or normal:128,32.", text=repr(written[:60]))
    )


def _bell(found: re.Match[str], most: int) -> Length:
    mean, stdev = int(found[2]), float(found[3])
    width = ceil(WIDTH * stdev)
    low, high = (int(found[4]), int(found[5])) if found[4] else (max(1, mean - width), min(most, mean + width))
    shape: Shape = "normal" if found[1] == "normal" else "lognormal"
    return Length(mean=mean, spread=Spread(shape=shape, low=low, high=high, stdev=stdev))


def read_pairs(written: str) -> tuple[LengthPair, ...]:
    """`128:64*3,1024:256`: prompts of 128 tokens with answers of 64, three times as often as 1,024 with 256.

    Raises PlanError.
    """
    pairs = []
    for one in re.sub(r"[\s_]", "", written).split(","):
        found = PAIR.fullmatch(one)
        if found is None:
            raise PlanError(
                say(
                    "The pair {text} is not understood: write PROMPT:ANSWER*WEIGHT, such as 128:64*3.",
                    text=repr(one[:60]),
                )
            )
        asked, answer, weight = found.groups()
        pairs.append(LengthPair(input_tokens=int(asked), output_tokens=int(answer), weight=float(weight or 1)))
    return tuple(pairs)


def pairs_words(pairs: tuple[LengthPair, ...]) -> str:
    """Pairs as they are written, read back by `read_pairs`."""
    return ",".join(f"{pair.input_tokens}:{pair.output_tokens}*{pair.weight:g}" for pair in pairs)
