"""Every number that a page shows in a card or a column says behind its "?" what it is. Walks drawn pages."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from streamlit.testing.v1 import AppTest

from core.plan import Slo
from core.tryit import TrialState, TrialView
from pages.parts import calibrating, trial_view
from tests.pages.seen import made
from tests.pages.test_calibration_view import BAD, GOOD, Calibration
from tests.pages.test_units import AT_5, PLAN, live, numbers

NUMBERS = ("number", "progress", "line_chart")


def unexplained(page):
    """Cards, and columns of numbers, without a word behind a "?"."""
    found = [card.label for card in page.metric if not card.help]
    for table in page.dataframe:
        for name, column in json.loads(table.proto.columns or "{}").items():
            kind = (column.get("type_config") or {}).get("type")
            if kind in NUMBERS and not column.get("help"):
                found.append(name)
    return found


@pytest.mark.parametrize("load", [PLAN.load, AT_5.load], ids=["closed loop", "open loop"])
def test_the_page_of_a_run_explains_its_numbers(services, opened, load):
    run, records = made("r1")
    run = replace(run, plan=replace(run.plan, load=load, slo=Slo.read(["ttft_s.p95 < 1"])))
    services.runs.run_started(run)
    services.runs.requests("r1", [replace(one, scheduled_s=one.sent_s) for one in records])
    services.runs.run_ended(run)

    page = opened("run", run="r1")

    assert page.metric
    assert unexplained(page) == []


@pytest.mark.parametrize("stem", ["overview", "endpoints", "benchmark", "runs"])
def test_the_other_pages_explain_their_numbers(put, opened, stem):
    put("r1", label="A")
    put("r2", label="B", config="b", slot=1, tpot=0.02, rate=2.0)

    assert unexplained(opened(stem)) == []


def test_a_comparison_explains_its_numbers(put, opened):
    for place in range(3):
        put(f"r{place}", label="ABC"[place], config="abc"[place], slot=place)

    assert unexplained(opened("compare", runs="r0,r1,r2")) == []


@pytest.mark.usefixtures("services")
def test_a_calibration_explains_its_numbers_and_the_columns_of_its_levels(opened, monkeypatch):
    found = calibrating.Last(
        found=Calibration(levels=(GOOD, BAD), made_at="2026-11-29T12:00:00+00:00", environment={}), at=datetime.now(UTC)
    )
    monkeypatch.setattr(calibrating, "last", lambda: found)

    page = opened("endpoints")

    assert len(page.metric) == 4
    assert unexplained(page) == []
    told = next(text.help for text in page.markdown if "What the columns are" in text.value)
    for column in page.table[0].value.columns:
        assert column.partition(",")[0].removesuffix(" p50").removesuffix(" p99") in told


@pytest.mark.parametrize("plan", [PLAN, AT_5], ids=["closed loop", "open loop"])
def test_the_numbers_of_a_live_launch_that_a_term_names_are_explained(plan):
    page = AppTest.from_function(numbers, kwargs={"found": live(plan)}, default_timeout=60).run()

    assert set(unexplained(page)) <= {"Runs", "Time left"}  # no terms: they say what they are


@pytest.mark.parametrize(("tokens", "anchor"), [(9, "#decode-tps"), (None, "#chunk-us")])
def test_the_speeds_of_try_it_are_explained(tokens, anchor):
    view = TrialView(
        label="a", state=TrialState.DONE, text="", reasoning="", ttft_s=0.1, elapsed_s=1.0, tokens_per_s=8.0,
        chunks_per_s=8.0, chunks=9, output_tokens=tokens, error_sentence="", note="",
    )  # fmt: skip

    told = trial_view._meaning(view)

    assert "connection not counted" in told
    assert "/glossary#ttft" in told
    assert anchor in told


def test_a_number_without_a_word_is_found():
    def wrong():
        import pandas as pd
        import streamlit as st

        st.metric("Speed", "8")
        st.dataframe(pd.DataFrame({"n": [1]}), column_config={"n": st.column_config.NumberColumn("N")})

    assert unexplained(AppTest.from_function(wrong).run()) == ["Speed", "n"]
