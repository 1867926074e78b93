"""A recorded load on the page that plans: uploaded, previewed, launched, and filled in again from a plan."""

from dataclasses import replace

import pytest

from core import trace_shelf
from core.restraint import Restraint
from core.trace import Rows
from pages.parts import plan_loads, plan_state
from tests.pages.seen import button, metric, words
from tests.pages.test_benchmark_page import launched, library, planned  # noqa: F401 -- fixtures

ROWS = Rows.of([(0.0, 10, 5), (2.0, 30, 15), (8.0, 20, 10)])
TRACE = ROWS.trace("chat_*of* July.csv")
CSV = b"time,input_tokens,output_tokens\n1,10,5\n3,30,15\n9,20,10\nx,1,1\n"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("library")
def test_without_a_trace_it_says_what_is_missing_and_cannot_be_launched(opened):
    page = planned(opened, "a", kind=plan_loads.TRACE)

    assert "Upload the trace that shall be replayed." in words(page).replace("\\", "")
    assert button(page, "Launch").disabled


@pytest.mark.usefixtures("library")
def test_an_upload_is_previewed_and_launched_at_each_speed(opened, launched):  # noqa: F811
    page = planned(opened, "a", kind=plan_loads.TRACE, speeds="1, 4", warmup=0)
    page.file_uploader(key=plan_state.key("trace_file")).upload("chat_*of* July.csv", CSV).run()

    assert not page.exception
    told = words(page).replace("\\", "")
    assert "chat_*of* July.csv" in told
    assert "1 row was left out (1: no time)." in told
    assert "Times are taken as seconds" in told
    assert metric(page, "Lasts").value == "8 s"
    button(page, "Launch").click()
    page.run()
    (experiment,) = launched
    assert [plan.load.trace for plan in experiment.plans] == [TRACE, replace(TRACE, speed=4.0)]
    assert {plan.load.requests for plan in experiment.plans} == {3}


@pytest.mark.usefixtures("library")
def test_a_file_that_is_no_trace_is_one_sentence_and_leaves_the_one_before(opened):
    trace_shelf.keep(ROWS)
    page = planned(opened, "a", kind=plan_loads.TRACE, trace=TRACE)
    page.file_uploader(key=plan_state.key("trace_file")).upload("x.csv", b"a,b\n1,2\n").run()

    assert "does not name the columns needed" in words(page).replace("\\", "")
    assert page.session_state[plan_state.key("trace")] == TRACE
    assert not button(page, "Launch").disabled


@pytest.mark.usefixtures("library")
def test_a_trace_whose_rows_are_gone_has_to_be_uploaded_again(opened):
    page = planned(opened, "a", kind=plan_loads.TRACE, trace=TRACE)

    assert "are not on this machine: upload it again" in words(page).replace("\\", "")
    assert button(page, "Launch").disabled


@pytest.mark.usefixtures("library")
def test_the_lengths_of_the_workload_are_said_to_be_those_of_the_warm_up(opened):
    told = "A trace gives every measured request its lengths"

    assert told in words(planned(opened, "a", kind=plan_loads.TRACE))
    assert told not in words(planned(opened, "a"))


@pytest.mark.usefixtures("library")
def test_limits_and_waits_are_asked_for_with_every_kind_of_load(opened, launched):  # noqa: F811
    page = planned(opened, "a", levels=[2], rpm=60, tpm=9000, as_told=True, wait_as_asked=True)
    button(page, "Launch").click()
    page.run()

    assert launched[0].plans[0].load.restraint == Restraint(
        requests_per_minute=60, tokens_per_minute=9000, as_told=True, wait_as_asked=True
    )
