"""Who is ahead for one user and under load, and that no winner is named that the numbers do not show."""

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.ranking import Measured, ranking
from core.repeats import OneRun, Turn
from core.steadiness import Rate

STARTED = datetime(2026, 11, 29, tzinfo=UTC)


def speeds(centre: float, seed: int, count: int = 20) -> list[float]:
    """Decode speeds of one run's requests."""
    rng = random.Random(seed)
    return [centre * rng.gauss(1, 0.02) for _ in range(count)]


def rates(*values: float, error: float | None = 0.01) -> list[Rate]:
    """Throughputs of single runs."""
    return [Rate(per_s=value, error=error, freedom=4) for value in values]


def runs_of(shown):
    """Runs of one experiment, repeat after repeat."""
    return [
        OneRun(shows=one, turn=Turn(experiment="e", repeat=repeat, began=STARTED)) for repeat, one in enumerate(shown)
    ]


def cell(
    name: str,
    level: int,
    decode: float,
    output: float | None,
    *,
    count: int = 20,
    runs: int = 1,
    error: float | None = 0.01,
) -> Measured:
    """A configuration at a load, one run or several alike."""
    return Measured(
        name=name,
        level=level,
        decode_tps=runs_of(speeds(decode, seed + level * 10 + len(name), count) for seed in range(runs)),
        output=runs_of(
            [] if output is None else rates(*(output * (1 + 0.005 * run) for run in range(runs)), error=error)
        ),
    )


def test_the_fastest_for_one_user_and_the_most_under_load_may_be_two():
    found = ranking(
        [cell("AWQ", 1, 160, 150), cell("W8A8", 1, 80, 75), cell("AWQ", 8, 20, 160), cell("W8A8", 8, 30, 240)], "W8A8"
    )

    assert found.sentence == "AWQ decodes fastest for one user; W8A8 serves the most under load."
    assert found.decode.best == ("AWQ",)
    assert found.decode.to_baseline.ratio == pytest.approx(2, rel=0.05)
    assert found.throughput.values == {"W8A8": 240, "AWQ": 160}
    assert found.throughput.to_baseline is None
    assert found.throughput.level == 8


def test_one_may_be_both():
    found = ranking(
        [cell("Q4_0", 1, 160, 150), cell("F16", 1, 80, 75), cell("Q4_0", 4, 50, 200), cell("F16", 4, 30, 110)], "F16"
    )

    assert found.sentence == "Q4_0 decodes fastest for one user and serves the most under load."


def test_two_that_cannot_be_told_apart_share_the_place():
    found = ranking([cell("a", 1, 100, 99), cell("bb", 1, 100, 99), cell("a", 4, 30, 110), cell("bb", 4, 30, 112)], "a")

    assert not found.decode.clear
    assert found.sentence == (
        f"No difference in decode speed seen between {' and '.join(found.decode.best)} for one user; "
        "no difference in throughput seen between bb and a under load."
    )


def test_the_slow_one_is_not_in_a_tie_of_the_fast():
    found = ranking([cell("a", 1, 100, 99), cell("bb", 1, 100, 99), cell("slow", 1, 50, 49)], "slow")

    assert set(found.decode.best) == {"a", "bb"}
    assert found.decode.behind == ("slow",)
    assert f"for one user, slow is behind {found.decode.best[0]};" in found.sentence


@pytest.mark.parametrize(("others", "told"), [(2, "s0 and s1 are behind "), (3, "the other 3 are behind ")])
def test_a_tie_leaves_nobody_of_the_comparison_out(others, told):
    slow = [cell(f"s{place}", 1, 50 - 10 * place, None) for place in range(others)]
    found = ranking([cell("a", 1, 100, None), cell("bb", 1, 100, None), *slow], "s0")

    assert told + found.decode.best[0] in found.sentence


def test_three_requests_are_too_few_to_name_a_winner():
    found = ranking([cell("a", 1, 160, None, count=3), cell("bb", 1, 80, None, count=3)], "a")

    assert found.sentence == "Too few requests to say who decodes fastest for one user."
    assert not found.decode.enough
    assert found.throughput is None


def test_only_levels_that_all_have_are_looked_at():
    found = ranking(
        [cell("a", 2, 100, 150), cell("a", 16, 10, 900), cell("bb", 2, 50, 80), cell("bb", 4, 50, 999)], "a"
    )

    assert (found.decode.level, found.throughput.level) == (2, 2)
    assert found.sentence == "a decodes fastest at 2 in flight and serves the most under load."


def test_without_a_common_level_nothing_is_said():
    found = ranking([cell("a", 1, 100, 99), cell("bb", 2, 100, 99)], "a")

    assert found.sentence == "Nothing can be said: these configurations were not measured at the same load."


def test_an_unknown_throughput_is_not_taken_for_a_small_one():
    found = ranking([cell("a", 1, 160, 99), cell("bb", 1, 80, None)], "a")

    assert found.throughput is None
    assert found.sentence == "a decodes fastest for one user."


def test_nothing_known_is_said_so():
    nothing = [Measured(name=name, level=1, decode_tps=runs_of([[]]), output=[]) for name in ("a", "b")]

    assert ranking(nothing, "a").sentence.startswith("Nothing can be said: neither")


@pytest.mark.parametrize("measured", [[], [cell("a", 1, 100, 99)]])
def test_one_configuration_is_no_comparison(measured):
    assert ranking(measured, "a").sentence == "Choose a second configuration to compare."


def test_repeats_are_compared_by_how_much_runs_differ():
    steady = ranking([cell("a", 1, 110, 109, runs=4), cell("bb", 1, 100, 99, runs=4)], "bb")
    scattered = [
        Measured(name=name, level=1, decode_tps=runs_of(speeds(middle, middle) for middle in middles),
                 output=runs_of(rates(*middles)))
        for name, middles in (("a", (80, 140, 100)), ("bb", (130, 70, 95)))
    ]  # fmt: skip

    assert steady.decode.best == ("a",)
    assert steady.decode.to_baseline.pairs == 4
    assert not ranking(scattered, "a").decode.clear
    assert not ranking(scattered, "a").throughput.clear


def test_two_repeats_are_too_few_to_name_a_winner_and_it_is_repeats_that_are_missing():
    found = ranking([cell("a", 1, 160, 150, runs=2), cell("bb", 1, 80, 75, runs=2)], "a")

    assert found.sentence == (
        "Too few repeats to say who decodes fastest for one user; not enough repeats to tell who serves the most for "
        "one user."
    )


def test_a_difference_within_the_noise_names_nobody():
    found = ranking([cell("F16", 4, 100, 113, error=0.06), cell("Q8_0", 4, 100, 100, error=0.06)], "Q8_0")

    assert found.throughput.best == ("F16", "Q8_0")
    assert found.throughput.enough
    assert "no difference in throughput seen between F16 and Q8_0 under load" in found.sentence


def test_too_few_requests_name_nobody_however_far_apart():
    found = ranking([cell("F16", 4, 160, 200, error=None), cell("Q8_0", 4, 80, 100, error=None)], "Q8_0")

    assert found.sentence == (
        "F16 decodes fastest at 4 in flight; not enough requests to tell who serves the most under load."
    )
    assert not found.throughput.enough


def test_a_repeated_one_and_a_single_one_are_told_apart_by_what_each_shows_within():
    one, three = cell("a", 1, 110, 150), cell("bb", 1, 100, 100, runs=3)

    assert ranking([one, three], "bb").throughput.best == ("a",)
    assert not ranking([one, cell("bb", 1, 100, 100, runs=3, error=None)], "bb").throughput.enough


def test_a_configuration_that_brought_nothing_is_behind():
    found = ranking([cell("a", 1, 160, 99), cell("bb", 1, 80, 0.0, error=None)], "bb")

    assert found.throughput.values == {"a": 99, "bb": 0}
    assert found.throughput.best == ("a",)


def test_rates_are_no_users_and_are_told_as_rates():
    cells = [replace(one, variable="rate", level=float(one.level)) for one in (
        cell("a", 1, 160, 150), cell("b", 1, 80, 75), cell("a", 8, 20, 160), cell("b", 8, 30, 240),
    )]  # fmt: skip
    found = ranking(cells, "a")

    assert found.sentence == "a decodes fastest at 1 request/s; b serves the most at 8 requests/s."
    assert not found.decode.of_one_user
    alike = ranking([one for one in cells if one.level == 1], "b")
    assert alike.sentence == "a decodes fastest at 1 request/s and serves the most at 1 request/s."


def test_lanes_make_the_rounds_where_the_level_is_a_rate():
    def within(lanes):
        cells = [replace(cell(name, 1, speed, 100, count=40), variable="rate", lanes=lanes)
                 for name, speed in (("a", 100), ("b", 80))]  # fmt: skip
        return ranking(cells, "b").decode.enough and ranking(cells, "b").decode.clear

    assert within(1)
    assert not within(20)
