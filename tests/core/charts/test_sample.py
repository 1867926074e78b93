"""Names, units and thinning of what figures draw."""

from core.charts.sample import Series, thinned, time_unit


def test_thinning_keeps_the_ends():
    assert thinned(list(range(10_000)), 500)[0] == 0
    assert thinned(list(range(10_000)), 500)[-1] == 9_999
    assert len(thinned(list(range(10_000)), 500)) == 500
    assert thinned([1, 2], 500) == [1, 2]


def test_times_from_ten_seconds_on_are_read_in_seconds():
    assert time_unit(9.99).name == "ms"
    assert time_unit(10.0).name == "s"


def test_a_note_stays_with_the_name():
    assert Series(name="A", slot=0, note="simulated").title == "A (simulated)"
