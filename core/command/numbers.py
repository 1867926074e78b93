"""Numbers as they are typed after an option, for argparse: refused in one sentence. Knows no option."""

import argparse
import math

from core.levels import read_whole
from core.words import say


def positive(text: str) -> float | None:
    """A number above 0, None for anything else."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if 0 < found < math.inf else None


def whole(text: str) -> int:
    """A whole number, for argparse."""
    found = read_whole(text)
    if found is None:
        fault = "{text!r} has too many digits" if text.strip().isdigit() else "{text!r} is no whole number"
        raise argparse.ArgumentTypeError(say(fault, text=text[:80]))
    return found


def seconds(text: str) -> float:
    """Seconds above 0, for argparse."""
    found = positive(text)
    if found is None:
        raise argparse.ArgumentTypeError(say("{text!r} is no number of seconds above 0", text=text[:80]))
    return found


def amount(text: str) -> float:
    """Seconds, 0 too, for argparse."""
    return 0.0 if text.strip() in ("0", "0.0") else seconds(text)


def shape(text: str) -> float:
    """A number above 0, infinity too, for argparse."""
    if text.strip().lower() in ("inf", "infinity"):
        return math.inf
    found = positive(text)
    if found is None:
        raise argparse.ArgumentTypeError(say("{text!r} is no number above 0, and not inf", text=text[:80]))
    return found


def amount_per_cent(text: str) -> float:
    """A share as a percentage above 0 and at most 100, for argparse."""
    found = positive(text.strip().removesuffix("%"))
    if found is None or found > 100:
        raise argparse.ArgumentTypeError(say("{text!r} is no percentage above 0", text=text[:80]))
    return found / 100
