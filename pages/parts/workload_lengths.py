"""The fields of a workload's lengths: of each by itself, or of pairs that belong together. Saves nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.lengths import pairs_words, read_pairs
from core.words import say
from core.workload import MOST_INPUT, MOST_OUTPUT, LengthPair, Spread, Workload, mean_of

Key = Callable[[str], str]
FIXED = "fixed"
KINDS = {FIXED: "Always the same", "uniform": "Evenly between two", "normal": "Normal", "lognormal": "Lognormal"}
WAYS = {"each": "Each by itself", "pairs": "Pairs"}
PAIRS = "Pairs that belong together, one a line: PROMPT:ANSWER, or PROMPT:ANSWER*WEIGHT for how often it is drawn."


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedLength:
    """What stands in the fields of one length."""

    kind: str
    mean: int | None = None
    stdev: float | None = None
    low: int | None = None
    high: int | None = None

    def value(self) -> tuple[int, Spread | None]:
        """The mean, and how it varies. Raises PlanError."""
        low, high = self.low or 0, self.high or 0
        if self.kind == "uniform":
            spread = Spread(shape="uniform", low=low, high=high)
            return (low + high) // 2, spread
        if self.kind == FIXED:
            return self.mean or 0, None
        shape: Any = self.kind
        return self.mean or 0, Spread(shape=shape, low=low, high=high, stdev=self.stdev or 0.0)


def fields(known: Workload, key: Key) -> Callable[[], dict[str, Any]]:
    """Draw them; what reads them into members of a workload, and raises PlanError."""
    way = st.segmented_control(
        say("Lengths, tokens"), list(WAYS), default="pairs" if known.pairs else "each", required=True, key=key("way"),
        format_func=lambda it: say(WAYS[it]),
        help=say("Template and system prompt count for the prompt's length. Where the server counts tokens, prompts "
                 "are made exactly that long."),
    )  # fmt: skip
    if way == "pairs":
        text = st.text_area(
            say("Pairs"), pairs_words(known.pairs).replace(",", "\n"), key=key("pairs"), height=110,
            placeholder="128:64*3\n1024:256", help=say(PAIRS),
        )  # fmt: skip
        return lambda: _of_pairs(text)
    prompt = _one(say("Prompt"), (known.input_tokens, known.input_spread), MOST_INPUT, lambda name: key(f"in_{name}"))
    answer = _one(
        say("Answer"), (known.output_tokens, known.output_spread), MOST_OUTPUT, lambda name: key(f"out_{name}")
    )
    return lambda: _of_each(prompt, answer)


def _of_pairs(text: str) -> dict[str, Any]:
    pairs: tuple[LengthPair, ...] = read_pairs(",".join(line for line in text.splitlines() if line.strip()))
    asked, answer = mean_of(pairs)
    return {
        "pairs": pairs, "input_tokens": asked, "output_tokens": answer, "input_spread": None, "output_spread": None,
    }  # fmt: skip


def _of_each(prompt: TypedLength, answer: TypedLength) -> dict[str, Any]:
    asked, input_spread = prompt.value()
    output, output_spread = answer.value()
    return {
        "pairs": (), "input_tokens": asked, "output_tokens": output, "input_spread": input_spread,
        "output_spread": output_spread,
    }  # fmt: skip


def _one(title: str, known: tuple[int, Spread | None], most: int, key: Key) -> TypedLength:
    """One length: its kind, and as many numbers as that has."""
    mean, spread = known
    kind_of, *places = st.columns([1.5, 1, 1, 1, 1], vertical_alignment="bottom")
    kind = kind_of.selectbox(
        title, list(KINDS), index=list(KINDS).index(spread.shape if spread else FIXED), key=key("kind"),
        format_func=lambda it: say(KINDS[it]),
    )  # fmt: skip
    low, high = (spread.low, spread.high) if spread else (max(1, mean // 2), min(most, mean * 2))
    stdev = spread.stdev if spread and spread.stdev else max(1.0, mean / 4)
    asked: dict[str, Any] = {}
    if kind != "uniform":
        asked["mean"] = (say("Tokens") if kind == FIXED else say("Mean"), mean, 1, most)
    if kind not in (FIXED, "uniform"):
        asked["stdev"] = (say("Standard deviation"), stdev, 0.01, float(most))
    if kind != FIXED:
        asked |= {"low": (say("Shortest"), low, 1, most), "high": (say("Longest"), high, 1, most)}
    typed = {
        name: place.number_input(words, least, limit, value, key=key(f"{kind}_{name}"))
        for place, (name, (words, value, least, limit)) in zip(places, asked.items(), strict=False)
    }
    return TypedLength(kind=kind, **typed)
