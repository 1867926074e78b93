"""What makes runs at several loads hard to hold against each other: kinds of load, levels, the lengths of answers.

Looks at plans and at counts, never at who is faster.
"""

from collections.abc import Iterator, Sequence
from math import sqrt

from core.doubts.evidence import Evidence
from core.doubts.finding import Finding
from core.doubts.record import SHORT_SHARE
from core.load import Variable, level_words
from core.quantities import number
from core.summary import Distribution
from core.words import say

LENGTH_SHARE = 0.05
BEYOND_CHANCE = 3.0  # standard errors
FEWEST_ANSWERS = 8  # at a level, to tell that its answers are shorter
VARIABLES: tuple[Variable, ...] = ("concurrency", "rate")
At = tuple[Variable, float]  # a level: what it counts, and how many


def answer_mismatches(seen: Sequence[Evidence]) -> Iterator[Finding]:
    """Answers of different length although the same was asked for."""
    apart = {level: means for level, means in _answer_lengths(seen).items() if _differ(list(means.values()))}
    if not apart:
        return
    labels = {one.run.plan.configuration.id: one.run.plan.configuration.label for one in seen}
    told = " · ".join(
        say(
            "{means} at {level}",
            means="; ".join(f"{number(mean)} ({labels[key]})" for key, mean in means.items()),
            level=level_words(*level),
        )
        for level, means in sorted(apart.items())
    )
    yield Finding(
        kind="different_answers",
        level="act",
        what=say("The answers differ in length, tokens on average: {told}.", told=told),
        why=say("E2E latency and requests/s then compare different work."),
        do=say("Compare TTFT, TPOT and tokens/s, or demand an exact length (ignore_eos)."),
    )


def _answer_lengths(seen: Sequence[Evidence]) -> dict[At, dict[str, float]]:
    """Level -> configuration's id -> mean answer over its repeats, in tokens; load may shorten answers, so by level."""
    return {
        level: {
            key: sum(one.mean * one.count for one in spreads) / sum(one.count for one in spreads)
            for key, spreads in of_level.items()
        }
        for level, of_level in _answers(seen).items()
    }


def _answers(seen: Sequence[Evidence]) -> dict[At, dict[str, list[Distribution]]]:
    found: dict[At, dict[str, list[Distribution]]] = {}
    for one in seen:
        if spread := one.summary.distributions.get("output_tokens"):
            found.setdefault(_at(one), {}).setdefault(one.run.plan.configuration.id, []).append(spread)
    return found


def _differ(means: Sequence[float]) -> bool:
    known = [mean for mean in means if mean]
    return bool(known) and max(known) > (1 + LENGTH_SHARE) * min(known)


def shorter_mismatches(seen: Sequence[Evidence]) -> Iterator[Finding]:
    """A configuration whose answers are shorter at a higher level than at its lowest, beyond chance."""
    labels = {one.run.plan.configuration.id: one.run.plan.configuration.label for one in seen}
    answers = _answers(seen)
    told = []
    for key, label in labels.items():
        for variable in VARIABLES:
            levels = sorted(level for level, its in answers.items() if level[0] == variable and key in its)
            pooled = [(level, _pooled(answers[level][key])) for level in levels]
            worst = min(pooled, key=lambda pair: pair[1][0], default=None)
            if worst and _is_shorter(worst[1], pooled[0][1]):
                told.append(
                    say(
                        "{label}: {before} at {low}, {after} at {high}",
                        label=label,
                        before=number(pooled[0][1][0]),
                        low=level_words(*pooled[0][0]),
                        after=number(worst[1][0]),
                        high=level_words(*worst[0]),
                    )
                )
    if told:
        yield Finding(
            kind="shorter_under_load",
            level="act",
            what=say("Answers get shorter under load, tokens on average: {told}.", told="; ".join(told)),
            why=say("The server does less work a request when it is busy, so requests/s and E2E latency flatter it."),
            do=say("Look at the finish reasons, compare tokens/s, or demand an exact length (ignore_eos)."),
        )


def _pooled(spreads: Sequence[Distribution]) -> tuple[float, float | None]:
    """Mean answer over repeats, and the square of its standard error; None if there are too few."""
    count = sum(one.count for one in spreads)
    mean = sum(one.mean * one.count for one in spreads) / count
    parts = [one.stdev**2 * one.count for one in spreads if one.stdev is not None]
    known = count >= FEWEST_ANSWERS and len(parts) == len(spreads)
    return mean, sum(parts) / count**2 if known else None


def _is_shorter(busy: tuple[float, float | None], calm: tuple[float, float | None]) -> bool:
    if busy[1] is None or calm[1] is None or busy[0] >= calm[0] * SHORT_SHARE:
        return False
    return calm[0] - busy[0] > BEYOND_CHANCE * sqrt(busy[1] + calm[1])


def _at(seen: Evidence) -> At:
    load = seen.run.plan.load
    return load.variable, load.value


def kind_mismatches(seen: Sequence[Evidence]) -> Iterator[Finding]:
    """Closed loops beside open ones: no level of one is a level of the other."""
    by_kind: dict[Variable, dict[str, str]] = {}
    for one in seen:
        configuration = one.run.plan.configuration
        by_kind.setdefault(one.run.plan.load.variable, {})[configuration.id] = configuration.label
    if len(by_kind) < 2:
        return
    everywhere = len({frozenset(labels) for labels in by_kind.values()}) == 1
    closed, opened = (", ".join(dict.fromkeys(by_kind[kind].values())) for kind in VARIABLES)
    yield Finding(
        kind="different_load",
        level="note" if everywhere else "act",
        what=say(
            "Different kinds of load: requests in flight ({closed}), requests/s ({opened}).",
            closed=closed,
            opened=opened,
        ),
        why=say("A closed loop waits for answers and an open one does not: no level of one is a level of the other."),
        do=say("Hold only runs of one kind against each other."),
    )


def level_mismatches(seen: Sequence[Evidence]) -> Iterator[Finding]:
    """Levels of one kind that not all configurations have."""
    for variable in VARIABLES:
        yield from _levels_of([one for one in seen if one.run.plan.load.variable == variable], variable)


def _levels_of(seen: Sequence[Evidence], variable: Variable) -> Iterator[Finding]:
    levels: dict[str, set[float]] = {}
    labels = {one.run.plan.configuration.id: one.run.plan.configuration.label for one in seen}
    for one in seen:
        levels.setdefault(one.run.plan.configuration.id, set()).add(one.run.plan.load.value)
    if len(set(map(frozenset, levels.values()))) <= 1:
        return
    common = set.intersection(*levels.values())
    told = "; ".join(
        f"{labels[key]}: {', '.join(f'{level:g}' for level in sorted(found))}" for key, found in levels.items()
    )
    unit = say("in flight") if variable == "concurrency" else say("requests/s")
    yield Finding(
        kind="different_concurrency" if variable == "concurrency" else "different_rates",
        level="note" if common else "act",
        what=say("Not measured at the same loads, {unit}: {told}.", unit=unit, told=told),
        why=say("Latency grows with load, so only the common loads compare.")
        if common
        else say("Latency grows with load, so none of these compare."),
        do=say("Measure the missing loads."),
    )
