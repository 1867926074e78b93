"""The comparison: from a link to a verdict, and what it refuses to say."""

import json

import pytest

from core.run import RunState
from tests.pages.seen import HOSTILE, button, figures, table, titles, words

FAST, SLOW = {"label": "Q4_0", "slot": 0, "tpot": 0.01}, {"label": "F16", "slot": 1, "tpot": 0.02}


@pytest.fixture
def two(put):
    """Two configurations at two loads, single runs of one experiment."""
    for name, options in (("fast", FAST), ("slow", SLOW)):
        for level in (1, 4):
            put(f"{name}-{level}", level=level, **options)


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("query", [{"experiment": "e1"}, {"runs": "fast-1,slow-1,fast-4,slow-4"}])
def test_a_link_opens_the_whole_comparison(opened, alone, query):
    page = opened("compare", alone=alone, **query)

    for part in (
        "Throughput against latency",
        "Difference to Q4_0 at 4",
        "TTFT of all requests at 4",
        "Chunk gap at 4",
    ):
        assert part in titles(page)
    assert "Against load" in words(page)
    assert "decodes fastest" in words(page)


@pytest.mark.usefixtures("two")
def test_the_link_holds_baseline_load_percentile_and_metric(opened):
    page = opened("compare", experiment="e1", baseline="F16", at="1", pct="p99", metric="TPOT", shape="violin")

    assert "Difference to F16 at 1 in flight" in titles(page)
    assert "TPOT of all requests at 1" in titles(page)
    assert "p99" in json.dumps(figures(page)[0])
    assert any(trace["type"] == "violin" for figure in figures(page) for trace in figure["data"])


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("alone", [True, False])
def test_nonsense_in_a_link_falls_back(opened, alone):
    page = opened("compare", alone=alone, experiment="e1", baseline="x", at="999", pct="p12", metric="y", shape="z")

    assert "Difference to Q4_0 at 4 in flight" in titles(page)


@pytest.mark.usefixtures("two")
def test_single_runs_get_no_verdict_word(opened):
    page = opened("compare", experiment="e1", at="4")

    assert "these two runs differ" in table(page)
    assert "worse" not in table(page)
    assert "Repeats tell whether a difference holds" in words(page)


def test_repeats_make_a_verdict(put, opened):
    for repeat in range(3):
        for name, options in (("fast", FAST), ("slow", SLOW)):
            put(f"{name}-{repeat}", ttft=0.1 + repeat / 1000, repeat=repeat, **options)

    page = opened("compare", experiment="e1")

    assert "worse" in table(page)


def test_the_same_configuration_twice_shows_no_difference(put, opened):
    put("a", label="A", slot=0)
    put("b", label="B", slot=1)

    page = opened("compare", runs="a,b")

    assert "no difference in decode speed seen" in words(page).lower()
    assert "these two runs differ" not in table(page)


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("alone", [True, False])
def test_without_a_choice_the_last_experiments_are_offered(opened, alone):
    page = opened("compare", alone=alone)

    assert "Choose what to compare" in words(page)
    assert button(page, "Quantizations")


@pytest.mark.usefixtures("services")
def test_without_any_run_it_says_what_is_needed(opened):
    assert "Nothing to compare yet" in words(opened("compare"))


@pytest.mark.usefixtures("services")
def test_a_link_to_deleted_runs_says_so(opened):
    assert "they were deleted" in words(opened("compare", runs="gone,lost"))


@pytest.mark.usefixtures("two")
def test_one_deleted_run_does_not_break_the_rest(put, opened):
    put("bad", label="Bad", slot=2, requests=3, failed=3, state=RunState.FAILED)

    page = opened("compare", runs="fast-4,slow-4,gone,bad")

    assert "1 run deleted" in words(page)
    assert "1 run without any answer" in words(page)


def test_live_runs_are_told(put, opened):
    put("a", label="A", slot=0)
    put("b", label="B", slot=1, state=RunState.RUNNING)
    put("c", label="C", slot=2, requests=0, state=RunState.RUNNING)

    page = opened("compare", runs="a,b,c")

    assert "with numbers so far" in words(page)
    assert "1 run without an answer yet" in words(page)


def test_more_than_eight_configurations_ask_to_choose(put, opened):
    for place in range(9):
        put(f"r{place}", label=f"C{place}", slot=place, requests=3)

    page = opened("compare", experiment="e1")

    assert "tick up to 8" in words(page)
    assert button(page, "Compare").disabled
    assert not page.get("plotly_chart")


def test_the_ticked_ones_are_compared(put, opened):
    for place in range(9):
        put(f"r{place}", label=f"C{place}", slot=place, requests=3)
    page = opened("compare", alone=False, experiment="e1")

    page.session_state["choice"] = {"selection": {"rows": [0, 2], "columns": [], "cells": []}}
    page.run()
    button(page, "Compare 2").click()
    page.run()

    assert page.query_params["runs"] == ["r0,r2"] or page.query_params["runs"] == "r0,r2"


def test_simulated_runs_are_marked_everywhere(put, opened):
    put("real", **FAST)
    put("made-up", label="Paced", slot=1, demo="simulated")

    page = opened("compare", runs="real,made-up")

    assert "simulated" in words(page)
    assert all("Paced" not in text or "Paced (simulated)" in text for text in map(json.dumps, figures(page)))
    assert "Paced (simulated)" in table(page)
    assert "no difference to it says anything" in words(page)


def test_hostile_names_stay_text(put, opened):
    put("a", label=HOSTILE, slot=0)
    put("b", label="B " + HOSTILE, slot=1, failed=5)

    page = opened("compare", runs="a,b")

    assert "<script>" not in words(page)
    assert "<script>" not in json.dumps(figures(page))
    assert "$x$" not in json.dumps(figures(page))


def test_too_few_requests_are_no_tie(put, opened):
    put("a", label="A", slot=0, requests=3)
    put("b", label="B", slot=1, requests=3, tpot=0.02)

    page = opened("compare", runs="a,b")

    assert "? not enough data" in words(page)
    assert "no difference seen" not in words(page)


def test_a_short_run_names_nobody_under_load_and_says_what_it_takes(put, opened):
    put("a", label="A", slot=0, requests=16)
    put("b", label="B", slot=1, requests=20, tpot=0.02)

    page = opened("compare", runs="a,b")

    assert "not enough requests to tell who serves the most under load" in words(page)
    assert "gets its interval from 30 answers on" in words(page)
    assert "Output throughput" in table(page)
    assert "not enough data" in table(page)


def test_a_throughput_of_a_single_run_has_its_interval(put, opened):
    put("a", label="A", slot=0)
    put("b", label="B", slot=1)

    page = opened("compare", runs="a,b")
    row = next(line for line in table(page).splitlines() if "Output throughput" in line)

    assert "no difference seen" in row
    assert "[" in row.split("tokens/s")[1]
    assert "gets its interval" not in words(page)
    assert "no difference in throughput seen between" in words(page)


def test_one_run_alone_asks_for_a_second(put, opened):
    put("a")

    assert "Choose a second configuration" in words(opened("compare", runs="a"))


def test_runs_that_were_not_streamed_compare_by_what_they_have(put, opened):
    put("a", label="A", slot=0, streamed=False)
    put("b", label="B", slot=1, streamed=False)

    page = opened("compare", runs="a,b")

    assert "No run at this load has it." in words(page)
    assert "E2E latency" in table(page)


@pytest.mark.parametrize("count", [3, 5])
def test_long_labels_that_differ_at_the_end_all_keep_their_columns(put, opened, count):
    labels = [f"SmolLM2-135M-Instruct on the bundled llama.cpp, slots {place}" for place in range(count)]
    for place, label in enumerate(labels):
        put(f"r{place}", label=label, config=f"c{place}", slot=place, model=f"m{place}", tpot=0.01 * (1 + place))

    page = opened("compare", experiment="e1")
    values, apart = (found.value for found in page.table)

    assert len(apart.columns) == 1 + count
    assert [sum(f"slots {place}" in title for title in values.columns) for place in range(1, count)] == [1] * (
        count - 1
    )


def test_names_that_stand_for_something_else_in_a_table_keep_their_columns(put, opened):
    put("a", label="Metric", slot=0)
    put("b", label="Setting", slot=1)
    put("c", label="against Metric", slot=2)

    page = opened("compare", runs="a,b,c")

    assert [len(found.value.columns) for found in page.table] == [6, 4]


def test_few_requests_are_grey_wherever_their_percentiles_stand(put, opened):
    for level in (1, 4):
        put(f"a{level}", label="A", slot=0, level=level, requests=8)
        put(f"b{level}", label="B", slot=1, level=level, requests=8, ttft=0.2)

    page = opened("compare", experiment="e1", pct="p95")
    dotted = [t for f in figures(page) for t in f["data"] if t.get("line", {}).get("dash") == "dot" and "x" in t]

    assert "Every percentile above p50 is greyed" in words(page)
    assert "(p95)]" in words(page)
    assert "Grey: it rests on too few values" in words(page)
    assert page.table[0].proto.arrow_data.styler.styles.count("italic") > 0
    assert dotted
    assert all(value is None for trace in dotted for value in trace["y"])


def test_a_row_of_long_times_is_in_seconds_and_leads_to_its_definition(put, opened):
    put("a", label="A", slot=0, tpot=0.01)
    put("b", label="B", slot=1, tpot=0.8)

    rows = table(opened("compare", runs="a,b"))

    assert "[E2E latency p50](/glossary#e2e)** :gray[s]" in rows
    assert "[TTFT p50](/glossary#ttft)** :gray[ms]" in rows


def test_the_first_tokens_of_one_sentence_are_in_one_unit(put, opened):
    put("a", label="A", slot=0, ttft=0.5)
    put("b", label="B", slot=1, ttft=20.0)

    told = plain(opened("compare", runs="a,b", pct="p50"))

    assert "starts after **0.53 s** (p50)" in told
    assert "**B** :gray[21.2 s (p50)" in told


def test_a_number_and_its_sign_stay_on_one_line(put, opened):
    put("a", label="A", slot=0)
    put("b", label="B", slot=1, tpot=0.013)

    assert " %" not in table(opened("compare", runs="a,b"))


@pytest.mark.usefixtures("two")
def test_the_line_on_tutorial_scripts_is_the_baselines_at_the_chosen_load(opened):
    told = words(opened("compare", experiment="e1", at="1", baseline="F16")).replace("\\", "")

    assert "F16 at 1 in flight: A tutorial script would print" in told


def test_a_decode_speed_that_a_late_client_spoilt_is_grey_in_the_verdict(put, opened):
    put("A", label="A", slot=0, lag=0.05)
    put("B", label="B", slot=1, lag=0.05, tpot=0.02)
    put("C", label="C", slot=2, lag=0.05)

    assert "decodes at :gray[" in words(opened("compare", runs="A,B"))
    assert words(opened("compare", runs="A,C")).count("** :gray[98") == 2


def test_a_verdict_on_a_busy_machine_is_marked_and_says_why(put, opened):
    put("a", label="A", slot=0)
    put("b", label="B", slot=1, tpot=0.02, busy=0.97)

    page = opened("compare", runs="a,b")

    assert "### In doubt: A decodes fastest" in words(page).replace("\\", "")
    assert "This machine had no idle time while B ran on it" in words(page)
    assert words(page).count("in doubt]") == 3
    assert ":orange-badge[:material/warning: these two runs differ]" in table(page)
    assert "in doubt" in json.dumps(figures(page))


def test_a_verdict_on_a_quiet_machine_is_given_plainly(put, opened):
    put("a", label="A", slot=0, busy=0.5)
    put("b", label="B", slot=1, tpot=0.02, busy=0.5)

    page = opened("compare", runs="a,b")

    assert "in doubt" not in words(page).lower() + table(page) + json.dumps(figures(page))


def test_what_each_run_is_doubted_for_is_counted_over_all(put, opened):
    put("a", label="A", slot=0, lag=0.0002)
    put("b", label="B", slot=1, streamed=False)
    put("c", label="C", slot=2, streamed=False)

    told = words(opened("compare", runs="a,b,c")).replace("\\", "")

    assert "2 of 3 runs, such as B at 4 in flight: 40 of 40 answers came in one piece" in told
    assert "kept up" not in told


def plain(page):
    """What is said, without what escapes it."""
    return words(page).replace("\\", "")


def test_rates_are_compared_in_their_own_words(put, opened):
    for name, options in (("fast", FAST), ("slow", SLOW)):
        for rate in (0.5, 2.5, 8.0):
            put(f"{name}-{rate}", rate=rate, **options)

    page = opened("compare", experiment="e1", at="2.5")

    assert "Difference to Q4_0 at 2.5 requests/s" in titles(page)
    assert "TTFT of all requests at 2.5 requests/s" in titles(page)
    assert "2.5 requests/s, baseline Q4\\_0" in words(page)
    assert "labels are requests/s offered" in json.dumps(figures(page))
    assert "in flight" not in titles(page)
    assert "at 0.5 requests/s" in plain(page)
    assert "1 user" not in words(page)


def test_runs_of_the_other_kind_of_load_stand_aside_with_a_way_to_them(put, opened):
    for name, options in (("fast", FAST), ("slow", SLOW)):
        put(f"{name}-4", level=4, **options)
        put(f"{name}-r", rate=4.0, **options)

    page = opened("compare", experiment="e1")
    assert "Drawn apart: 2 runs at 4 requests/s." in plain(page)
    assert "Difference to Q4_0 at 4 in flight" in titles(page)
    assert "Different kinds of load" in words(page)

    button(page, "Show these instead").click().run()
    assert "Difference to Q4_0 at 4 requests/s" in titles(page)
    assert "Drawn apart: 2 runs at 4 requests in flight." in plain(page)


def test_the_recommended_range_stands_under_the_trade_off(put, opened):
    for level in (1, 2, 4):
        put(f"a{level}", level=level, **FAST)

    page = opened("compare", experiment="e1")
    assert "1 is the level to use" in plain(page)
    assert page.dataframe[0].value["Q4_0"].to_list() == ["100 %", "50 % (0 %)", "25 % (0 %)"]


def test_one_level_has_no_range(put, opened):
    put("a", **FAST)
    put("b", **SLOW)

    assert "shows no range" not in words(opened("compare", experiment="e1"))
