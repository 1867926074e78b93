"""Numbers as people read them: three digits, a unit, a real minus. Knows no metric and no page."""

from core.words import say

MINUS = "−"
LONGEST_MS = 10.0  # seconds from which people read s, not ms


def _without_zeros(text: str) -> str:
    whole, _, part = text.partition(".")
    return text if part.strip("0") else whole


def number(value: float | None) -> str:
    """Three significant digits, thousands with commas, no decimals of zeros; a dash for unknown."""
    if value is None:
        return "–"
    size = abs(value)
    if 0 < size < 0.9995:
        text = f"{size:.3g}"
    else:
        places = next((places for limit, places in ((99.95, 0), (9.995, 1)) if size >= limit), 2)
        text = _without_zeros(f"{size:,.{places}f}")
    return MINUS + text if value < 0 and text.strip("0.") else text


def seconds(value: float | None) -> str:
    """Milliseconds below 10 s, then seconds, with the unit."""
    return seconds_alike(value)[0]


def seconds_alike(*values: float | None) -> tuple[str, ...]:
    """Times that one sentence holds against each other: all in the unit that the longest is read in."""
    if max((abs(value) for value in values if value is not None), default=0.0) < LONGEST_MS:
        return tuple("–" if value is None else say("{value} ms", value=number(value * 1e3)) for value in values)
    return tuple("–" if value is None else say("{value} s", value=number(value)) for value in values)


def percent(share: float | None) -> str:
    """A share as a percentage: one decimal below 2 % only; never rounded up to 100."""
    if share is None:
        return "–"
    value = share * 100
    if 99 < value < 100:
        return f"{min(value, 99.9):.1f} %"
    text = f"{abs(value):.0f}" if abs(value) >= 1.95 else _without_zeros(f"{abs(value):.1f}")
    return f"{MINUS if value < 0 and text.strip('0.') else ''}{text} %"
