"""The table of values by value: which number stands in which column, what another percentile or baseline changes."""

import pytest

RUNS = {"Fast": (0.1, 0.01), "Slow": (0.16, 0.02), "Slower": (0.4, 0.04)}
TTFT = {"p50": 1.06, "p95": 1.12}  # of 35 requests, five of each of 1.00 to 1.12 times `ttft`
TPOT = {"p50": 1.02, "p95": 1.04}


@pytest.fixture
def three(put):
    """Three configurations at one load, single runs."""
    for slot, (label, (ttft, tpot)) in enumerate(RUNS.items()):
        put(label, label=label, slot=slot, requests=35, ttft=ttft, tpot=tpot)


def rows(page):
    """Metric -> column -> cell, as the page holds them."""
    frame = page.table[0].value
    return {
        row["Metric"].split("](")[0].removeprefix("**["): {
            title.replace("\\", ""): cell for title, cell in row.items() if title != "Metric"
        }
        for _, row in frame.iterrows()
    }


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("percentile", ["p50", "p95"])
def test_each_column_holds_the_values_of_its_own_configuration_at_the_chosen_percentile(opened, percentile):
    found = rows(opened("compare", experiment="e1", pct=percentile))

    assert [name for name in found if name.startswith("TTFT")] == list(
        dict.fromkeys(["TTFT p50", f"TTFT {percentile}"])
    )
    for label, (ttft, tpot) in RUNS.items():
        assert found[f"TTFT {percentile}"][label] == pytest.approx(1000 * ttft * TTFT[percentile], rel=1e-3)
        assert found[f"TPOT {percentile}"][label] == pytest.approx(1000 * tpot * TPOT[percentile], rel=1e-3)
        seconds = 6.8 + 1.12 * ttft + 15 * 1.04 * tpot
        assert found["Output throughput"][label] == pytest.approx(35 * 16 / seconds, rel=1e-3)


@pytest.mark.usefixtures("three")
def test_each_difference_stands_beside_the_values_it_is_of(opened):
    frame = opened("compare", experiment="e1", pct="p50").table[0].value

    titles = [title.rstrip("\u200b") for title in frame.columns]
    assert titles == ["Metric", "Fast", "Slow", "against Fast", "Slower", "against Fast"]
    first = list(frame.iloc[0])
    assert "▼ these two runs differ" in first[3]
    assert "+60" in first[3]
    assert "4.0\u00a0×" in first[5]


@pytest.mark.usefixtures("three")
def test_another_baseline_turns_the_differences(opened):
    frame = opened("compare", experiment="e1", pct="p50", baseline="Slower").table[0].value

    titles = [title.rstrip("\u200b") for title in frame.columns]
    assert titles == ["Metric", "Slower", "Fast", "against Slower", "Slow", "against Slower"]
    first = list(frame.iloc[0])
    assert (first[1], first[2], first[4]) == pytest.approx((424, 106, 169.6), rel=1e-3)
    assert "▲ these two runs differ" in first[3]
    assert "−75" in first[3]
    assert "−60" in first[5]


@pytest.mark.usefixtures("three")
def test_the_values_are_of_the_chosen_load(put, opened):
    for slot, label in enumerate(RUNS):
        put(f"{label}-1", label=label, slot=slot, level=1, requests=35, ttft=0.01 * (slot + 1))

    found = rows(opened("compare", experiment="e1", pct="p50", at="1"))

    assert [found["TTFT p50"][label] for label in RUNS] == pytest.approx([10.6, 21.2, 31.8], rel=1e-3)


def test_with_many_configurations_value_and_difference_share_a_cell(put, opened):
    for slot in range(4):
        put(f"r{slot}", label=f"C{slot}", slot=slot, requests=35, ttft=0.1 * (1 + slot / 2))

    frame = opened("compare", experiment="e1", pct="p50").table[0].value
    first = list(frame.iloc[0])

    assert first[1] == pytest.approx(106, rel=1e-3)
    assert [cell.split(" ")[0] for cell in first[2:]] == ["159", "212", "265"]
    assert "+50" in first[2]
    assert "2.5\u00a0×" in first[4]


def test_the_percentiles_of_one_metric_are_in_one_unit(put, opened):
    put("a", label="A", slot=0, ttft=9.5)  # p50 10.1 s, of B 1 s; p95 of both higher
    put("b", label="B", slot=1, ttft=0.94)
    put("c", label="C", slot=2, ttft=9.3)

    page = opened("compare", runs="b,c", pct="p95")

    units = {
        cell.split("](")[0].removeprefix("**["): cell.rpartition(":gray[")[2].rstrip("]")
        for cell in page.table[0].value["Metric"]
    }
    assert units["TTFT p50"] == units["TTFT p95"] == "s"
    assert units["TPOT p50"] == units["TPOT p95"] == "ms"


def test_the_triangles_are_explained_only_where_there_are_some(put, opened):
    put("A", label="A", slot=0)
    put("B", label="B", slot=1, tpot=0.02)
    put("C", label="C", slot=2)

    apart, alike = (" ".join(m.value for m in opened("compare", runs=runs).markdown) for runs in ("A,B", "A,C"))

    assert "▲ ▼ say which way" in apart
    assert "▲ ▼" not in alike
    assert "Single runs: Repeats tell whether a difference holds from run to run." in alike
