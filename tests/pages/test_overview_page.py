"""The overview: empty, with runs, while something runs."""

import json

import pytest

from core.chart_style import INK
from core.run import RunState
from core.servers import builtin
from core.servers.variants import QUANTIZATIONS
from core.words import TABLES
from pages.parts import builtin_start, last_verdict
from tests.pages.seen import HOSTILE, button, words


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("alone", [True, False])
def test_without_runs_it_says_what_this_is_for_and_how_to_begin(opened, alone):
    page = opened("overview", alone=alone)

    labels = [found.label for found in page.button]
    assert "Run built-in comparison" in labels
    assert "Name an endpoint" in labels
    for step in ("Name an endpoint", "Benchmark two configurations", "Read the verdict"):
        assert step in words(page)
    assert "Not calibrated yet" in words(page)


@pytest.mark.parametrize("alone", [True, False])
def test_runs_are_listed_newest_first(put, opened, alone):
    put("r1", label="Q4_0", level=1)
    put("r2", label="F16", level=4, slot=1)

    page = opened("overview", alone=alone)

    table = page.dataframe[0].value
    assert sorted(table["Configuration"]) == ["F16", "Q4_0"]
    assert table["TTFT p50"].between(90, 130).all()
    assert "Three steps" in page.expander[0].label


def test_the_last_verdict_names_who_is_ahead_and_by_how_much(put, opened):
    put("r1", label="F16", level=1, tpot=0.025)
    put("r2", label="Q4_0", level=1, tpot=0.01, slot=1)

    page = opened("overview")

    assert r"Q4\_0 decodes fastest for one user" in words(page)
    assert r"2\.5 ×" in words(page)


def test_the_last_verdict_speaks_of_rates_and_compares_the_kind_of_load_that_all_have(put, opened):
    put("r0", label="F16", level=1, tpot=0.025)
    put("r1", label="F16", rate=2.5, tpot=0.025)
    put("r2", label="Q4_0", rate=2.5, tpot=0.01, slot=1)

    page = opened("overview")

    assert "Q4_0 decodes fastest at 2.5 requests/s" in words(page).replace("\\", "")
    assert r"2\.5 ×" in words(page)
    assert page.dataframe[0].value["Requests/s"].to_list()[0] == 2.5


def test_the_last_verdict_names_nobody_under_load_on_a_few_requests(put, opened):
    put("r1", label="F16", requests=16)
    put("r2", label="Q4_0", requests=20, tpot=0.02, slot=1)

    page = opened("overview")

    assert "not enough requests to tell who serves the most under load" in words(page)
    assert "output tokens/s at 4 in flight" not in words(page)


def test_the_table_rounds_what_it_shows_and_cuts_nothing_off(put, opened):
    put("r1", ttft=0.0479, failed=1, requests=3000)

    page = opened("overview")
    shown = page.dataframe[0]
    row = shown.value.iloc[0]

    assert row["TTFT p50"] == pytest.approx(50.8)  # 0.0479 s and 6 % of it, 50.774 ms
    assert row["Success"] == pytest.approx(99.9)
    columns = json.loads(shown.proto.columns)
    assert all("step" not in column.get("type_config", {}) for column in columns.values())


def test_one_configuration_has_no_verdict(put, opened):
    put("r1", label="F16", level=1)
    put("r2", label="F16", level=4)

    assert "gets its verdict here" in words(opened("overview"))


def test_hostile_names_stay_words(put, opened):
    put("r1", label=HOSTILE, config="h", level=1, tpot=0.01)
    put("r2", label="other", level=1, tpot=0.02)

    page = opened("overview")

    assert HOSTILE not in words(page)
    assert r"\<script\>" in words(page)


def test_the_built_in_comparison_keeps_its_configurations_and_is_queued_once(services, monkeypatch):
    queued = []
    monkeypatch.setenv(builtin_start.LENGTH_VARIABLE, "short")
    monkeypatch.setattr(
        type(services.registry), "launch", lambda _, experiment, **_keys: queued.append(experiment) or "x"
    )

    assert builtin_start.start() == "x"

    kept = services.library.configurations()
    assert [one.variant for one in kept] == list(QUANTIZATIONS)
    assert [one.slot for one in kept] == [0, 1, 2]
    assert {plan.load.duration_s for plan in queued[0].plans} == {builtin.RUN_S["short"]}
    assert [plan.configuration.slot for plan in queued[0].plans[:3]] == [0, 1, 2]


def test_the_state_of_a_run_is_told_in_the_readers_language(put, opened, monkeypatch):
    monkeypatch.setitem(TABLES["en"], "interrupted", "unterbrochen")
    put("r1", state=RunState.INTERRUPTED)

    assert list(opened("overview").dataframe[0].value["State"]) == ["unterbrochen"]


def test_a_run_that_did_not_end_well_is_listed_too(put, opened):
    put("r1", state=RunState.INTERRUPTED)

    assert list(opened("overview").dataframe[0].value["State"]) == ["interrupted"]


@pytest.mark.usefixtures("services")
def test_the_calibration_can_be_started_here(opened):
    assert button(opened("overview"), "Calibrate").disabled is False


def inks(shown):
    """The colours that a table gives to single cells, by row and column."""
    return shown.proto.arrow_data.styler.styles


def test_a_p99_of_few_requests_is_grey_and_one_of_many_is_not(put, opened):
    put("many", requests=100)
    assert not inks(opened("overview").dataframe[0])

    put("few", requests=1)
    page = opened("overview").dataframe[0]

    newest = list(page.value["TTFT p99"]).index(page.value["TTFT p99"].min())
    column = list(page.value.columns).index("TTFT p99")
    assert f"row{newest}_col{column} {{ color: {INK['light'].muted}" in inks(page)
    assert inks(page).count("row") == 1


def test_runs_of_the_simulator_are_named_so_whatever_their_label(put, opened):
    put("r1", label="Production", demo="simulated", level=1, tpot=0.01)
    put("r2", label="Staging", demo="simulated", level=1, tpot=0.02)

    page = opened("overview")

    assert set(page.dataframe[0].value["Configuration"]) == {"(simulated) Production", "(simulated) Staging"}
    verdict = words(page).replace("\\", "")
    assert "Production (simulated) decodes fastest" in verdict
    assert "baseline Production (simulated)" in verdict


def test_a_tpot_has_three_digits_and_its_column_a_definition(put, opened):
    put("r1", tpot=0.18312)

    shown = opened("overview").dataframe[0]

    assert shown.value["TPOT p50"][0] == round(shown.value["TPOT p50"][0])
    column = json.loads(shown.proto.columns)["TPOT p50"]
    assert "/glossary#tpot" in column["help"]


def test_an_experiment_of_more_runs_than_are_listed_is_compared_whole(put, opened, monkeypatch):
    monkeypatch.setattr(last_verdict, "LOOKED_AT", 2)
    put("r1", label="F16", level=1, tpot=0.025)
    put("r2", label="Q4_0", level=1, tpot=0.01, slot=1)
    for place in range(3):
        put(f"alone{place}", label="Q4_0", level=2 + place, slot=1)

    assert "decodes fastest for one user" in words(opened("overview"))


def test_an_older_verdict_stays_while_newer_launches_compare_nothing(put, opened, monkeypatch):
    monkeypatch.setattr(last_verdict, "LOOKED_AT", 1)
    put("r1", label="F16", level=1, tpot=0.025)
    put("r2", label="Q4_0", level=1, tpot=0.01, slot=1)
    put("r3", label="Q4_0", level=1, slot=1, experiment="e2")

    assert "decodes fastest for one user" in words(opened("overview"))


def test_a_last_verdict_on_a_busy_machine_is_given_with_its_reason(put, opened):
    put("r1", label="F16", level=1, tpot=0.025)
    put("r2", label="Q4_0", level=1, tpot=0.01, slot=1, busy=0.97)

    told = words(opened("overview")).replace("\\", "")

    assert "### In doubt: Q4_0 decodes fastest for one user" in told
    assert "This machine had no idle time while Q4_0 ran on it" in told
