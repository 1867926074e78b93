"""The charts of the level that is running."""

import pytest

from core.charts.live import live, trailing


def drawn(**values):
    given = {"name": "Q4_0", "slot": 0, "now_s": 60.0, "tokens_per_s": [], "ttft": []} | values
    return live("light", **given)


def test_the_window_is_two_minutes_and_ends_now():
    fig = drawn(now_s=300.0, tokens_per_s=[(100.0, 5.0), (200.0, 50.0), (300.0, 60.0)])

    assert list(fig.data[0].x) == [-100.0, 0.0]
    assert list(fig.data[0].y) == [50.0, 60.0]
    assert tuple(fig.layout.xaxis.range) == (-120.0, 0)


def test_ttft_is_shown_in_ms_as_p50_and_p95():
    fig = drawn(ttft=[(59.0, 0.1), (59.5, 0.2), (59.9, 0.3)])

    assert fig.data[1].y[-1] == pytest.approx(200)
    assert fig.data[2].y[-1] == pytest.approx(290)
    assert fig.data[2].line.dash == "dot"


def test_a_step_without_an_answer_in_ten_seconds_has_no_point():
    found = trailing([(10.0, 1.0), (55.0, 3.0)], 50, now_s=60.0)

    assert [at for at, value in found if value == 1.0] == [10.0, 12.0, 14.0, 16.0, 18.0]
    assert [at for at, value in found if value == 3.0] == [56.0, 58.0, 60.0]
    assert len(found) == 8


def test_nothing_measured_yet_is_an_empty_frame():
    fig = drawn()

    assert fig.layout.yaxis.showticklabels is False
    assert len(fig.data[0].x) == 0


def test_a_hostile_name_is_no_markup():
    assert "<b>" not in drawn(name="<b>x</b>", tokens_per_s=[(1.0, 1.0)]).data[0].hovertemplate.replace("<br>", "")


def test_in_flight_is_drawn_where_it_is_given():
    values = {"name": "A", "slot": 0, "now_s": 10.0, "tokens_per_s": [(1.0, 5.0)], "ttft": []}

    without = live("light", **values)
    drawn = live("light", **values, in_flight=[(2.0, 3.0), (4.0, 5.0)])

    assert len(drawn.data) == len(without.data) + 1
    assert (list(drawn.data[-1].x), list(drawn.data[-1].y)) == ([-8.0, -6.0], [3.0, 5.0])
