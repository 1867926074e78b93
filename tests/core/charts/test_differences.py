"""The forest draws each verdict with its interval."""

from core.charts.differences import Interval, Row, forest
from core.charts.sample import Series

A = Series(name="A", slot=0)
B = Series(name="B", slot=1)


def interval(series, value, low, high, *, standing="good", label="−25 % better"):
    return Interval(series=series, value=value, low=low, high=high, label=label, standing=standing)


def test_an_interval_reaches_from_low_to_high():
    fig = forest("light", [Row(title="TTFT ↓", intervals=[interval(A, -25, -30, -20)])], title="t", margin=3)

    marker = fig.data[0]
    assert marker.x[0] == -25
    assert marker.error_x.array[0] == 5
    assert marker.error_x.arrayminus[0] == 5


def test_a_verdict_is_coloured_by_its_standing():
    rows = [
        Row(title="TTFT ↓", intervals=[interval(A, -25, -30, -20)]),
        Row(title="TPOT ↓", intervals=[interval(A, 20, 10, 30, standing="bad", label="+20 % worse")]),
        Row(title="E2E ↓", intervals=[interval(A, 1, -1, 2, standing="neutral", label="about 0")]),
    ]

    colours = forest("light", rows, title="t", margin=3).data[1].textfont.color

    assert len(set(colours)) == 3


def test_two_configurations_are_dodged_around_their_row():
    fig = forest(
        "light", [Row(title="TTFT ↓", intervals=[interval(A, 1, 0, 2), interval(B, 2, 1, 3)])], title="t", margin=3
    )

    assert fig.data[0].y[0] > 0 > fig.data[2].y[0]


def test_without_an_interval_only_the_marker_is_drawn():
    fig = forest("light", [Row(title="x", intervals=[interval(A, 5, None, None)])], title="t", margin=3)

    assert fig.data[0].error_x.array[0] == 0


def test_a_huge_difference_does_not_flatten_the_rest():
    rows = [Row(title="x", intervals=[interval(A, 14_000, 12_000, 16_000), interval(B, 5, 1, 9)])]

    fig = forest("light", rows, title="t", margin=3)

    assert fig.layout.xaxis.range[1] < 500


def test_what_rests_on_too_little_is_pale_and_has_no_colour_of_good_or_bad():
    weak = Interval(series=A, value=-25, low=-30, high=-20, label="less", standing="good", weak=True)
    firm = interval(A, -25, -30, -20)

    pale, bright = (forest("light", [Row(title="x", intervals=[one])], title="t", margin=3) for one in (weak, firm))

    assert pale.data[0].marker.opacity[0] < bright.data[0].marker.opacity[0]
    assert pale.data[1].textfont.color != bright.data[1].textfont.color


def test_a_label_never_lies_on_the_line_of_no_difference():
    rows = [
        Row(title="below", intervals=[interval(A, -74, None, None, label="−74 %, no interval")]),
        Row(title="about", intervals=[interval(A, -5, -20, 10, label="−5 % ≈")]),
        Row(title="above", intervals=[interval(A, 40, 20, 60, label="+40 % ▼")]),
    ]

    fig = forest("light", rows, title="t", margin=3)

    labels = fig.data[1]
    assert labels.textposition == ("middle left", "middle right", "middle right")
    assert labels.x == (-74, 10, 60)
    assert fig.layout.xaxis.range[0] < -74 - 0.3 * (60 + 74)  # room for the words


def test_bars_are_spoken_of_only_where_there_are_some():
    def reading(low, high):
        row = Row(title="x", intervals=[interval(A, 5, low, high)])
        return forest("light", [row], title="t", margin=3).layout.title.text

    assert "bars are 95 % intervals" in reading(1, 9)
    assert "bars" not in reading(None, None)
    assert "too few requests for intervals" in reading(None, None)
