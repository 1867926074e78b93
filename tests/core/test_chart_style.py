"""The house look: names stay harmless, labels stand right, colours keep their meaning."""

import pytest

from core import chart_style
from core.chart_style import INK, log_ticks, plain, tint

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


def test_a_narrow_log_axis_has_several_even_ticks():
    assert log_ticks(380, 860) == [400, 600, 800]
    assert len(log_ticks(3.1, 3.2)) >= 3


def test_log_ticks_are_one_two_five():
    assert log_ticks(40, 900) == [50, 100, 200, 500]
