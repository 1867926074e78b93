"""Numbers and lengths of time as people read them: three digits, a unit, a real minus. Knows no metric and no page."""

from core.words import say

MISSING = "–"
MINUS = "−"
SMALLEST = 1e-4  # from which a number is written out
LONGEST_MS = 10.0  # seconds from which people read s, not ms
LONGEST_SECONDS, LONGEST_MINUTES = 90, 5400  # seconds from which a span is told in minutes, and in hours


def _without_zeros(text: str) -> str:
    whole, _, part = text.partition(".")
    return text if part.strip("0") else whole


def number(value: float | None, *, fixed: bool = False) -> str:
    """Three significant digits, thousands with commas, a dash for unknown.

    Decimals that are all zeros are left out, unless `fixed`: in columns, whose digits stand under each other.
    """
    if value is None:
        return MISSING
    size = abs(value)
    if 0 < size < 0.9995:
        text = f"{size:.3g}" if size >= SMALLEST else f"{size:.1e}"
    else:
        places = next((places for limit, places in ((99.95, 0), (9.995, 1)) if size >= limit), 2)
        text = f"{size:,.{places if size else 0}f}"
        text = text if fixed else _without_zeros(text)
    return MINUS + text if value < 0 and text.strip("0.") else text


def seconds(value: float | None) -> str:
    """Milliseconds below 10 s, then seconds, with the unit."""
    return seconds_alike(value)[0]


def seconds_alike(*values: float | None) -> tuple[str, ...]:
    """Times that one sentence holds against each other: all in the unit that the longest is read in."""
    if max((abs(value) for value in values if value is not None), default=0.0) < LONGEST_MS:
        return tuple(MISSING if value is None else say("{value} ms", value=number(value * 1e3)) for value in values)
    return tuple(MISSING if value is None else say("{value} s", value=number(value)) for value in values)


def in_percent(share: float | None) -> float | None:
    """A share in the unit of an axis that counts percent."""
    return None if share is None else share * 100


def percent(share: float | None, *, digits: int | None = None) -> str:
    """A share as a percentage, never rounded up to 100: one decimal below 2 % only, unless `digits` says how many."""
    if share is None:
        return MISSING
    value = share * 100
    if digits is not None:
        text = f"{abs(value):.{digits}f}"
        if value < 100 <= float(text):
            text = f"{100 - 10.0**-digits:.{digits}f}"
    elif 99 < value < 100:
        return f"{min(value, 99.9):.1f} %"
    else:
        text = f"{abs(value):.0f}" if abs(value) >= 1.95 else _without_zeros(f"{abs(value):.1f}")
    return f"{MINUS if value < 0 and text.strip('0.') else ''}{text} %"


def span(length_s: float | None) -> str:
    """A length of time in words, rounded: 40 s, 17 min, 2.5 h."""
    if length_s is None:
        return MISSING
    if length_s < LONGEST_SECONDS:
        return say("{n} s", n=max(1, round(length_s)))
    if length_s < LONGEST_MINUTES:
        return say("{n} min", n=round(length_s / 60))
    return say("{n} h", n=_without_zeros(f"{length_s / 3600:.1f}"))
