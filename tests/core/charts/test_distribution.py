"""Histograms, ECDFs and boxes say what the sample says."""

import json

import numpy as np
import pytest

from core.charts.distribution import boxes, distribution, ecdf
from core.charts.sample import Series
from core.quantiles import Sample

A = Series(name="<b>A</b> $x$", slot=0)
B = Series(name="B", slot=1, note="simulated")


def sample(*, seed=0, count=400, scale=0.1):
    values = np.sort(np.random.default_rng(seed).lognormal(0, 0.3, count) * scale)
    return Sample(points=values.tolist(), count=count)


def drawn(s, **options):
    percentiles = {f"p{p}": float(s.at([p / 100])[0]) for p in (50, 95, 99)}
    return distribution(
        "light", s, percentiles, title="TTFT", note="lower is better", counted="requests", slot=0, **options
    )


def test_the_bars_hold_every_value():
    assert sum(drawn(sample()).data[0].y) == 400


def test_the_axis_is_in_milliseconds():
    fig = drawn(Sample(points=[0.1, 0.2, 0.3], count=3))

    assert fig.layout.xaxis.title.text == "ms"
    assert fig.data[0].x[0] > 90


def test_a_straggler_is_cut_and_named():
    points = [*np.linspace(0.1, 0.2, 999).tolist(), 9.0]

    fig = drawn(Sample(points=points, count=1000))

    assert "4 further right" in fig.layout.title.text
    assert max(fig.data[0].x) < 300


def test_equal_values_still_make_a_figure():
    fig = drawn(Sample(points=[0.1] * 5, count=5))

    assert sum(fig.data[0].y) == 5


def test_one_value_still_makes_a_figure():
    assert sum(drawn(Sample(points=[0.1], count=1)).data[0].y) == 1


def test_no_trace_has_more_than_five_hundred_points():
    big = sample(count=20_000)
    figures = [drawn(big), ecdf("dark", [(A, big)], title="t", metric="TTFT", share_of="share", share=0.95)]
    figures += [boxes("dark", [(A, big)], title="t", shape=shape) for shape in ("box", "violin")]

    for fig in figures:
        for trace in fig.data:
            assert len(trace.x if trace.x is not None else trace.y) <= 500


def test_a_wide_spread_is_drawn_on_a_log_axis_and_said():
    fig = ecdf("light", [(A, sample()), (B, sample(scale=3))], title="t", metric="TTFT", share_of="share", share=0.95)

    assert fig.layout.xaxis.type == "log"
    assert "(log)" in fig.layout.xaxis.title.text


def test_zero_values_keep_the_axis_linear():
    fig = ecdf("light", [(A, Sample(points=[0.0, 1.0], count=2))], title="t", metric="x", share_of="s", share=0.5)

    assert fig.layout.xaxis.type != "log"


def test_one_run_needs_no_legend():
    assert not ecdf("light", [(A, sample())], title="t", metric="x", share_of="s", share=0.5).layout.showlegend


@pytest.mark.parametrize("shape", ["box", "violin"])
def test_boxes_name_simulated_runs_and_keep_names_harmless(shape):
    fig = boxes("light", [(A, sample()), (B, sample(seed=1))], title="t", shape=shape)

    assert "B (simulated)" in fig.layout.yaxis.ticktext
    assert "<b>A</b> $" not in json.dumps(fig.to_plotly_json(), default=str)


def test_a_box_shows_the_named_percentiles():
    points = np.linspace(0, 1, 101).tolist()

    box = boxes("light", [(A, Sample(points=points, count=101))], title="t").data[0]

    assert [box.lowerfence[0], box.q1[0], box.median[0], box.q3[0], box.upperfence[0]] == pytest.approx(
        [50, 250, 500, 750, 950]
    )


def test_a_p99_of_few_values_is_pale_beside_its_box():
    few, many = (boxes("light", [(A, Sample(points=[0.1, 0.2], count=n))], title="t") for n in (99, 100))

    assert few.data[-1].marker.opacity < many.data[-1].marker.opacity
    assert "<i>" in few.data[-1].text[0]
