"""Two sets of values and the word for their difference."""

import json
import math
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.comparison import (
    FEWEST,
    Difference,
    Verdict,
    change,
    difference,
    difference_of_pairs,
    differs,
    pair_words,
    rounds,
    tie,
    verdict,
)

CASES = Path(__file__).parents[1] / "cases"


def around(centre: float, count: int, seed: int, spread: float = 0.05) -> list[float]:
    """Values about a centre."""
    rng = random.Random(seed)
    return [centre * rng.gauss(1, spread) for _ in range(count)]


def with_interval(low: float, high: float) -> Difference:
    """A difference with this interval."""
    return Difference(statistic="p50", baseline=1.0, ratio=(low + high) / 2, low=low, high=high, counts=(9, 9))


@pytest.mark.parametrize(
    ("low", "high", "word_if_lower_is_better"),
    [
        (0.6, 0.8, Verdict.BETTER),
        (1.2, 1.4, Verdict.WORSE),
        (0.98, 1.02, Verdict.EQUIVALENT),
        (0.97, 1.03, Verdict.EQUIVALENT),
        (1.01, 1.02, Verdict.EQUIVALENT),
        (0.96, 1.01, Verdict.UNCLEAR),
        (0.9, 1.1, Verdict.UNCLEAR),
        (1.01, 1.05, Verdict.WORSE),
    ],
)
def test_a_verdict_is_read_off_the_interval(low, high, word_if_lower_is_better):
    found = with_interval(low, high)
    turned = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}

    assert verdict(found, "lower") is word_if_lower_is_better
    assert verdict(found, "higher") is turned.get(word_if_lower_is_better, word_if_lower_is_better)


def test_a_tie_is_equivalent_only_where_every_one_of_it_is():
    def paired(low, high):
        return replace(with_interval(low, high), pairs=3)

    assert tie([]) is None
    assert tie([with_interval(0.99, 1.01)]) is None
    assert tie([paired(0.99, 1.01), paired(0.98, 1.0)]) is Verdict.EQUIVALENT
    assert tie([paired(0.99, 1.01), paired(0.9, 1.1)]) is Verdict.UNCLEAR
    assert tie([paired(0.99, 1.01), Difference(statistic="p50", ratio=1.0, pairs=2)]) is Verdict.NOT_ENOUGH_DATA


def test_without_an_interval_there_is_not_enough_data():
    nothing = Difference(statistic="p50", ratio=2.0)

    assert verdict(nothing, "lower") is Verdict.NOT_ENOUGH_DATA
    assert pair_words(nothing) == "not enough data"
    assert not differs(nothing)


def test_two_single_runs_are_only_said_to_differ_or_not():
    assert pair_words(with_interval(1.1, 1.2)) == "these two runs differ"
    assert pair_words(with_interval(0.9, 1.2)) == "no difference seen"
    assert pair_words(with_interval(1.001, 1.01)) == "no difference seen"


@pytest.mark.parametrize("statistic", ["mean", "p50", "p90", "p95", "p99"])
def test_a_difference_of_a_quarter_is_seen_and_none_is_not(statistic):
    baseline = around(0.1, 300, 1)

    slower, same = (
        difference(baseline, around(0.125, 300, 2), statistic),
        difference(baseline, around(0.1, 300, 3), statistic),
    )

    assert slower.ratio == pytest.approx(1.25, rel=0.05)
    assert slower.low > 1
    assert differs(slower)
    assert not differs(same)
    assert slower.counts == (300, 300)


def test_the_same_seed_gives_the_same_interval_and_another_seed_nearly_the_same():
    ours, theirs = around(1, 100, 1), around(1.1, 100, 2)

    assert difference(ours, theirs, "p50", 5) == difference(ours, theirs, "p50", 5)
    assert difference(ours, theirs, "p50", 5).low == pytest.approx(difference(ours, theirs, "p50", 6).low, rel=0.02)


@pytest.mark.parametrize("statistic", list(FEWEST))
def test_too_few_values_have_a_ratio_and_no_interval(statistic):
    few, enough = FEWEST[statistic] - 1, FEWEST[statistic]

    assert difference(around(1, few, 1), around(2, enough, 2), statistic).within is None
    assert difference(around(1, few, 1), around(2, enough, 2), statistic).ratio is not None
    assert difference(around(1, enough, 1), around(2, enough, 2), statistic).within is not None


def test_gaps_of_few_requests_have_no_interval_however_many_they_are():
    gaps = around(0.01, 800, 1)

    of_four = difference(
        gaps, gaps, "p50", baseline_groups=[i // 200 for i in range(800)], other_groups=list(range(800))
    )
    of_eight = difference(
        gaps, gaps, "p50", baseline_groups=[i // 100 for i in range(800)], other_groups=list(range(800))
    )

    assert of_four.within is None
    assert of_eight.within is not None


def held(make, *, lanes=1, pairs=300):
    """Share of pairs of runs alike whose interval holds 1."""
    rng = random.Random(5)
    found = 0
    for seed in range(pairs):
        ours, theirs = make(rng), make(rng)
        groups = rounds([len(ours)], lanes)
        within = difference(ours, theirs, "p50", seed, baseline_groups=groups, other_groups=groups).within
        found += within[0] <= 1 <= within[1]
    return found / pairs


@pytest.mark.parametrize("count", range(FEWEST["p50"], 11))
@pytest.mark.parametrize("spread", [0.1, 0.8])
def test_few_values_are_enough_for_a_medians_interval_to_hold_the_truth(count, spread):
    assert held(lambda rng: [rng.lognormvariate(0, spread) for _ in range(count)]) >= 0.93


@pytest.mark.parametrize(("lanes", "count"), [(4, 40), (16, 96)])
def test_under_load_rounds_are_drawn_and_single_requests_would_be_wrong(lanes, count):
    def make(rng):
        luck = [rng.lognormvariate(0, 0.1) for _ in range(count // lanes)]
        return [luck[place // lanes] * rng.lognormvariate(0, 0.05) for place in range(count)]

    assert held(make, lanes=lanes) >= 0.9
    assert held(make) < 0.8


def test_rounds_are_counted_run_after_run_and_a_rest_belongs_to_the_last():
    assert rounds([7, 4], 3) == [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    assert rounds([2], 3) == [0, 0]
    assert rounds([0, 2], 2) == [0, 0]
    assert rounds([5], 1) is None


@pytest.mark.parametrize(
    ("baseline", "other"),
    [([], []), ([1.0] * 9, []), ([], [1.0] * 9), ([0.0] * 9, [1.0] * 9), ([math.nan] * 9, [1.0] * 9)],
)
def test_what_has_no_ratio_has_no_interval(baseline, other):
    found = difference(baseline, other)

    assert found.ratio is None
    assert found.within is None
    assert verdict(found, "lower") is Verdict.NOT_ENOUGH_DATA


def test_values_that_are_all_alike_are_equivalent():
    assert verdict(difference([0.05] * 20, [0.05] * 20), "lower") is Verdict.EQUIVALENT
    assert verdict(difference_of_pairs([(5.0, 5.0)] * 3, "p50"), "lower") is Verdict.EQUIVALENT
    assert verdict(difference_of_pairs([(5.0, 6.0)] * 3, "p50"), "lower") is Verdict.WORSE


@given(st.lists(st.floats(0.001, 10), min_size=5, max_size=40), st.lists(st.floats(0.001, 10), min_size=5, max_size=40))
def test_the_interval_holds_the_ratio(ours, theirs):
    found = difference(ours, theirs, "p50")

    assert found.low <= found.ratio <= found.high


def test_regression_or_noise_over_repeats():
    given_ = json.loads((CASES / "regression_or_noise.json").read_text())
    expect = json.loads((CASES / "regression_or_noise.expected.json").read_text())["expect"]
    better = "lower" if given_["lower_is_better"] else "higher"
    words = {
        Verdict.WORSE: "regression",
        Verdict.EQUIVALENT: "no_difference",
        Verdict.UNCLEAR: "no_difference",
        Verdict.NOT_ENOUGH_DATA: "not_enough_data",
    }

    for name in ("same_but_noisy", "really_slower"):
        found = difference_of_pairs(list(zip(given_["baseline"], given_[name], strict=True)), "mean")
        # The mean over pairs is geometric: of values that scatter by some % it is a little below.
        assert found.baseline == pytest.approx(expect["baseline_mean"], rel=0.001)
        assert (found.ratio - 1) * 100 == pytest.approx(expect[name]["mean_delta_pct"], abs=0.1)
        assert words[verdict(found, better)] == expect[name]["verdict"]

    one_each = difference_of_pairs([(given_["baseline"][0], given_["really_slower"][0])], "mean")
    assert words[verdict(one_each, better)] == expect["one_run_each"]["verdict"]


def test_two_pairs_have_no_interval_and_three_that_scatter_tell_nothing():
    two = difference_of_pairs([(100, 150), (140, 190)], "p50")

    assert (two.within, two.pairs) == (None, 2)
    assert verdict(two, "lower") is Verdict.NOT_ENOUGH_DATA
    assert verdict(difference_of_pairs([(100, 150), (140, 190), (100, 90)], "p50"), "lower") is Verdict.UNCLEAR


def test_students_interval_over_pairs_on_a_worked_example():
    # Logarithms of the ratios: log 1.1, log 1.2, log 1.3; t of 2 degrees of freedom.
    found = difference_of_pairs([(10, 11), (20, 24), (5, 6.5)], "p50")

    logs = [math.log(ratio) for ratio in (1.1, 1.2, 1.3)]
    centre = sum(logs) / 3
    reach = 4.303 * math.sqrt(sum((one - centre) ** 2 for one in logs) / 2 / 3)
    assert found.ratio == pytest.approx((1.1 * 1.2 * 1.3) ** (1 / 3))
    assert found.baseline == pytest.approx((10 * 20 * 5) ** (1 / 3))
    assert found.low == pytest.approx(math.exp(centre - reach), rel=1e-9)
    assert found.high == pytest.approx(math.exp(centre + reach), rel=1e-9)
    assert (found.counts, found.pairs) == ((3, 3), 3)


def test_what_slows_both_of_a_pair_alike_is_in_no_interval():
    steady = difference_of_pairs([(1.0, 1.1), (1.0, 1.12), (1.0, 1.08)], "p50")
    drifting = difference_of_pairs([(1.0, 1.1), (2.0, 2.24), (30.0, 32.4)], "p50")

    assert (drifting.ratio, drifting.low, drifting.high) == pytest.approx((steady.ratio, steady.low, steady.high))


def test_who_brought_nothing_in_one_run_has_a_ratio_and_no_interval():
    found = difference_of_pairs([(100.0, 0.0), (100.0, 0.0), (100.0, 0.0)], "rate")

    assert (found.ratio, found.within, found.pairs) == (0.0, None, 3)
    assert difference_of_pairs([], "rate").ratio is None
    assert difference_of_pairs([(math.nan, 1.0)], "rate").pairs == 0


def test_many_pairs_reach_for_the_normal_limit():
    found = difference_of_pairs(list(zip(around(1, 400, 1), around(1, 400, 2), strict=True)), "p50")

    assert found.high / found.low == pytest.approx(math.exp(2 * 1.96 * 0.05 * math.sqrt(2 / 400)), rel=0.1)


@example(pairs=[(1e9, 5e-324), (5e-324, 1e9), (1.0, 1.0)])
@given(st.lists(st.tuples(st.floats(0, 1e9), st.floats(0, 1e9)), max_size=6))
def test_pairs_of_any_kind_have_a_verdict(pairs):
    found = difference_of_pairs(pairs, "p50")

    assert isinstance(verdict(found, "higher"), Verdict)
    assert found.within is None or found.within[0] <= found.ratio <= found.within[1]


def test_a_ratio_is_told_as_a_change():
    assert change(1.25) == pytest.approx(25)
    assert change(0.75) == pytest.approx(-25)
    assert change(None) is None
