"""The house look: names stay harmless, labels stand right, colours keep their meaning."""

from math import log10

import pytest

from core import chart_style
from core.chart_style import INK, figure, log_axis, log_ticks, percentile_lines, plain, tint

HOSTILE = "<script>alert(1)</script> $x$ %{x} [a](b) &lt;"


def test_a_hostile_name_has_no_markup_left():
    shown = plain(HOSTILE, 200)

    assert "<" not in shown
    assert ">" not in shown
    assert "$" not in shown
    assert "{" not in shown
    assert "&amp;lt;" in shown


def test_a_long_name_is_cut_before_it_is_escaped():
    assert plain("<" * 300, 10) == "&lt;" * 9 + "…"


def test_both_modes_have_eight_different_colours():
    for ink in INK.values():
        assert len(set(ink.series)) == 8


def test_slots_beyond_eight_wrap_around():
    assert INK["light"].colour(9) == INK["light"].series[1]
    assert chart_style.symbol(8) == "circle"


def test_a_tint_of_one_is_the_colour_and_of_zero_the_paper():
    assert tint("#3C68E8", "#FFFFFF", 1) == "#3C68E8"
    assert tint("#3C68E8", "#FFFFFF", 0) == "#FFFFFF"


@pytest.mark.parametrize(("low", "high"), [(40, 900), (0.9, 72), (3.1, 3.2), (1e-5, 1e4)])
def test_log_ticks_lie_within_the_axis_and_are_never_none(low, high):
    ticks = log_ticks(low, high)

    assert ticks
    assert all(low * 0.99 <= tick <= high * 1.01 for tick in ticks)


def test_log_ticks_are_one_two_five():
    assert log_ticks(40, 900) == [50, 100, 200, 500]


def test_a_percentile_label_on_a_log_axis_stands_at_its_exponent():
    fig = figure("light", "t", "s", x="ms", y="")
    log_axis(fig, "xaxis", 10, 1000)

    percentile_lines(fig, "light", {"p50": 100.0, "p99": 500.0})

    assert fig.layout.shapes[0].x0 == 100.0
    assert fig.layout.annotations[0].x == log10(100.0)


def test_a_percentile_from_few_samples_is_faint():
    fig = figure("light", "t", "s", x="ms", y="")

    percentile_lines(fig, "light", {"p50": 100.0, "p99": 500.0}, faint=("p99",))

    assert fig.layout.annotations[0].opacity == 1
    assert fig.layout.annotations[1].opacity < 1
