"""Throughput against latency, and small multiples against load."""

from math import log10

from hypothesis import given
from hypothesis import strategies as st

from core.charts.differences import Interval, Row, forest
from core.charts.distribution import boxes, ecdf
from core.charts.sample import Series
from core.charts.tradeoff import Curve, Line, Panel, Point, against_load, frontier, throughput_against_latency
from core.quantiles import Sample

A = Series(name="A<br>", slot=0)
B = Series(name="B", slot=1, note="simulated")


def line(series, *points):
    return Line(series=series, points=[Point(level=lv, latency_s=s, throughput=t) for lv, s, t in points])


def test_the_frontier_is_the_best_throughput_within_each_limit():
    a, b, c, d = (
        Point(level=1, latency_s=0.1, throughput=10),
        Point(level=1, latency_s=0.2, throughput=5),
        Point(level=4, latency_s=0.3, throughput=20),
        Point(level=8, latency_s=0.4, throughput=20),
    )

    assert frontier([d, b, c, a]) == [a, c]


@given(st.lists(st.tuples(st.floats(0.01, 10), st.floats(1, 1e4)), min_size=1, max_size=30))
def test_no_point_beats_the_frontier(pairs):
    points = [Point(level=1, latency_s=s, throughput=t) for s, t in pairs]
    best = frontier(points)

    for point in points:
        assert max(b.throughput for b in best if b.latency_s <= point.latency_s) >= point.throughput


def test_throughput_starts_at_zero_and_levels_are_written():
    fig = throughput_against_latency(
        "light", [line(A, (1, 0.05, 100), (4, 0.2, 300)), line(B, (1, 0.06, 80))], metric="TTFT p95"
    )

    assert fig.layout.yaxis.range[0] == 0
    assert list(fig.data[1].text) == ["1", "4"]
    assert "B (simulated)" in fig.data[2].name
    assert fig.layout.xaxis.title.text == "TTFT p95, ms (log)"


def test_rates_are_labelled_as_they_are_and_named_as_what_was_offered():
    fig = throughput_against_latency(
        "light", [line(A, (0.5, 0.05, 50), (2.5, 0.2, 250))], metric="TTFT p95", unit_of_load="requests/s offered"
    )

    assert list(fig.data[1].text) == ["0.5", "2.5"]
    assert "labels are requests/s offered" in fig.layout.title.text
    assert "requests/s offered" in fig.data[1].hovertemplate


def test_many_levels_get_five_labels_from_first_to_last():
    rates = [0.3 * 1.7**place for place in range(12)]
    fig = throughput_against_latency(
        "light",
        [line(A, *((rate, 0.05, rate) for rate in rates))],
        metric="TTFT p95",
        unit_of_load="requests/s offered",
    )
    texts = [text for text in fig.data[0].text if text]
    assert (len(texts), texts[0], texts[-1]) == (5, f"{rates[0]:g}", f"{rates[-1]:g}")


def test_an_axis_of_rates_has_ticks_below_one_and_at_least_two():
    def ticks(*levels):
        curve = Curve(series=A, levels=levels, values=[1.0] * len(levels), name="p50")
        return list(against_load("light", [Panel(title="t", curves=[curve])], legend=False).layout.xaxis.ticktext)

    assert ticks(0.25, 0.5, 1.0, 2.0, 4.0) == ["0.25", "1", "4"]
    assert ticks(33.0, 34.0, 35.0, 36.0, 37.0) == ["33", "37"]
    assert ticks(0.5, 2.5) == ["0.5", "2.5"]


def test_a_simulated_line_is_not_on_the_frontier():
    fig = throughput_against_latency(
        "light", [line(A, (1, 0.05, 100), (4, 0.2, 300)), line(B, (1, 0.01, 900))], metric="TTFT p95"
    )

    assert list(fig.data[0].y) == [100, 300]


def test_of_many_levels_only_the_known_ones_are_written():
    points = [(level, 0.01 * level, 10.0 * level) for level in (1, 2, 4, 8, 16, 32, 64)]

    fig = throughput_against_latency("light", [line(A, *points)], metric="TTFT p95")

    assert list(fig.data[1].text) == ["1", "", "", "8", "16", "32", "64"]


def test_a_name_in_a_hover_is_harmless():
    fig = throughput_against_latency("light", [line(A, (1, 0.05, 100))], metric="TTFT p95")

    assert "A<br>" not in fig.data[0].hovertemplate


def test_a_limit_is_shaded_and_labelled_at_its_exponent():
    fig = throughput_against_latency("light", [line(A, (1, 0.05, 100), (4, 0.5, 300))], metric="TTFT p95", limit_s=0.2)

    assert fig.layout.annotations[0].x == log10(200)
    assert fig.layout.shapes[0].x0 == 200


def test_panels_start_at_zero_and_tails_are_dotted():
    curves = [
        Curve(series=A, levels=[1, 4], values=[10.0, 20.0], name="p50"),
        Curve(series=A, levels=[1, 4], values=[15.0, None], name="p99", tail=True),
    ]

    fig = against_load("light", [Panel(title="TTFT, ms ↓", curves=curves), Panel(title="empty")], legend=True)

    assert fig.layout.yaxis.range == (0, 20.0 * 1.08)
    assert [trace.line.dash for trace in fig.data] == ["solid", "dot"]
    assert [trace.showlegend for trace in fig.data] == [True, False]


def test_speed_bands_stay_within_the_axis():
    curve = Curve(series=A, levels=[1, 4], values=[130.0, 90.0], name="")

    fig = against_load("light", [Panel(title="One stream", curves=[curve], bands=True)], legend=False)

    words = [note.text for note in fig.layout.annotations]
    assert "ordinary 50–150" in words
    assert "tuned 300–500" not in words
    name = next(note for note in fig.layout.annotations if note.text == "ordinary 50–150")
    assert not name.bgcolor  # a line of data that passes there is seen


def test_every_legend_tells_long_simulated_names_apart_and_says_simulated():
    series = [
        Series(name=f"Simulated 50.0 ms, 100 tokens/s, {end}", slot=slot, note="simulated")
        for slot, end in enumerate(("exact", "grown"))
    ]
    point = [(1, 0.05, 100)]
    sample = Sample(points=[0.1, 0.2], count=2)
    marks = [Interval(series=one, value=1, low=0, high=2, label="", standing="neutral") for one in series]
    figures = [
        throughput_against_latency("light", [line(one, *point) for one in series], metric="TTFT p95"),
        against_load(
            "light",
            [Panel(title="x", curves=[Curve(series=one, levels=[1], values=[1.0], name="") for one in series])],
            legend=True,
        ),
        forest("light", [Row(title="x", intervals=marks)], title="t", margin=3),
        ecdf("light", [(one, sample) for one in series], title="t", metric="m", share_of="s", share=0.5),
    ]

    for fig in figures:
        names = [trace.name for trace in fig.data if trace.showlegend is not False]
        assert len(set(names)) == 2
        assert all(name.endswith("(simulated)") for name in names)

    ticks = boxes("light", [(one, sample) for one in series], title="t").layout.yaxis.ticktext
    assert len(set(ticks)) == 2
    assert all(name.endswith("(simulated)") for name in ticks)
