"""How long an answer asks to wait: `Retry-After`, in seconds or as a date. Knows no clock: when is now, it is told."""

import math
import re
from datetime import UTC, datetime

MAX_RETRY_AFTER_S = 30 * 86_400.0
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# The three forms of RFC 9110: Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT; Sun Nov  6 08:49:37 1994.
DAY_FIRST = re.compile(
    r"(?:[a-z]{3,9}, *)?(?P<day>\d{1,2})[ -](?P<month>[a-z]{3})[ -](?P<year>\d{4}|\d\d) +"
    r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d) *(?:gmt|utc|[+-]0000)?",
    re.ASCII,
)
MONTH_FIRST = re.compile(
    r"[a-z]{3} (?P<month>[a-z]{3}) +(?P<day>\d{1,2}) (?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d) (?P<year>\d{4})",
    re.ASCII,
)


def wait_s(retry_after: str | None, answered_at: datetime | None) -> float | None:
    """Seconds that were asked for, from 0 for a date that is over to 30 days; None if nothing usable was said.

    `answered_at`: the answer's own `Date` if it has one, as its clock set the other date, else when it came. Without
    it a date says nothing.
    """
    said = (retry_after or "").strip()
    try:
        seconds = float(said)
    except ValueError:
        until = http_date(said)
        if until is None or answered_at is None:
            return None
        seconds = max(0.0, (until - answered_at).total_seconds())
    return min(seconds, MAX_RETRY_AFTER_S) if math.isfinite(seconds) and seconds >= 0 else None


def http_date(text: str | None) -> datetime | None:
    """A date as HTTP writes it, None if it is none."""
    said = (text or "").strip().lower()[:60]
    found = DAY_FIRST.fullmatch(said) or MONTH_FIRST.fullmatch(said)
    if found is None or found["month"] not in MONTHS:
        return None
    year = int(found["year"])
    if len(found["year"]) == 2:
        year += 2000 if year < 70 else 1900  # the oldest form has two digits; no answer is older than the web
    try:
        return datetime(
            year, MONTHS.index(found["month"]) + 1, int(found["day"]),
            int(found["hour"]), int(found["minute"]), min(int(found["second"]), 59), tzinfo=UTC,
        )  # fmt: skip
    except ValueError:
        return None
