"""Which runs are a pair, and what pairs are good for: drift of the machine is no difference, and a difference is seen.

The simulations are seeded, and nothing in them waits.
"""

import math
import random
from datetime import UTC, datetime, timedelta

import pytest

from core.comparison import Verdict, differs, verdict
from core.repeats import OneRun, Turn, difference_of_outputs, difference_of_values, paired
from core.steadiness import Rate

STARTED = datetime(2026, 11, 29, 9, 0, tzinfo=UTC)
EXPERIMENTS = 200
REQUESTS, NOISE, DRIFT = 100, 0.08, 0.20


def one(shows, repeat, at=0, experiment="e"):
    """What a run shows that had this turn, begun so many minutes after the first."""
    return OneRun(shows=shows, turn=Turn(experiment=experiment, repeat=repeat, began=STARTED + timedelta(minutes=at)))


def test_the_same_repeat_of_both_sides_is_a_pair():
    ours, theirs = [one("a0", 0, 0), one("a1", 1, 3), one("a2", 2, 4)], [one("b0", 0, 1), one("b1", 1, 2)]

    assert paired(ours, theirs) == [("a0", "b0"), ("a1", "b1")]


def test_runs_of_two_experiments_or_of_none_are_no_pairs():
    assert paired([one("a", 0)], [one("b", 0, experiment="f")]) == []
    assert paired([OneRun(shows="a")], [OneRun(shows="b")]) == []
    assert paired([one("a", 0)], []) == []


def test_one_side_after_the_other_is_no_pair_whatever_their_numbers_say():
    ours, theirs = [one(f"a{k}", k, k) for k in range(3)], [one(f"b{k}", k, 3 + k) for k in range(3)]

    assert paired(ours, theirs) == []
    assert paired(ours[:1], theirs[:1]) == [("a0", "b0")]


def test_one_pair_is_told_by_what_the_two_show_within_and_several_by_their_pairs():
    def found(repeats):
        ours, theirs = (
            [one([middle * (1 + k / 500) for k in range(40)], repeat, 2 * repeat) for repeat in range(repeats)]
            for middle in (1.0, 1.2)
        )
        return difference_of_values(ours, theirs, "p50", lanes=(1, 1))

    assert (found(1).pairs, found(1).counts) == (0, (40, 40))
    assert (found(2).pairs, found(2).within) == (2, None)
    assert (found(3).pairs, found(3).counts) == (3, (3, 3))
    assert found(3).low == pytest.approx(1.2)


def test_a_run_without_a_value_makes_no_pair():
    ours = [one([1.0] * 9, repeat) for repeat in range(4)]
    theirs = [one([] if repeat == 2 else [1.2] * 9, repeat) for repeat in range(4)]

    assert difference_of_values(ours, theirs, "p50", lanes=(1, 1)).pairs == 3


def test_throughputs_are_paired_too():
    def side(*rates):
        return [one(Rate(per_s=rate, error=0.5, freedom=4), repeat, repeat) for repeat, rate in enumerate(rates)]

    found = difference_of_outputs(side(100, 200, 400), side(110, 220, 440))

    assert (found.pairs, found.ratio) == (3, pytest.approx(1.1))
    assert found.low == pytest.approx(1.1)
    assert difference_of_outputs(side(100), side(110)).pairs == 0
    assert difference_of_outputs(side(100), side(110)).within is not None
    assert difference_of_outputs([], side(110)).ratio is None


def experiment(rng, *, repeats, factor, drift=DRIFT):
    """Runs of A and B in turns, A B, B A, ..., on a machine that gets slower by `drift` from the first to the last."""
    sides = {"a": [], "b": []}
    for repeat in range(repeats):
        for name in "ba" if repeat % 2 else "ab":
            place = sum(map(len, sides.values()))
            middle = (1 + drift * place / (2 * repeats - 1)) * (factor if name == "b" else 1.0)
            values = [middle * math.exp(rng.gauss(0, NOISE)) for _ in range(REQUESTS)]
            sides[name].append(one(values, repeat, place))
    return sides["a"], sides["b"]


def verdicts(seed, statistic="p50", **rest):
    """The verdicts of many experiments."""
    rng = random.Random(seed)
    found = (difference_of_values(*experiment(rng, **rest), statistic, lanes=(1, 1)) for _ in range(EXPERIMENTS))
    return [verdict(one_, "lower") for one_ in found]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("repeats", [3, 4, 5])
@pytest.mark.parametrize("statistic", ["p50", "p95"])
def test_a_machine_that_drifts_by_a_fifth_is_hardly_ever_taken_for_a_difference(seed, repeats, statistic):
    said = verdicts(seed, statistic, repeats=repeats, factor=1.0)

    assert sum(one_ in (Verdict.BETTER, Verdict.WORSE) for one_ in said) <= 18


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("drift", [0.0, DRIFT])
@pytest.mark.parametrize(("factor", "word"), [(1.1, Verdict.WORSE), (1 / 1.1, Verdict.BETTER)])
def test_a_true_tenth_is_found_whether_the_machine_drifts_or_not(seed, drift, factor, word):
    said = verdicts(seed, repeats=5, factor=factor, drift=drift)

    assert said.count(word) >= 190


def test_without_turns_the_same_drift_would_be_a_difference():
    rng = random.Random(4)
    fooled = 0
    for _ in range(20):
        runs = [side for sides in experiment(rng, repeats=5, factor=1.0) for side in sides]
        runs.sort(key=lambda run: run.turn.began)
        first, last = ([OneRun(shows=run.shows) for run in half] for half in (runs[:5], runs[5:]))
        fooled += differs(difference_of_values(first, last, "p50", lanes=(1, 1)))

    assert fooled == 20
