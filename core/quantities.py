"""Numbers as people read them: three digits, a unit, a real minus. Knows no metric and no page."""

from core.words import say

MINUS = "−"


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
    if value is None:
        return "–"
    return say("{value} ms", value=number(value * 1e3)) if abs(value) < 10 else say("{value} s", value=number(value))


def percent(share: float | None) -> str:
    """A share as a percentage: one decimal below 2 % only; never rounded up to 100."""
    if share is None:
        return "–"
    value = share * 100
    if 99 < value < 100:
        return f"{min(value, 99.9):.1f} %"
    text = f"{abs(value):.0f}" if abs(value) >= 1.95 else _without_zeros(f"{abs(value):.1f}")
    return f"{MINUS if value < 0 and text.strip('0.') else ''}{text} %"
