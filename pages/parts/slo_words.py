"""The limits of an SLO as people read them: TTFT p95 below 500 ms. Judges nothing."""

from core.metrics import METRICS
from core.quantities import number, percent, seconds
from core.slo import LATENCIES, SUCCESS_RATE, Slo, SloLimit
from core.words import say

WORDS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}


def slo_words(slo: Slo) -> str:
    """All limits, with commas."""
    return ", ".join(f"{limited(limit)} {bound(limit)}" for limit in slo.limits)


def limited(limit: SloLimit) -> str:
    """Which number is limited."""
    return METRICS[limit.metric].title + (f" {limit.statistic}" if limit.statistic else "")


def bound(limit: SloLimit) -> str:
    """What it has to be."""
    return f"{say(WORDS[limit.relation])} {value(limit, limit.value)}"


def value(limit: SloLimit, amount: float) -> str:
    """A value of the limited number, with its unit."""
    if limit.metric in LATENCIES:
        return seconds(amount)
    return percent(amount, digits=1) if limit.metric == SUCCESS_RATE else say("{n} tokens/s", n=number(amount))
