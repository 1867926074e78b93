"""How steady a run's output was -> the error of its throughput, as far as one run can show it.

Knows when requests were served and what they brought, no run, no metric's name. One run has one throughput, yet its
requests tell how much output varied from one part of the run to the next; what varies from run to run it cannot tell.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from core.timeline import spread

# Fewer answers than these, or fewer for each lane of the closed loop, and a throughput has no error: chance decides.
FEWEST_ANSWERS = 30
FEWEST_ROUNDS = 6
# Parts of the run held against each other. They are long, a round at least: requests of one moment share its luck, and
# taking each for an independent witness makes an interval several times too narrow (in tests/core/test_steadiness.py).
PARTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """One request that occupied its lane.

    Attributes:
        begun_s, done_s: Between these its output came.
        tokens: Output tokens; 0 if it failed.
    """

    sent_s: float
    ended_s: float
    begun_s: float
    done_s: float
    tokens: float


def stay(
    *,
    sent_s: float,
    ended_s: float,
    first_token_s: float | None,
    last_token_s: float | None,
    streamed: bool,
    tokens: float,
) -> Stay:
    """A request that was sent and has ended, in its lane; an answer in one piece was made at some time between."""
    begun_s = first_token_s if streamed and first_token_s is not None else sent_s
    done_s = ended_s if last_token_s is None else last_token_s
    return Stay(sent_s=sent_s, ended_s=ended_s, begun_s=begun_s, done_s=max(begun_s, done_s), tokens=tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Output a second of one run, or of several runs alike.

    Attributes:
        error: Standard error as a share of the rate; None if there are too few requests to tell.
        freedom: How much stands behind the error, for Student's t.
    """

    per_s: float
    error: float | None = None
    freedom: float = 0.0


def rate(per_s: float, stays: Sequence[Stay], lanes: int) -> Rate:
    """The throughput `per_s` of a run, with its error from how output varied over the run and how the run ended.

    While the closed loop sends, all lanes are busy: equal parts of that time are so many measurements of the same
    throughput. After the last request is sent the run lasts until its slowest request ends: how long, is chance again.
    """
    answers = sum(stay.tokens > 0 for stay in stays)
    if answers < max(FEWEST_ANSWERS, FEWEST_ROUNDS * lanes):
        return Rate(per_s=per_s)
    start, last = min(stay.sent_s for stay in stays), max(stay.sent_s for stay in stays)
    end = max(stay.ended_s for stay in stays)
    brought = spread(_until(stays, last), start, last, PARTS) if start < last < end else []
    if not fsum(brought):
        return Rate(per_s=per_s)
    of_sending = _variance(brought) / PARTS / (fsum(brought) / PARTS) ** 2 * ((last - start) / (end - start)) ** 2
    of_ending = _variance([stay.ended_s - stay.sent_s for stay in stays]) / (end - start) ** 2
    return Rate(per_s=per_s, error=sqrt(of_sending + of_ending), freedom=PARTS - 1)


def _until(stays: Iterable[Stay], last_s: float) -> list[tuple[float, float, float]]:
    """(from, to, tokens) of what came before a moment."""
    spans = []
    for stay in stays:
        if stay.tokens and stay.begun_s < last_s:
            done = min(stay.done_s, last_s)
            share = (done - stay.begun_s) / (stay.done_s - stay.begun_s) if stay.done_s > last_s else 1.0
            spans.append((stay.begun_s, done, stay.tokens * share))
    return spans


def _variance(values: Sequence[float]) -> float:
    mean = fsum(values) / len(values)
    return fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def together(rates: Sequence[Rate]) -> Rate:
    """The mean of several runs' rates, with the error that they have from within; one without makes it unknown."""
    mean = fsum(one.per_s for one in rates) / len(rates)
    parts = [(one.error * one.per_s) ** 2 for one in rates if one.error is not None]
    if len(parts) < len(rates) or not mean:
        return Rate(per_s=mean)
    variance = fsum(parts)
    behind = fsum(part**2 / one.freedom for part, one in zip(parts, rates, strict=True))
    freedom = variance**2 / behind if behind else fsum(one.freedom for one in rates)
    return Rate(per_s=mean, error=sqrt(variance) / len(rates) / mean, freedom=freedom)
