"""A recorded load: when requests came and how long they were, and what a plan keeps of it. Reads no file, no clock."""

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from statistics import median
from typing import Self

from core.base_url import require
from core.plan_checks import number, text, whole
from core.words import say

MOST_ROWS = 200_000
LONGEST_S = 366 * 86_400.0
LEAST_SPEED, MOST_SPEED = 0.001, 100_000.0
LEAST_RATE, MOST_RATE = 0.001, 100_000.0
DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What a plan keeps of a trace: enough to know it again, without its rows.

    Attributes:
        name: The file's, for people.
        digest: SHA-256 of the rows; whoever has rows with this digest can repeat the run.
        rows: How many requests it holds.
        span_s: From its first request to its last, in its own time.
        input_tokens, output_tokens: Of all its requests together.
        speed: How many seconds of it pass in one; 2 offers twice the rate.
    """

    name: str
    digest: str
    rows: int
    span_s: float
    input_tokens: int
    output_tokens: int
    speed: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what no trace can be."""
        text("Trace name", self.name, 200)
        require(bool(DIGEST.fullmatch(str(self.digest))), "The trace's digest is not a SHA-256: export the plan again.")
        whole("Trace rows", self.rows, 1, MOST_ROWS)
        number("Trace span", self.span_s, 0, LONGEST_S)
        whole("Prompt tokens of the trace", self.input_tokens, 1, 10**12)
        whole("Answer tokens of the trace", self.output_tokens, 1, 10**12)
        number("Speed", self.speed, LEAST_SPEED, MOST_SPEED)

    @property
    def rate(self) -> float:
        """Requests/s on average at its speed: its gaps, as an offered rate is counted."""
        mean = (self.rows - 1) * self.speed / self.span_s if self.span_s else MOST_RATE
        return min(MOST_RATE, max(LEAST_RATE, float(f"{mean:.4g}")))

    @property
    def lengths(self) -> tuple[float, float]:
        """Tokens of a prompt and of an answer, on average."""
        return self.input_tokens / self.rows, self.output_tokens / self.rows

    @property
    def at_any_speed(self) -> str:
        """What is the same however fast it is replayed; two files of one name are told apart."""
        return say("trace {name} ({digest})", name=self.name, digest=self.digest[:8])

    @property
    def words(self) -> str:
        """It as people read it: `trace chat.csv`, `trace chat.csv ×2`."""
        if self.speed == 1:
            return say("trace {name}", name=self.name)
        return say("trace {name} ×{speed:g}", name=self.name, speed=self.speed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The requests of a trace, in the order in which they came.

    Attributes:
        at_us: Microseconds after the first one, ascending.
        input_tokens, output_tokens: The lengths of each.
    """

    at_us: Sequence[int] = field(default_factory=lambda: array("q"))
    input_tokens: Sequence[int] = field(default_factory=lambda: array("q"))
    output_tokens: Sequence[int] = field(default_factory=lambda: array("q"))

    def __len__(self) -> int:
        """How many requests."""
        return len(self.at_us)

    @classmethod
    def of(cls, rows: Sequence[tuple[float, int, int]]) -> Self:
        """Rows of (seconds, input tokens, output tokens), in time's order and counted from the first."""
        ordered = sorted(rows, key=lambda row: row[0])
        first_s = ordered[0][0] if ordered else 0.0
        return cls(
            at_us=array("q", [round((at_s - first_s) * 1e6) for at_s, _, _ in ordered]),
            input_tokens=array("q", [asked for _, asked, _ in ordered]),
            output_tokens=array("q", [answered for _, _, answered in ordered]),
        )

    @classmethod
    def of_columns(cls, found: Sequence[Sequence[int]]) -> Self:
        """What `columns` gave. Raises ValueError, TypeError or OverflowError for anything else."""
        at_us, asked, answered = (array("q", column) for column in found)
        if not len(at_us) == len(asked) == len(answered) <= MOST_ROWS:
            raise ValueError(len(at_us))
        return cls(at_us=at_us, input_tokens=asked, output_tokens=answered)

    def columns(self) -> list[list[int]]:
        """As plain lists, for JSON."""
        return [list(self.at_us), list(self.input_tokens), list(self.output_tokens)]

    def spread(self) -> tuple[tuple[float, int], tuple[float, int]]:
        """Median and longest of prompts and of answers, in tokens."""
        asked, answered = self.input_tokens, self.output_tokens
        return (median(asked), max(asked)), (median(answered), max(answered))

    @property
    def digest(self) -> str:
        """The same for the same rows, whatever file they came in."""
        told = sha256()
        for column in (self.at_us, self.input_tokens, self.output_tokens):
            told.update(",".join(map(str, column)).encode() + b"\n")
        return told.hexdigest()

    def trace(self, name: str, *, speed: float = 1.0) -> Trace:
        """What a plan keeps of them."""
        return Trace(
            name=name[-200:], digest=self.digest, rows=len(self), span_s=(self.at_us[-1] if len(self) else 0) / 1e6,
            input_tokens=sum(self.input_tokens), output_tokens=sum(self.output_tokens), speed=speed,
        )  # fmt: skip
