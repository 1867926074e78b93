"""The verdict card: a name alone only where it is ahead, and a next step where nothing can be said."""

import re

import pytest

from core.metrics import METRICS
from tests.pages.seen import button, field, words

FAST, SLOW = {"label": "Fast", "slot": 0, "tpot": 0.0125}, {"label": "Slow", "slot": 1, "tpot": 0.02}


def plain(page):
    """What is said, without what escapes it."""
    return words(page).replace("\\", "")


def boxes(page):
    """What stands under each title of the verdict."""
    lines = plain(page).splitlines()
    starts = [next(place for place, line in enumerate(lines) if line.startswith(f"**{title}"))
              for title in ("Decode speed", "Throughput", "First token")]  # fmt: skip
    return ["\n".join(lines[start : start + 4]) for start in starts]


def test_one_that_is_ahead_is_named_with_its_difference(put, opened):
    put("a", ttft=0.2, **SLOW)
    put("b", ttft=0.1, **FAST)

    decode, _, first = boxes(opened("compare", runs="a,b", pct="p50"))

    assert "**Fast** decodes at **78.4 tokens/s**, +60" in decode
    assert "against Slow." in decode
    assert "**Fast** starts after **106 ms** (p50), −50" in first


def test_where_the_baseline_is_ahead_the_others_have_their_difference_to_it(put, opened):
    put("a", ttft=0.2, **SLOW)
    put("b", ttft=0.1, **FAST)

    decode, _, first = boxes(opened("compare", runs="a,b", pct="p50", baseline="b"))

    assert "**Fast** decodes at **78.4 tokens/s**, the baseline." in decode
    assert "**Slow** :gray[49.0 tokens/s, −37\N{NO-BREAK SPACE}% [" in decode
    assert re.search(r"Slow\*\* :gray\[212 ms \(p50\), (?:\+9\d|\+10\d|2\.0)", first), first


def test_no_box_names_one_where_there_is_not_enough_data(put, opened):
    for level in (1, 4):
        put(f"a{level}", level=level, requests=4, ttft=0.2, **SLOW)
        put(f"b{level}", level=level, requests=4, ttft=0.1, **FAST)

    page = opened("compare", experiment="e1")

    for box in boxes(page):
        assert "? not enough data" in box
        assert "against" not in box
        assert "baseline" not in box
        assert box.index("**Slow** ") < box.index("**Fast** ")  # as chosen, not by who is ahead
    assert not any(said in plain(page) for said in ("decodes at", "gives", "starts after"))


def test_those_that_cannot_be_told_apart_stand_together_and_the_others_behind(put, opened):
    put("a", label="A", slot=0)
    put("b", label="B", slot=1)
    put("c", label="C", slot=2, tpot=0.03)

    decode = boxes(opened("compare", runs="a,b,c"))[0]

    assert "≈ no difference seen" in decode
    assert "**A** 98.0 tokens/s" in decode
    assert "**B** 98.0 tokens/s" in decode
    assert "**C** 32.7 tokens/s, behind " in decode
    assert decode.count("●") == 3
    assert "decodes at" not in decode


def test_a_verdict_names_the_baseline_that_has_no_part_in_the_tie(put, opened):
    put("a", label="A", slot=0)
    put("b", label="B", slot=1)
    put("c", label="C", slot=2, tpot=0.03)

    told = plain(opened("compare", runs="a,b,c", baseline="c"))

    assert "among all 3 &ensp;·&ensp; baseline C" in told
    assert "C is behind A" in told or "C is behind B" in told


def test_those_behind_a_leader_are_listed_best_first_with_mark_and_unit(put, opened):
    put("a", label="A", slot=0, tpot=0.02)
    put("b", label="B", slot=1, tpot=0.01)
    put("c", label="C", slot=2, tpot=0.03)

    decode = boxes(opened("compare", runs="a,b,c"))[0]

    assert decode.count("●") == 3
    assert decode.index("**A** :gray[49.0 tokens/s]") < decode.index("**C** :gray[32.7 tokens/s]")


def test_where_too_little_is_known_nobody_is_shown_as_beaten(put, opened):
    put("a", label="A", slot=0, tpot=0.02)
    put("b", label="B", slot=1, tpot=0.03, requests=3)
    put("c", label="C", slot=2, tpot=0.01)

    decode = boxes(opened("compare", runs="a,b,c"))[0]

    assert "? not enough data" in decode
    assert decode.index("**A** 49.0 tokens/s") < decode.index("**B** ") < decode.index("**C** ")
    assert decode.count("●") == 3
    assert "behind" not in decode


def test_better_is_said_only_where_both_were_repeated(put, opened):
    for repeat in range(3):
        put(f"a{repeat}", ttft=0.1, repeat=repeat, **SLOW)
        put(f"b{repeat}", ttft=0.1, repeat=repeat, **(FAST | {"tpot": 0.0125 * (1 + repeat / 100)}))
    both = boxes(opened("compare", runs="a0,a1,a2,b0,b1,b2"))
    one = boxes(opened("compare", runs="a0,b0,b1,b2"))
    two = opened("compare", runs="a0,a1,b0,b1")

    assert "▲ better" in both[0]
    assert "▲ better" not in one[0]
    assert "decodes at" in one[0]
    assert "? not enough data" in boxes(two)[0]
    assert "≈ no difference over 3 %" in both[2]
    assert "2 repeats; from 3 on each difference has its interval" in plain(two)


@pytest.mark.parametrize(
    ("title", "metric"),
    [("Decode speed", "decode_tps"), ("Throughput", "output_tokens_per_s"), ("First token", "ttft_s")],
)
def test_each_metric_of_the_verdict_has_its_definition(put, opened, title, metric):
    put("a", **FAST)
    put("b", **SLOW)

    page = opened("compare", runs="a,b")
    element = next(found for found in page.markdown if found.value.startswith(f"**{title}"))

    assert METRICS[metric].definition[:30] in element.proto.help
    assert f"/glossary#{METRICS[metric].anchor}" in element.proto.help


def helps(page):
    """Every text behind a "?", of texts and of choices."""
    elements = [*page.markdown, *page.get("button_group"), *page.get("segmented_control")]
    return "\n".join(getattr(found.proto, "help", "") for found in elements)


def test_what_is_chosen_drawn_and_listed_has_its_definition(put, opened):
    for level in (1, 4):
        put(f"a{level}", level=level, **FAST)
        put(f"b{level}", level=level, **SLOW)

    told = helps(opened("compare", experiment="e1"))

    for metric in (
        "mean_in_flight", "percentile", "ttft_s", "tpot_s", "e2e_s", "gap_s", "output_tokens_per_s", "decode_tps",
        "success_rate", "scaling_efficiency", "tutorial", "verdict",
    ):  # fmt: skip
        assert f"/glossary#{METRICS[metric].anchor})" in told, metric


def test_too_few_answers_lead_to_the_plan_with_as_many_as_are_needed(put, opened):
    for level in (1, 4):
        put(f"a{level}", level=level, requests=12, **FAST)
        put(f"b{level}", level=level, requests=12, **SLOW)
    page = opened("compare", alone=False, experiment="e1")
    assert "Fast has 12 answers at 1 in flight; from 30 on every number there has its interval." in plain(page)
    assert "100 requests a run instead of 12" in button(page, "Measure again").proto.help

    button(page, "Measure again").click().run()

    assert page.title[0].value == "Benchmark"
    assert field(page, "levels") == [1, 4]
    assert field(page, "requests") == 100
    assert sorted(page.session_state["benchmark_chosen"]) == ["Fast", "Slow"]


def test_with_enough_answers_the_same_is_planned_again(put, opened):
    put("a", **FAST)
    put("b", **SLOW)
    page = opened("compare", alone=False, runs="a,b", pct="p50")
    assert "every number there has its interval" not in plain(page)
    assert "instead of" not in button(page, "Measure again").proto.help

    button(page, "Measure again").click().run()

    assert page.title[0].value == "Benchmark"
    assert field(page, "requests") == 40


def test_a_busy_machine_is_told_beside_the_way_to_measure_again(put, opened):
    put("a", busy=0.99, **FAST)
    put("b", **SLOW)

    page = opened("compare", runs="a,b", pct="p50")

    assert "Measure all of them again while the machine does nothing else." in plain(page)
    assert button(page, "Measure again")
    assert "every number there has its interval" not in plain(page)
