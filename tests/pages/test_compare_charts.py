"""The figures of a comparison by value: runs made of known numbers, and where each of these numbers is drawn."""

from statistics import median

import pytest

from tests.pages.charted import drawn, numbers
from tests.pages.seen import figures

# 35 requests: waits of 1.00 to 1.12 times `ttft`, five of each, and 1.00 to 1.04 times `tpot`, seven of each.
TTFT_P50, TTFT_P95, TPOT_P50, TOKENS = 1.06, 1.12, 1.02, 35 * 16
FAST = {"label": "Fast", "slot": 0, "requests": 35}
SLOW = {"label": "Slow", "slot": 1, "requests": 35}
TIMES = {  # (ttft, tpot) at each level
    ("Fast", 1): (0.05, 0.008),
    ("Fast", 4): (0.1, 0.01),
    ("Slow", 1): (0.06, 0.012),
    ("Slow", 4): (0.15, 0.02),
}


@pytest.fixture
def two(put):
    """A fast and a slow configuration at 1 and 4 in flight; a fifth of the slow one's requests fail at 4."""
    for (label, level), (ttft, tpot) in TIMES.items():
        lost = 7 if (label, level) == ("Slow", 4) else 0
        options = FAST if label == "Fast" else SLOW
        put(f"{label}-{level}", level=level, ttft=ttft, tpot=tpot, failed=lost, **options)


def output(label, level):
    """Tokens/s: the last request is sent at 6.8 s and is the slowest."""
    ttft, tpot = TIMES[label, level]
    tokens = TOKENS * 4 / 5 if (label, level) == ("Slow", 4) else TOKENS
    return tokens / (6.8 + TTFT_P95 * ttft + 15 * 1.04 * tpot)


def e2e(label, level, begin=0):
    ttft, tpot = TIMES[label, level]
    return median(ttft * (1 + i % 7 / 50) + 15 * tpot * (1 + i % 5 / 100) for i in range(begin, 35))


def marks(page):
    """What the forest shows: row -> per cent, and the ends of each interval."""
    figure = drawn(page, "Difference to")
    points = next(trace for trace in figure["data"] if trace["mode"] == "markers")
    values = numbers(points["x"])
    reach = zip(numbers(points["error_x"]["arrayminus"]), numbers(points["error_x"]["array"]), strict=True)
    rows = [title.split("  ")[0] for title, _ in points["customdata"]]
    heights = dict(zip(numbers(figure["layout"]["yaxis"]["tickvals"]), figure["layout"]["yaxis"]["ticktext"],
                       strict=True))  # fmt: skip
    assert [heights[round(y)].split("  ")[0] for y in numbers(points["y"])] == rows
    return {
        row: (value, value - low, value + high) for row, value, (low, high) in zip(rows, values, reach, strict=True)
    }


@pytest.mark.usefixtures("two")
def test_the_forest_shows_each_difference_with_its_sign_in_per_cent(opened):
    found = marks(opened("compare", experiment="e1", at="4", pct="p50"))

    assert found["TTFT p50"][0] == pytest.approx(50, abs=0.1)
    assert found["TPOT p50"][0] == pytest.approx(100, abs=0.1)
    assert found["E2E latency p50"][0] == pytest.approx(100 * (e2e("Slow", 4, 7) / e2e("Fast", 4) - 1), abs=0.1)
    assert found["Output throughput"][0] == pytest.approx(100 * (output("Slow", 4) / output("Fast", 4) - 1), abs=0.1)
    assert found["Output throughput"][0] < -20
    assert all(low <= value <= high for value, low, high in found.values())
    assert found["TTFT p50"][1] > 40
    assert found["Output throughput"][2] < -10


@pytest.mark.usefixtures("two")
def test_another_baseline_turns_every_sign(opened):
    found = marks(opened("compare", experiment="e1", at="4", pct="p50", baseline="Slow"))

    assert found["TTFT p50"][0] == pytest.approx(-100 / 3, abs=0.1)
    assert found["TPOT p50"][0] == pytest.approx(-50, abs=0.1)
    assert found["Output throughput"][0] == pytest.approx(100 * (output("Fast", 4) / output("Slow", 4) - 1), abs=0.1)
    assert found["Output throughput"][0] > 20


@pytest.mark.usefixtures("two")
def test_the_label_beside_an_interval_has_the_sign_of_the_number_and_says_good_or_bad(opened):
    def labels(**query):
        figure = drawn(opened("compare", experiment="e1", at="4", pct="p50", **query), "Difference to")
        texts = next(trace for trace in figure["data"] if trace["mode"] == "text")["text"]
        return [text.strip("\N{NO-BREAK SPACE}") for text in texts]

    assert labels()[:2] == ["+50 % ▼", "+100 % ▼"]
    assert labels(baseline="Slow")[:2] == ["−33 % ▲", "−50 % ▲"]


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("level", [1, 4])
def test_each_cumulative_line_is_of_its_own_run(opened, level):
    figure = drawn(opened("compare", experiment="e1", at=str(level)), "TTFT of all requests")
    curves = {trace["name"]: trace for trace in figure["data"]}

    for label in ("Fast", "Slow"):
        waits = [TIMES[label, level][0] * 1000 * (1 + place / 50) for place in range(7)]
        found = sorted({round(x, 2) for x in numbers(curves[label]["x"])})
        assert found == pytest.approx(waits, abs=0.02)
        assert max(numbers(curves[label]["y"])) == 1


@pytest.mark.usefixtures("two")
def test_the_cumulative_lines_are_of_the_chosen_latency(opened):
    figure = drawn(opened("compare", experiment="e1", at="4", metric="TPOT"), "TPOT of all requests")

    for trace in figure["data"]:
        tpot = TIMES[trace["name"], 4][1] * 1000
        assert (min(numbers(trace["x"])), max(numbers(trace["x"]))) == pytest.approx((tpot, tpot * 1.04), rel=1e-3)


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(("percentile", "factor"), [("p50", TTFT_P50), ("p95", TTFT_P95)])
def test_every_point_of_the_trade_off_is_a_load_of_its_configuration(opened, percentile, factor):
    figure = drawn(opened("compare", experiment="e1", pct=percentile), "Throughput against latency")
    lines = {trace["name"]: trace for trace in figure["data"] if trace["name"] in ("Fast", "Slow")}

    for label, line in lines.items():
        assert numbers(line["x"]) == pytest.approx([TIMES[label, at][0] * 1000 * factor for at in (1, 4)], rel=1e-3)
        assert numbers(line["y"]) == pytest.approx([output(label, at) for at in (1, 4)], rel=1e-3)
        assert line["text"] == ["1", "4"]
    assert len(lines) == 2


def panels(page):
    """Title -> configuration -> value at 1 and at 4, of the small figures against load."""
    found = {}
    for figure in figures(page):
        titles = [note["text"] for note in figure["layout"].get("annotations", ())]
        for place, title in enumerate(titles, start=1):
            axis = "x" if place == 1 else f"x{place}"
            curves = [t for t in figure["data"] if t.get("xaxis") == axis and t["line"].get("dash") == "solid"]
            if curves and all(numbers(trace["x"]) == [1, 4] for trace in curves):
                found[title] = {trace["name"]: numbers(trace["y"]) for trace in curves}
    return found


@pytest.mark.usefixtures("two")
def test_against_load_stand_latencies_the_output_of_all_streams_the_speed_of_one_and_failures(opened):
    found = panels(opened("compare", experiment="e1"))

    assert list(found) == [
        "TTFT, ms ↓", "TPOT, ms ↓", "E2E latency, ms ↓",
        "Output, tokens/s ↑", "One stream, tokens/s ↑", "Failed requests, % ↓",
    ]  # fmt: skip
    for label in ("Fast", "Slow"):
        (ttft_1, tpot_1), (ttft_4, tpot_4) = TIMES[label, 1], TIMES[label, 4]
        begin = 7 if label == "Slow" else 0
        expected = {
            "TTFT, ms ↓": [1060 * ttft_1, 1060 * ttft_4],
            "TPOT, ms ↓": [1020 * tpot_1, 1020 * tpot_4],
            "E2E latency, ms ↓": [1000 * e2e(label, 1), 1000 * e2e(label, 4, begin)],
            "Output, tokens/s ↑": [output(label, 1), output(label, 4)],
            "One stream, tokens/s ↑": [1 / TPOT_P50 / tpot_1, 1 / TPOT_P50 / tpot_4],
            "Failed requests, % ↓": [0, 20 if label == "Slow" else 0],
        }
        assert {title: curves[label] for title, curves in found.items()} == {
            title: pytest.approx(values, rel=2e-3) for title, values in expected.items()
        }


@pytest.mark.usefixtures("two")
def test_speed_bands_stand_behind_one_stream_only_and_all_panels_start_at_zero(opened):
    page = opened("compare", experiment="e1")
    latencies, rest = drawn(page, "TPOT, ms"), drawn(page, "One stream")

    assert {shape["yref"].split()[0] for shape in rest["layout"]["shapes"]} == {"y2"}
    assert not latencies["layout"].get("shapes")
    for figure in (latencies, rest):
        assert [figure["layout"][axis]["range"][0] for axis in ("yaxis", "yaxis2", "yaxis3")] == [0, 0, 0]


@pytest.mark.usefixtures("two")
def test_each_box_is_of_its_own_run(opened):
    figure = drawn(opened("compare", experiment="e1", at="4", spread="TTFT"), "box p25")
    boxes = {trace["name"]: trace for trace in figure["data"] if trace["type"] == "box"}

    assert {label: numbers(box["median"]) for label, box in boxes.items()} == {
        "Fast": pytest.approx([106], rel=1e-3),
        "Slow": pytest.approx([159], rel=1e-3),
    }
