"""How numbers, times and foreign words are written for people. Pure functions: knows no page and no Streamlit.

Texts that come from models, servers or users pass `escape_markdown` or `code`.
"""

import re
from datetime import UTC, datetime, tzinfo

from core import quantities
from core.endpoint import SIMULATED
from core.quantities import MINUS, number, span
from core.shortening import TURNING, cut
from core.words import say

MISSING = quantities.MISSING
PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
# Streamlit turns these into icons, emoji and links after the backslashes are gone: a word joiner stops it.
SHORTCODE = re.compile(
    r":(?=[\w+/-]+:)|(?<=https:)(?=//)|(?<=http:)(?=//)|(?<=www)(?=\.)|(?<=\w)(?=@\w)", re.IGNORECASE
)
ARROWS = re.compile(r"(?<=[-~<>])(?=[>=-])")
JOINER = "\N{WORD JOINER}"
KILO, MILLION, BILLION = 1e3, 1e6, 1e9


def escape_markdown(text: str) -> str:
    """Foreign text as one line of plain words inside markdown: no link, icon, emoji, formula, colour or HTML."""
    line = " ".join(text.split()).translate(TURNING)
    line = SHORTCODE.sub(lambda found: found.group() + JOINER, line)
    line = ARROWS.sub(JOINER, line)
    return PUNCTUATION.sub(r"\\\1", line)


def escape_lines(text: str) -> str:
    """Foreign text of several lines, its line breaks kept."""
    return "  \n".join(escape_markdown(line) for line in text.splitlines())


def code(text: str) -> str:
    """Foreign text as inline code, for what people copy: addresses, models, key names."""
    line = " ".join(text.split()).translate(TURNING) or " "
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def short(text: str, length: int = 60) -> str:
    """At most `length` characters, with an ellipsis where something was cut."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def named(label: str, demo: str, length: int | None = None) -> str:
    """A configuration's label, cut first, then marked if nothing but the simulator stands behind it: labels change."""
    shown = cut(label, length) if length else label
    return say("{label} (simulated)", label=shown) if demo == SIMULATED else shown


def in_cell(label: str, demo: str) -> str:
    """A label for a table's cell, which cuts off what is too wide: the mark of the simulator comes first."""
    shown = label.translate(TURNING)
    return say("(simulated) {label}", label=shown) if demo == SIMULATED else shown


def count(value: int | None) -> str:
    """A whole number: 7,412."""
    return MISSING if value is None else f"{value:,}".replace("-", MINUS)


def quantity(value: float | None) -> str:
    """A large count in few letters: 940, 14,112, 3.6 M."""
    if value is None:
        return MISSING
    if abs(value) >= BILLION:
        return f"{value / BILLION:.1f} G"
    if abs(value) >= MILLION:
        return f"{value / MILLION:.1f} M"
    return f"{value:,.0f}"


def milliseconds(seconds: float | None) -> float | None:
    """The bare number for a column whose header says ms."""
    return None if seconds is None else seconds * KILO


def rate(per_second: float | None) -> str:
    """As a card writes it whose title names what is counted, tokens or requests: 1,571 /s."""
    return MISSING if per_second is None else f"{number(per_second)} /s"


def difference(ratio: float | None, low: float | None = None, high: float | None = None) -> str:
    """A change against a baseline with its interval: +27 % [20, 34]; above +100 %: 2.4 × [2.3, 2.5]."""
    if ratio is None:
        return MISSING
    if ratio > 2:
        text, parts = f"{ratio:.1f} ×", [f"{value:.1f}" for value in (low, high) if value is not None]
    else:
        digits = 1 if abs(ratio - 1) < 0.02 else 0
        text = _signed((ratio - 1) * 100, digits, plus=True) + " %"
        parts = [_signed((value - 1) * 100, digits) for value in (low, high) if value is not None]
    return f"{text} [{', '.join(parts)}]" if len(parts) == 2 else text


def _signed(value: float, digits: int, *, plus: bool = False) -> str:
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return text
    return (MINUS if value < 0 else "+" if plus else "") + text


def clock(seconds: float | None) -> str:
    """A duration as a clock shows it: 6:10, 1:02:07."""
    if seconds is None:
        return MISSING
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def in_seconds(seconds: float | None) -> str:
    """A duration that was measured, to three digits below a minute and a half: 38.2 s, then in words."""
    if seconds is None or seconds >= quantities.LONGEST_SECONDS:
        return span(seconds)
    return say("{n} s", n=number(seconds))


def when(moment: datetime | None, zone: tzinfo | None = None) -> str:
    """A moment in the reader's zone: 28 Nov 17:38."""
    if moment is None:
        return MISSING
    local = moment.astimezone(zone)
    return f"{local.day} {local:%b %H:%M}"


def moment(at: datetime, zone: tzinfo | None = None, now: datetime | None = None) -> str:
    """The hour if it is today, else the day with it."""
    text = when(at, zone)
    today = (now or datetime.now(UTC)).astimezone(zone).date() == at.astimezone(zone).date()
    return text.rpartition(" ")[2] if today else text


def ago(moment: datetime | None, now: datetime) -> str:
    """How long since: just now, 2 min ago, 3 h ago, 5 days ago."""
    if moment is None:
        return MISSING
    seconds = (now - moment).total_seconds()
    if seconds < 45:
        return say("just now")
    if seconds < 86_400:
        return say("{span} ago", span=span(max(60, seconds) if seconds < 90 else seconds))
    days = round(seconds / 86_400)
    return say("{n} days ago", n=days) if days > 1 else say("1 day ago")


def ago_now(moment: datetime | None) -> str:
    """How long since, by the clock on the wall."""
    return ago(moment, datetime.now(UTC))


def since(moment: datetime) -> str:
    """How long something has been going on, by the clock on the wall: 4 s."""
    return span((datetime.now(UTC) - moment).total_seconds())


def plural(amount: int, one: str, many: str) -> str:
    """`1 run`, `3 runs`: both forms are given, so that another language can differ."""
    return f"{amount:,} {say(one) if amount == 1 else say(many)}"


def dash(value: object) -> str:
    """The value's text, or a dash where nothing was observed."""
    return MISSING if value is None or value == "" else str(value)
