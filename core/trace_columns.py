"""Columns of recorded loads and what stands in their cells: times and lengths. Reads no file.

Knows the column names of the well-known public traces, and of each whether its times are seconds or milliseconds.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.words import say

MOST_INPUT, MOST_OUTPUT = 1_000_000, 100_000  # as in a workload
LATEST_S = 1e11  # seconds of 5,000 years: larger numbers are milliseconds since 1970
TIME = ("timestamp", "time", "arrival_time", "arrived_at", "arrival", "start_time", "at", "ts")
IN_MS, IN_S = ("_ms", "_msec", "_milliseconds"), ("_s", "_sec", "_seconds")
INPUT = (
    "input_length", "input_tokens", "request_tokens", "prompt_tokens", "context_tokens", "contexttokens",
    "prompt_length", "input_len", "num_prefill_tokens", "isl",
)  # fmt: skip
OUTPUT = (
    "output_length", "output_tokens", "response_tokens", "completion_tokens", "generated_tokens", "generatedtokens",
    "output_len", "num_decode_tokens", "osl",
)  # fmt: skip


class RowError(ValueError):
    """Why one row is left out, in a few words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Which columns hold what, and what a time counts.

    Attributes:
        per_s: How many of the times' units a second has: 1 or 1000.
        why: How that is known, as a sentence.
    """

    time: str
    input: str
    output: str
    per_s: int
    why: str


# -- columns ----------------------------------------------------------------------------------------------------------


def columns_of(names: Sequence[str]) -> Columns | None:
    """Which of these columns hold a time and the lengths; None if one of them is missing."""
    time = next((name for wanted in TIME for name in names if _bare(name) == wanted), None)
    asked = next((name for name in INPUT if name in names), None)
    answered = next((name for name in OUTPUT if name in names), None)
    if time is None or asked is None or answered is None:
        return None
    per_s, why = _unit(time, asked, frozenset(names))
    return Columns(time=time, input=asked, output=answered, per_s=per_s, why=why)


def _unit(time: str, asked: str, names: frozenset[str]) -> tuple[int, str]:
    if time.endswith(IN_MS):
        return 1000, say("Times are milliseconds: the column is named {name}.", name=time)
    if time.endswith(IN_S):
        return 1, say("Times are seconds: the column is named {name}.", name=time)
    if "chat_id" in names:
        return 1, say("Times are seconds, as in the Qwen-Bailian traces (chat_id).")
    if asked == "input_length" and time == "timestamp":
        return 1000, say("Times are milliseconds, as in the mooncake trace (timestamp, input_length, output_length).")
    if asked == "request_tokens":
        return 1, say("Times are seconds, as in BurstGPT (Timestamp, Request tokens, Response tokens).")
    return 1, say("Times are taken as seconds; name the column timestamp_ms if they are milliseconds.")


def plain_name(name: str) -> str:
    """`Request tokens` and `request-tokens (n)` are request_tokens."""
    bare = name.strip().lower().split("(")[0].strip()
    return bare.replace(" ", "_").replace("-", "_")[:100] + ("_ms" if "(ms)" in name.lower() else "")


def _bare(name: str) -> str:
    for end in (*IN_MS, *IN_S):
        if name.endswith(end) and name != "ts":
            return name.removesuffix(end)
    return name


# -- cells ------------------------------------------------------------------------------------------------------------


def row_of(row: dict[str, Any], columns: Columns) -> tuple[float, int, int]:
    """Seconds, prompt and answer length. Raises RowError."""
    at_s = _seconds(row.get(columns.time), columns.per_s)
    asked = _length(row.get(columns.input), say("prompt"), MOST_INPUT)
    return at_s, asked, _length(row.get(columns.output), say("answer"), MOST_OUTPUT)


def _seconds(cell: object, per_s: int) -> float:
    try:
        found = float(cell) if isinstance(cell, int | float | str) and not isinstance(cell, bool) else math.nan
    except (ValueError, OverflowError):
        return _date(str(cell))
    if not math.isfinite(found):
        raise RowError(say("no time"))
    found /= 1000 if per_s == 1 and abs(found) > LATEST_S else per_s
    if abs(found) > LATEST_S:
        raise RowError(say("no time"))
    return found


def _date(cell: str) -> float:
    """A date and time of day, as some traces have it; with more digits than microseconds, too."""
    whole, point, rest = cell.strip()[:60].partition(".")
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    try:
        found = datetime.fromisoformat(whole + point + digits[:6].ljust(6, "0") * bool(digits) + rest[len(digits) :])
    except ValueError:
        raise RowError(say("no time")) from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _length(cell: object, what: str, most: int) -> int:
    try:
        found = float(cell) if isinstance(cell, int | float | str) and not isinstance(cell, bool) else math.nan
    except (ValueError, OverflowError):
        found = math.nan
    if not found.is_integer():  # NaN and infinity are none either
        raise RowError(say("no {what} length", what=what))
    if found < 1:
        raise RowError(say("{what} without tokens", what=what))
    if found > most:
        raise RowError(say("{what} longer than {most:,} tokens", what=what, most=most))
    return int(found)
