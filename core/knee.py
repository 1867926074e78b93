"""Throughput and latency of one configuration over its levels -> where more load stops paying, and the range to use.

Knows numbers at levels, no run and no page. Says nothing of a range that the levels do not show.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.load import Variable, level_words
from core.quantities import number, percent
from core.words import say

WORTH = 0.5  # of what a stream brings at the lowest level: what a further one has to add
GROWS = 0.05  # less is no growth: throughputs of single runs differ by as much
KEEPS_PACE = 0.95
FEWEST = 3  # levels that can show a bend


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One level: output tokens/s, and a latency such as TTFT p95; None where it does not exist.

    Attributes:
        pace: At a rate: answers a second as a share of what was really offered, which chance draws about the rate.
    """

    value: float
    throughput: float
    latency_s: float | None = None
    pace: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A level seen from those below it.

    Attributes:
        efficiency: Throughput for each stream, as a share of that at the lowest level; at a rate the pace.
        added: What each further stream since the level below adds, as the same share; None at the lowest, and at rates.
    """

    level: Level
    efficiency: float
    added: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Where a configuration is best used.

    Attributes:
        low: Up to here each further stream is worth it; at a rate the lowest level.
        high: Beyond it throughput does not grow; None if it still grows at the highest level, or with too few levels.
        knee: The level with the most throughput for its latency (Kleinrock's power); None without latencies.
    """

    steps: tuple[Step, ...]
    low: float | None
    high: float | None
    knee: float | None
    sentence: str


def recommended(levels: Sequence[Level], *, variable: Variable, latency: str) -> Range | None:
    """The range of one configuration; None without a level. `latency` is the name of the latency, `TTFT p95`."""
    known = sorted((level for level in levels if level.throughput > 0), key=lambda level: level.value)
    if variable == "rate":
        paced = tuple(Step(level=one, efficiency=one.pace, added=None) for one in known if one.pace is not None)
        return _of_rates(paced, latency) if paced else None
    if not known:
        return None
    steps = _steps(known)
    if len(known) < FEWEST:
        return Range(steps=steps, low=None, high=None, knee=None, sentence=_too_few(steps))
    return _of_streams(steps, latency)


def _steps(known: Sequence[Level]) -> tuple[Step, ...]:
    alone = known[0].throughput / known[0].value
    found = [Step(level=known[0], efficiency=1.0, added=None)]
    for before, level in pairwise(known):
        added = (level.throughput - before.throughput) / (level.value - before.value) / alone
        found.append(Step(level=level, efficiency=level.throughput / level.value / alone, added=added))
    return tuple(found)


def _knee(steps: Sequence[Step]) -> float | None:
    powers = [
        (step.level.throughput / step.level.latency_s, -step.level.value) for step in steps if step.level.latency_s
    ]
    return -max(powers)[1] if len(powers) == len(steps) else None


def _too_few(steps: Sequence[Step]) -> str:
    if len(steps) == 1:
        where = level_words("concurrency", steps[0].level.value)
        return say("One level ({where}) shows no range: measure more of them.", where=where)
    low, high = steps
    return say(
        "From {low:g} to {where} throughput {grows}, so each stream gets {share} of what each got at {low:g}: two "
        "levels show no range, measure some between.",
        low=low.level.value,
        where=level_words("concurrency", high.level.value),
        grows=_grows(high.level.throughput / low.level.throughput),
        share=percent(high.efficiency),
    )


def _of_streams(steps: tuple[Step, ...], latency: str) -> Range:
    low = steps[0]
    for step in steps[1:]:
        if step.added is None or step.added < WORTH:
            break
        low = step
    place = next(
        place
        for place, step in enumerate(steps)
        if max((later.level.throughput for later in steps[place + 1 :]), default=0.0)
        < (1 + GROWS) * step.level.throughput
    )
    high = steps[max(place, steps.index(low))]
    last = steps[-1]
    begin = _begin(steps[0], low)
    if high is last:
        words = _open_end(begin, low, last)
        return Range(steps=steps, low=low.level.value, high=None, knee=_knee(steps), sentence=words)
    words = say(
        "{begin}; beyond {high:g} {change}: {range}.",
        begin=begin,
        high=high.level.value,
        change=_change(high.level, last.level, latency),
        range=_range_words(low.level.value, high.level.value),
    )
    return Range(steps=steps, low=low.level.value, high=high.level.value, knee=_knee(steps), sentence=words)


def _begin(first: Step, low: Step) -> str:
    alone = say("one alone brings") if first.level.value == 1 else say("each brings at {n:g}", n=first.level.value)
    if low is first:
        return say(
            "From {low} on a further stream adds less than half of what {alone}",
            low=level_words("concurrency", low.level.value),
            alone=alone,
        )
    return say(
        "Up to {low} each further stream adds at least half of what {alone}",
        low=level_words("concurrency", low.level.value),
        alone=alone,
    )


def _open_end(begin: str, low: Step, last: Step) -> str:
    if low is last:
        return say("{begin}: that is the highest level measured, the range ends beyond it.", begin=begin)
    words = (
        "{begin}; throughput still grows at {last:g}, the highest level measured: the range begins at {low:g} and ends "
        "beyond {last:g}."
    )
    return say(words, begin=begin, low=low.level.value, last=last.level.value)


def _range_words(low: float, high: float) -> str:
    if low == high:
        return say("{high:g} is the level to use", high=high)
    return say("{low:g} to {high:g} is the range", low=low, high=high)


def _change(high: Level, last: Level, latency: str) -> str:
    ratio = last.throughput / high.throughput
    words = say("throughput grows by less than {share}", share=percent(GROWS))
    if ratio < 1 - GROWS:
        words = say("throughput falls by {share}", share=percent(1 - ratio))
    if not high.latency_s or last.latency_s is None:
        return words
    return say(
        "{words} while {latency} {grows}", words=words, latency=latency, grows=_grows(last.latency_s / high.latency_s)
    )


def _grows(ratio: float) -> str:
    if ratio < 1 - GROWS:
        return say("falls by {share}", share=percent(1 - ratio))
    if ratio < 1 + GROWS:
        return say("stays about the same")
    if ratio < 1.9:
        return say("grows by {share}", share=percent(ratio - 1))
    if ratio <= 2.1:
        return say("doubles")
    if 2.85 <= ratio <= 3.15:
        return say("triples")
    return say("grows {times} times", times=number(ratio))


def _of_rates(steps: tuple[Step, ...], latency: str) -> Range:
    first, last = steps[0], steps[-1]
    kept = None
    for step in steps:
        if step.efficiency < KEEPS_PACE:
            break
        kept = step
    if kept is None:
        words = say(
            "Already at {where} answers are {share} behind what was offered: measure lower rates.",
            where=level_words("rate", first.level.value),
            share=percent(1 - first.efficiency),
        )
        return Range(steps=steps, low=None, high=None, knee=None, sentence=words)
    low, high = first.level.value, kept.level.value
    where = level_words("rate", high)
    if kept is last:
        words = say(
            "Answers keep pace with what is offered up to {where}, the highest measured: the end lies beyond.",
            where=where,
        )
        return Range(steps=steps, low=low, high=None, knee=_knee(steps), sentence=words)
    behind = steps[steps.index(kept) + 1]
    words = say(
        "Answers keep pace with what is offered up to {where}; at {next:g} they are {share} behind",
        where=where,
        next=behind.level.value,
        share=percent(1 - behind.efficiency),
    )
    if kept.level.latency_s and behind.level.latency_s is not None:
        grows = _grows(behind.level.latency_s / kept.level.latency_s)
        words += say(" while {latency} {grows}", latency=latency, grows=grows)
    words += say(": {where} is the most to plan with.", where=where)
    return Range(steps=steps, low=low, high=high, knee=_knee(steps), sentence=words)
