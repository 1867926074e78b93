"""The drawing of a search."""

from math import log10

from core.charts.sample import Series
from core.charts.search import Tried, Way, limit_by_level, search_course

WAY = Way(
    series=Series(name="A <b>", slot=0),
    tried=[
        Tried(level=1, met=True, value=40),
        Tried(level=4, met=True, value=100),
        Tried(level=16, met=False, value=None),
        Tried(level=8, met=False, value=520),
    ],
    edge=4,
)


def test_every_probe_is_drawn_in_its_order_and_shows_whether_it_kept_the_limits():
    fig = search_course("light", [WAY], unit="in flight", low=1, high=64)

    (line,) = fig.data
    assert (list(line.x), list(line.y)) == ([1, 2, 3, 4], [1, 4, 16, 8])
    assert list(line.marker.symbol) == ["circle", "circle", "x-thin", "x-thin"]
    assert fig.layout.yaxis.type == "log"


def test_the_edge_is_marked_with_its_level():
    fig = search_course("light", [WAY], unit="in flight", low=1, high=64)

    assert [shape.y0 for shape in fig.layout.shapes] == [4]
    (note,) = fig.layout.annotations
    assert (note.text, note.y) == ("edge <b>4</b>", log10(4))


def test_without_a_probe_the_range_is_drawn():
    fig = search_course("dark", [Way(series=Series(name="A", slot=0), tried=[])], unit="in flight", low=1, high=64)

    assert fig.layout.yaxis.range[0] < 0 < log10(64) < fig.layout.yaxis.range[1]


def test_the_limited_number_stands_at_its_level_and_a_missing_one_is_left_out():
    fig = limit_by_level("light", [WAY], title="TTFT p95", unit="in flight", axis="ms", limit=500)

    (line,) = fig.data
    assert list(zip(line.x, line.y, strict=True)) == [(1, 40), (4, 100), (8, 520)]
    assert fig.layout.shapes[0].y0 == 500
    assert fig.layout.shapes[0].y1 > 520


def test_a_lower_bound_shades_what_lies_under_it():
    fig = limit_by_level("light", [WAY], title="Success", unit="in flight", axis="%", limit=-99)

    assert (fig.layout.shapes[0].y0, fig.layout.shapes[0].y1) == (0, 99)


def test_a_name_from_outside_is_no_markup():
    fig = search_course("light", [WAY, Way(series=Series(name="B", slot=1), tried=[])], unit="x", low=1, high=4)

    assert "<b>" not in fig.data[0].name
    assert fig.layout.showlegend
