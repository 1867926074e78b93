"""What the headers of an answer tell of an endpoint's limits: how much a minute, what is left. Knows no clock.

Understood are OpenAI's names, which others took over (Azure among them, where -1 says nothing), the same with `-minute`
or `-day` behind them, and Anthropic's.
"""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime

PREFIXES = ("x-ratelimit-", "anthropic-ratelimit-")
WHAT = r"(?P<what>requests|tokens|input-tokens|output-tokens)"
KIND = r"(?P<kind>limit|remaining|reset)"
OPENAI = re.compile(rf"x-ratelimit-{KIND}-{WHAT}(?:-(?P<per>minute|hour|day))?")
ANTHROPIC = re.compile(rf"anthropic-ratelimit-{WHAT}-{KIND}(?P<per>)")
SPAN = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
SPAN_S = (86_400.0, 3600.0, 60.0, 1.0, 0.001)
WINDOWS = {"hour": 3600.0, "day": 86_400.0}
MINUTE_S = 60.0
ALIKE = 0.02  # a window that the numbers give, beside one that somebody would choose
MOST = 10**12
OF_THE_MOMENT = frozenset(  # what holds for one answer, beside what holds for the endpoint
    f"{what}_{kind}"
    for what in ("requests", "tokens", "input_tokens", "output_tokens")
    for kind in ("remaining", "reset_s")
)


def told_limits(headers: Mapping[str, str], answered_at: datetime | None = None) -> dict[str, int | float]:
    """`requests_per_minute`, `tokens_remaining`, `requests_reset_s` and the like; empty if nothing is told.

    `answered_at` is what a reset that is a date counts from.
    """
    found: dict[tuple[str, str], dict[str, float]] = {}
    for name, value in headers.items():
        match = OPENAI.fullmatch(name) or ANTHROPIC.fullmatch(name)
        if match is None:
            continue
        told = reset_s(value, answered_at) if match["kind"] == "reset" else _whole(value)
        if told is not None:
            found.setdefault((match["what"].replace("-", "_"), match["per"] or ""), {})[match["kind"]] = told
    known: dict[str, int | float] = {}
    for (what, named), its in found.items():
        limit = its.get("limit")
        if not limit:
            continue
        known[f"{what}_per_{named or _per(what, its)}"] = round(limit)
        if "remaining" in its:
            known.setdefault(f"{what}_remaining", round(its["remaining"]))
        if "reset" in its:
            known.setdefault(f"{what}_reset_s", its["reset"])
    return known


def per_minute(told: Mapping[str, int | float]) -> tuple[int | None, int | None]:
    """(requests, tokens) a minute; tokens of prompts and answers together, from their parts if only those are told."""
    tokens = told.get("tokens_per_minute")
    parts = [told.get(f"{part}_tokens_per_minute") for part in ("input", "output")]
    if tokens is None and None not in parts:
        tokens = sum(part for part in parts if part is not None)
    requests = told.get("requests_per_minute")
    return (None if requests is None else int(requests)), (None if tokens is None else int(tokens))


def reset_s(text: str, answered_at: datetime | None = None) -> float | None:
    """Seconds until a limit is whole again: `12ms`, `6m0s`, `59`, or a date; None if it is none of them."""
    said = text.strip()[:60]
    match = SPAN.fullmatch(said)
    if said and match is not None:
        return sum(float(part) * unit for part, unit in zip(match.groups(), SPAN_S, strict=True) if part)
    try:
        seconds = float(said)
    except ValueError:
        return _until(said, answered_at)
    return seconds if math.isfinite(seconds) and 0 <= seconds <= MOST else None


def _until(said: str, answered_at: datetime | None) -> float | None:
    try:
        until = datetime.fromisoformat(said)
    except ValueError:
        return None
    if answered_at is None:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - answered_at).total_seconds())


def _whole(text: str) -> float | None:
    said = text.strip()
    return float(said) if said.isascii() and said.isdigit() and float(said) <= MOST else None


def _per(what: str, its: Mapping[str, float]) -> str:
    """A limit without a window in its name is one a minute, unless its own numbers say otherwise.

    A bucket that fills evenly tells its window: what is missing takes the share of it that it is of the whole. Some
    endpoints count requests by the day under the names that others use for a minute.
    """
    left, reset, limit = its.get("remaining"), its.get("reset"), its["limit"]
    if what != "requests" or left is None or reset is None or left >= limit:
        return "minute"
    window_s = reset * limit / (limit - left)
    for name, its_s in WINDOWS.items():
        if abs(window_s - its_s) <= ALIKE * its_s:
            return name
    if reset <= MINUTE_S:
        return "minute"
    return "hour" if reset <= WINDOWS["hour"] else "day"
