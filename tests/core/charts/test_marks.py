"""Marks stand where their values are, and a long legend gets its lines."""

from math import log10

from core.chart_style import figure, log_axis
from core.charts.marks import limit_line, marked, percentile_lines, room_for_legend
from core.charts.sample import Series


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


def test_a_limit_on_the_other_axis_is_labelled_at_its_right_end():
    fig = figure("light", "t", "s", x="", y="ms")

    limit_line(fig, "light", "y", 200.0, "limit")

    assert fig.layout.annotations[0].y == 200.0
    assert fig.layout.shapes[1].y1 == 200.0


def test_a_long_legend_grows_the_figure_and_a_short_one_does_not():
    short, long = (figure("light", "t", "s", x="", y="") for _ in range(2))

    room_for_legend(short, ["A", "B"])
    room_for_legend(long, ["a" * 24] * 8)

    room_for_legend(builtin := figure("light", "t", "s", x="", y=""), ["SmolLM2-135M Q4_0"] * 3 + ["frontier"])

    assert short.layout.height == builtin.layout.height == 320
    assert long.layout.height > 320
    assert long.layout.margin.t > 78


def test_a_name_is_cut_before_its_mark_and_stays_different_from_the_others():
    series = [
        Series(name=f"Simulated 50.0 ms, 100 tokens/s, {end}", slot=slot, note="simulated")
        for slot, end in enumerate(("exact", "grown"))
    ]

    names = list(marked(series).values())

    assert names == ["Simulated 50…ns/s, exact (simulated)", "Simulated 50…ns/s, grown (simulated)"]


def test_a_name_in_a_figure_is_no_mark_up():
    assert list(marked([Series(name="<b>$x$", slot=0)]).values()) == ["&lt;b&gt;&#36;x&#36;"]
