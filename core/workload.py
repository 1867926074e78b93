"""What is asked: made-up text of a length in tokens, and the answer's length. Frozen values that refuse nonsense.

Never knows a tokenizer, an endpoint or a clock: how a length becomes a text is the business of `core.loadgen.prompts`.
"""

from dataclasses import dataclass, field, replace
from math import erf, exp, log, pi, sqrt
from random import Random
from typing import Any, Literal

from core.base_url import require
from core.plan_checks import above_zero, flag, json_object, number, text, whole
from core.words import say

Shape = Literal["uniform", "normal", "lognormal"]
Language = Literal["english", "chinese", "code", "mixed"]
SHAPES: tuple[Shape, ...] = ("uniform", "normal", "lognormal")
LANGUAGES: tuple[Language, ...] = ("english", "chinese", "code", "mixed")
MAX_SEED = 2**53  # beyond it a JSON number is not read alike everywhere
MOST_INPUT, MOST_OUTPUT = 1_000_000, 100_000
MOST_PAIRS, MOST_STOPS = 1_000, 16
TRIES = 20  # draws from a bell before what lies outside its bounds is put onto them


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How a length in tokens varies around its mean from one request to the next.

    Attributes:
        shape: "uniform" between its bounds; "normal", or "lognormal", with this standard deviation, within them.
        low, high: The shortest and the longest length, in tokens.
        stdev: Of the lengths before the bounds cut them, in tokens; 0 for "uniform", whose bounds say it.
    """

    shape: Shape
    low: int
    high: int
    stdev: float = 0.0

    def __post_init__(self) -> None:
        """Refuse bounds the wrong way round, and a bell without a width."""
        require(self.shape in SHAPES, "Shape is {shape}: choose uniform, normal or lognormal.", shape=self.shape)
        whole("Shortest length", self.low, 1, MOST_INPUT)
        whole("Longest length", self.high, 1, MOST_INPUT)
        require(
            self.low <= self.high,
            "The shortest length, {low:,}, is above the longest, {high:,}: swap them.", low=self.low, high=self.high,
        )  # fmt: skip
        if self.shape == "uniform":
            require(self.stdev == 0, "A uniform length has bounds and no standard deviation: leave it out.")
        else:
            above_zero("Standard deviation", self.stdev, MOST_INPUT)

    def draw(self, mean: int, chosen: Random) -> int:
        """A length around `mean` tokens, within the bounds."""
        if self.shape == "uniform":
            return chosen.randint(self.low, self.high)
        drawn = round(self._bell(mean, chosen))
        for _ in range(TRIES):
            if self.low <= drawn <= self.high:
                break
            drawn = round(self._bell(mean, chosen))
        return min(max(drawn, self.low), self.high)

    def _bell(self, mean: int, chosen: Random) -> float:
        if self.shape == "normal":
            return chosen.gauss(mean, self.stdev)
        # Mean and standard deviation are those of the lengths, not of their logarithms.
        variance = log(1 + (self.stdev / mean) ** 2)
        return exp(chosen.gauss(log(mean) - variance / 2, sqrt(variance)))

    def mean(self, mean: int) -> float:
        """Of the lengths that are drawn: the bounds cut a bell's tails off, and the longer one more."""
        if self.shape == "uniform":
            return (self.low + self.high) / 2
        low, high = self.low - 0.5, self.high + 0.5  # what is rounded onto them
        if self.shape == "normal":
            begin, end = ((bound - mean) / self.stdev for bound in (low, high))
            within = mean * (_below(end) - _below(begin)) + self.stdev * (_density(begin) - _density(end))
        else:
            variance = log(1 + (self.stdev / mean) ** 2)
            width, middle = sqrt(variance), log(mean) - variance / 2
            begin, end = ((log(bound) - middle) / width for bound in (low, high))
            within = mean * (_below(end - width) - _below(begin - width))
        under, over = _below(begin), 1 - _below(end)
        outside = under + over
        # What is still outside after all tries is put onto the nearer bound.
        missed = outside ** (TRIES + 1)
        found = within / (1 - outside) * (1 - missed) if outside < 1 else 0.0
        found += missed * (self.low * under + self.high * over) / outside if outside > 0 else 0.0
        return min(max(found, self.low), self.high)


def _below(place: float) -> float:
    """The share of a bell below so many standard deviations from its middle."""
    return (1 + erf(place / sqrt(2))) / 2


def _density(place: float) -> float:
    return exp(-place * place / 2) / sqrt(2 * pi)


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthPair:
    """A prompt's and its answer's length in tokens that belong together, and how often they are drawn."""

    input_tokens: int
    output_tokens: int
    weight: float = 1.0

    def __post_init__(self) -> None:
        """Refuse lengths no server takes and weights that never come."""
        whole("Prompt length", self.input_tokens, 1, MOST_INPUT)
        whole("Answer length", self.output_tokens, 1, MOST_OUTPUT)
        above_zero("Weight", self.weight, 1e9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What is asked: random words of a length in tokens, new for every request, and the answer's length in tokens.

    Attributes:
        input_tokens, output_tokens: The lengths; where they vary, their mean.
        input_spread, output_spread: How they vary, each by itself; None is always the same length.
        pairs: Lengths that belong together, drawn by their weights, instead of spreads. Their mean is then the length.
        language: Of the made-up text; "mixed" takes turns.
        system_prompt: Goes before every prompt, and counts for its length.
        ignore_eos: Ask for exactly `output_tokens`; sent only if the endpoint accepts it.
        stop: Texts at which the server ends its answer.
        extra_body: Further keys of the request body, as a JSON object.
        nonce: Start every prompt with a unique word, so that no prefix cache helps.
        keep_text: Keep answer texts with the records.
        saved_name, saved_version: Under which it was kept when it was taken; None for one that was typed. They say
            where it is from and not what is asked: two that ask the same are equal.
    """

    input_tokens: int = 128
    output_tokens: int = 128
    input_spread: Spread | None = None
    output_spread: Spread | None = None
    pairs: tuple[LengthPair, ...] = ()
    language: Language = "english"
    system_prompt: str | None = None
    stream: bool = True
    temperature: float | None = 0.0
    ignore_eos: bool = False
    stop: tuple[str, ...] = ()
    extra_body: dict[str, Any] = field(default_factory=dict)
    nonce: bool = True
    seed: int = 0
    keep_text: bool = True
    saved_name: str | None = field(default=None, compare=False)
    saved_version: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Refuse lengths no server takes and keys that are Paceline's."""
        whole("Prompt length", self.input_tokens, 1, MOST_INPUT)
        whole("Answer length", self.output_tokens, 1, MOST_OUTPUT)
        self._check_lengths()
        require(
            self.language in LANGUAGES,
            "Language is {language}: choose english, chinese, code or mixed.", language=self.language,
        )  # fmt: skip
        text("System prompt", self.system_prompt, 1_000_000, none=True)
        require(type(self.stop) is tuple, "Stop texts are not a list of texts.")
        require(len(self.stop) <= MOST_STOPS, "More than {most} stop texts: give fewer.", most=MOST_STOPS)
        for one in self.stop:
            text("Stop text", one, 1_000)
        if self.temperature is not None:
            number("Temperature", self.temperature, 0, 100)
        whole("Seed", self.seed, -MAX_SEED, MAX_SEED)
        for name in ("stream", "ignore_eos", "nonce", "keep_text"):
            flag(name, getattr(self, name))
        self._check_body()
        text("Name of the workload", self.saved_name, 300, none=True)
        if self.saved_version is not None:
            whole("Version of the workload", self.saved_version, 1, MAX_SEED)

    def _check_lengths(self) -> None:
        if self.pairs:
            require(len(self.pairs) <= MOST_PAIRS, "More than {most:,} pairs of lengths: give fewer.", most=MOST_PAIRS)
            spread = self.input_spread or self.output_spread
            require(spread is None, "Give either pairs of lengths or a spread, not both.")
        for name, mean, spread in (
            ("prompt", self.input_tokens, self.input_spread),
            ("answer", self.output_tokens, self.output_spread),
        ):
            require(
                spread is None or spread.low <= mean <= spread.high,
                "The {name}'s mean length, {mean:,}, is outside its bounds: widen them.", name=say(name), mean=mean,
            )  # fmt: skip
        require(
            self.output_spread is None or self.output_spread.high <= MOST_OUTPUT,
            "The longest answer is above {most:,} tokens: shorten it.", most=MOST_OUTPUT,
        )  # fmt: skip

    def _check_body(self) -> None:
        json_object("Extra body", self.extra_body)
        own = {"model", "messages", "prompt", "stream"} | ({"stop"} if self.stop else set())
        require(
            not own & set(self.extra_body),
            "Extra body sets {keys}, which Paceline sets itself: remove them.",
            keys=", ".join(sorted(own & set(self.extra_body))),
        )

    @property
    def comparable(self) -> "Workload":
        """What of it says whether runs measured the same: not the draw, not where it is from, not what was kept."""
        return replace(self, seed=0, keep_text=True, saved_name=None, saved_version=None)

    @property
    def varies(self) -> bool:
        """Whether not all requests ask for the same lengths."""
        return bool(self.pairs or self.input_spread or self.output_spread)

    @property
    def mean_lengths(self) -> tuple[float, float]:
        """Prompt and answer length of the requests, on average, in tokens."""
        if self.pairs:
            return _means(self.pairs)
        asked = self.input_spread.mean(self.input_tokens) if self.input_spread else float(self.input_tokens)
        return asked, self.output_spread.mean(self.output_tokens) if self.output_spread else float(self.output_tokens)

    def lengths(self, chosen: Random) -> tuple[int, int]:
        """Prompt and answer length of one request, in tokens."""
        if self.pairs:
            (pair,) = chosen.choices(self.pairs, weights=[one.weight for one in self.pairs])
            return pair.input_tokens, pair.output_tokens
        asked = self.input_spread.draw(self.input_tokens, chosen) if self.input_spread else self.input_tokens
        answer = self.output_spread.draw(self.output_tokens, chosen) if self.output_spread else self.output_tokens
        return asked, answer


def mean_of(pairs: tuple[LengthPair, ...]) -> tuple[int, int]:
    """The weighted mean prompt and answer length of pairs, in whole tokens."""
    asked, answer = _means(pairs)
    return max(1, round(asked)), max(1, round(answer))


def _means(pairs: tuple[LengthPair, ...]) -> tuple[float, float]:
    total = sum(pair.weight for pair in pairs)
    asked = sum(pair.input_tokens * pair.weight for pair in pairs) / total
    return asked, sum(pair.output_tokens * pair.weight for pair in pairs) / total
