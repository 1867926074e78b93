"""The page of one run: what it says of good, bad, live and missing runs."""

import json
import re
from dataclasses import replace

import pytest

from core.fleet.local import run_name
from core.levels import read_stages
from core.plan import Load, Slo
from core.records import Failure, FailureKind
from core.reproduce import PYTHON
from core.run import Preflight, RunState
from tests.pages.seen import HOSTILE, button, figures, made, metric, titles, words


@pytest.mark.parametrize("alone", [True, False])
def test_a_run_shows_its_numbers_and_charts(put, opened, alone):
    put("r1", requests=120)

    page = opened("run", alone=alone, run="r1")

    assert page.title[0].value.startswith(r"Q4\_0 at 4 in flight")
    assert metric(page, "TTFT p50").value.startswith("10")
    assert metric(page, "Success").value == "100.0 %"
    for name in ("TTFT", "Chunk gap = ITL", "TPOT", "E2E latency", "Requests over time", "Output over time"):
        assert name in titles(page)
    assert "tutorial script" in words(page)


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("query", [{"run": "gone"}, {}])
def test_a_run_that_is_not_there_gets_a_sentence_and_a_way_on(opened, alone, query):
    page = opened("run", alone=alone, **query)

    assert "No run" in words(page)
    assert "All runs" in words(page) or page.get("page_link")


def test_every_card_explains_its_metric(put, opened):
    put("r1")

    page = opened("run", run="r1")

    for card in page.metric:
        assert "/glossary#" in card.help


def test_few_samples_are_grey_and_say_so(put, opened):
    put("r1", requests=20)

    page = opened("run", run="r1")

    assert metric(page, "TTFT p95").value.startswith(":gray[")
    assert "20 values only" in metric(page, "TTFT p95").help
    assert not metric(page, "TTFT p50").value.startswith(":gray[")


def test_enough_samples_are_not_grey(put, opened):
    put("r1", requests=120)

    assert not metric(opened("run", run="r1"), "TTFT p95").value.startswith(":gray[")


def test_a_late_client_greys_what_it_spoilt(put, opened):
    put("r1", requests=120, lag=0.05)

    page = opened("run", run="r1")

    assert metric(page, "TTFT p50").value.startswith(":gray[")
    assert "load generator was late" in words(page)


def test_a_run_without_success_shows_its_errors_first(put, opened):
    put("r1", requests=10, failed=10, state=RunState.FAILED, message="All requests failed.")

    page = opened("run", run="r1")

    assert metric(page, "TTFT p50").value == ":gray[–]"
    assert "Requests over time" in titles(page)
    assert "E2E" not in titles(page)
    assert "All requests failed" in words(page)


def test_a_run_that_sent_nothing_still_opens(put, opened):
    put("r1", requests=0, state=RunState.FAILED, message="127.0.0.1:8000 refused the connection.")

    page = opened("run", run="r1")

    assert "No request has ended." in words(page)
    assert "refused the connection" in words(page)


def test_a_run_that_was_not_streamed_has_no_first_token(put, opened):
    put("r1", streamed=False)

    page = opened("run", run="r1")

    assert metric(page, "TTFT and TPOT").value == ":gray[not streamed]"
    assert "E2E latency" in titles(page)
    assert "Chunk gap" not in titles(page)


@pytest.mark.parametrize("state", [RunState.CANCELLED, RunState.INTERRUPTED])
def test_a_run_cut_short_keeps_what_was_measured(put, opened, state):
    put("r1", state=state)

    page = opened("run", run="r1")

    assert state.value in page.title[0].value
    assert metric(page, "Success").value == "100.0 %"


def test_a_live_run_shows_numbers_so_far(put, opened):
    put("r1", state=RunState.RUNNING)

    page = opened("run", run="r1")

    assert "numbers so far" in words(page)
    assert metric(page, "Success").value == "100.0 %"


def test_simulated_runs_are_marked(put, opened):
    put("r1", demo="simulated")

    assert "simulated" in opened("run", run="r1").title[0].value


def test_hostile_names_stay_text(put, opened):
    put("r1", label=HOSTILE, model=HOSTILE, failed=3, text=HOSTILE)

    page = opened("run", run="r1")

    assert "<script>" not in words(page)
    assert "<script>" not in json.dumps(figures(page))
    assert "$x$" not in json.dumps(figures(page))


def test_a_long_run_draws_at_most_five_hundred_points_a_trace(put, opened):
    put("r1", requests=800)

    for figure in figures(opened("run", run="r1")):
        for trace in figure["data"]:
            x = trace.get("x")
            assert not isinstance(x, list) or len(x) <= 500


def test_a_ticked_request_shows_its_answer(put, opened):
    put("r1", text="A river " + HOSTILE)
    page = opened("run", run="r1")

    page.session_state["requests"] = {"selection": {"rows": [3], "columns": [], "cells": []}}
    page.run()

    assert not page.exception
    assert any(block.value == "A river " + HOSTILE for block in page.code)


def test_a_ticked_failure_shows_its_reason(put, opened):
    put("r1", failed=1)
    page = opened("run", run="r1")

    page.session_state["requests"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    page.run()

    assert "broken" in words(page)
    assert "No text was kept of this request" in words(page)


def errors_of(page):
    """The table of errors by kind."""
    return next(found.value for found in page.table if "Kind" in found.value)


def test_errors_are_counted_by_kind(put, opened):
    put("r1", failed=3)

    errors = errors_of(opened("run", run="r1"))

    assert list(errors["Requests"]) == ["3"]
    assert list(errors["HTTP status"]) == ["500"]


def test_the_plan_can_be_repeated_elsewhere(put, opened):
    put("r1")

    codes = [block.value for block in opened("run", run="r1").code]

    assert any(code.startswith(f"{PYTHON} cli.py run") for code in codes)
    assert any(code.startswith("curl -N") for code in codes)


@pytest.mark.parametrize("demo", ["llama.cpp", "simulated"])
def test_a_server_of_our_own_has_no_curl_line_but_a_sentence_and_its_plan_file_beside_the_line(put, opened, demo):
    put("r1", demo=demo)

    page = opened("run", run="r1")

    assert not any(block.value.startswith("curl") for block in page.code)
    assert "each time on another free port" in words(page)
    assert any(block.value.endswith("--plan plan.json") for block in page.code)
    assert "The line reads `plan.json`: download it here" in words(page)
    assert any(one.label == "Plan file" for one in page.get("download_button"))


def test_the_id_that_export_asks_for_can_be_copied(put, opened):
    put("r1")

    page = opened("run", run="r1")

    assert "r1" in [block.value for block in page.code]
    assert "`cli.py export` asks for" in words(page)


def test_each_duration_says_what_it_is(put, opened):
    put("r1", requests=40)

    page = opened("run", run="r1")

    told = next(found for found in page.markdown if "Measured for" in found.value)
    assert "Measured for 8.06 s; the whole run took 9 s." in told.value.replace("\\", "")
    assert "first request sent to the last one's end" in told.help
    assert "9 s" not in page.markdown[0].value


def test_name_tags_and_notes_are_shown_and_changed_on_the_page_of_an_ended_run(put, opened):
    put("r1", label="F16")
    plain = opened("run", run="r1")
    assert plain.title[0].value.startswith("F16 at 4 in flight")

    plain.text_input(key="labels_name_r1").set_value("Nightly")
    plain.text_area(key="labels_notes_r1").set_value("After the driver update.")
    button(plain, "Save").click()
    plain.run()

    page = opened("run", run="r1")
    assert page.title[0].value.startswith("Nightly")
    assert "F16 at 4 in flight" in page.markdown[0].value
    assert "After the driver update" in words(page)


def test_a_live_run_is_not_named_yet(put, opened):
    put("r1", state=RunState.RUNNING)

    assert not [field for field in opened("run", run="r1").text_input if field.label == "Name"]


def test_shares_of_errors_are_of_the_measured_requests_that_ended(services, opened):
    run, records = made("r1", requests=10, failed=2)
    stopped = Failure(kind=FailureKind.CANCELLED, message="You cancelled it.")
    records[8:] = [replace(records[8], warmup=True), replace(records[9], failure=stopped)]
    services.runs.run_started(run)
    services.runs.requests("r1", records)
    services.runs.run_ended(run)

    page = opened("run", run="r1")
    errors = errors_of(page)

    assert list(errors["Share"]) == ["25.0 %"]
    assert "cancelled" not in errors.to_string()
    assert "1 request was cancelled" in words(page)


def test_columns_of_requests_are_explained_and_show_no_zeros_that_were_not_measured(put, opened):
    put("r1", tpot=0.183)

    requests = opened("run", run="r1").dataframe[0]
    columns = json.loads(requests.proto.columns)

    assert all("/glossary#" in columns[name]["help"] for name in ("TTFT", "TPOT", "E2E", "In", "Out", "Gaps"))
    assert all(columns[name]["type_config"]["format"] == "localized" for name in ("TTFT", "TPOT", "E2E"))
    assert requests.value["E2E"].iloc[0] == 2.85


@pytest.fixture
def put_open(services):
    """Record a run at a rate: each request 50 ms later than its schedule."""

    def record(run_id, load, slo=None, **options):
        run, records = made(run_id, **options)
        plan = replace(run.plan, load=load, slo=slo)
        run = replace(run, plan=plan, name=run_name(plan))
        records = [replace(one, scheduled_s=one.sent_s - 0.05) for one in records]
        services.runs.run_started(run)
        services.runs.requests(run_id, records)
        services.runs.run_ended(run)

    return record


AT_5 = Load(concurrency=None, rate=5.0, requests=40, max_in_flight=3)


def test_an_open_loop_shows_its_rates_its_slip_and_latencies_from_both_moments(put_open, opened):
    put_open("r1", AT_5)

    page = opened("run", run="r1")

    assert "at 5 requests/s" in page.title[0].value.replace("\\", "")
    assert metric(page, "Requests, nominal").value == "5 /s"
    assert metric(page, "Requests, offered").value == "5 /s"
    assert metric(page, "Requests, achieved").value == "5 /s"
    assert metric(page, "Slip p50").value == "50 ms"
    assert "rests on 40 values only" in metric(page, "Slip p99").help
    both = page.table[0].value
    assert list(both["Latency"][:3]) == ["TTFT p50", "TTFT p95", "TTFT p99"]
    sent, scheduled = (float(both[name][0].strip("*").split()[0]) for name in ("From the send", "From the schedule"))
    assert scheduled == pytest.approx(sent + 50, abs=1)
    assert "In flight over time" in titles(page)
    assert "coordinated omission" in next(
        found.help for found in page.markdown if "From the send and from the schedule" in found.value
    )
    assert "Steady state" not in words(page)


def test_a_closed_loop_has_no_rates(put, opened):
    put("r1")

    page = opened("run", run="r1")

    assert "Slip p50" not in [card.label for card in page.metric]
    assert "In flight over time" not in titles(page)


@pytest.mark.parametrize(
    ("stages", "told"), [("4s@1..5", "a ramp up to 5 requests/s"), ("2s@1,4s@5", "in 2 stages up to 5 requests/s")]
)
def test_the_headline_tells_stages(put_open, opened, stages, told):
    put_open("r1", replace(AT_5, stages=read_stages(stages)))

    page = opened("run", run="r1")

    assert told in page.title[0].value.replace("\\", "")
    assert any(f"--stages {stages}" in block.value for block in page.code)


def test_an_slo_shows_goodput_and_each_limit_with_what_was_measured(put_open, opened):
    put_open("r1", AT_5, slo=Slo.read(["ttft_s.p95 < 0.01", "success_rate >= 0.9"]))

    page = opened("run", run="r1")

    assert "does not keep every limit" in words(page)
    assert "goodput 0 of " in words(page)
    kept = page.table[0].value
    assert [("yes" in cell, "no" in cell) for cell in kept["Kept"]] == [(False, True), (True, False)]
    assert list(kept["Wanted"]) == ["below 10 ms", "at least 90.0 %"]
    assert list(kept["Measured"])[1] == "100.0 %"


def test_a_limit_on_a_number_that_is_unknown_is_not_told_as_one_that_was_not_kept(services, opened):
    run, records = made("r1")
    slo = Slo.read(["tpot_s.p95 < 5", "ttft_s.p95 < 5"])
    services.runs.run_started(replace(run, plan=replace(run.plan, slo=slo)))
    services.runs.requests("r1", [replace(one, output_tokens=None) for one in records])
    services.runs.run_ended(replace(run, plan=replace(run.plan, slo=slo)))

    page = opened("run", run="r1")

    assert "cannot be judged" in words(page)
    assert "does not keep" not in words(page)
    assert "goodput 0" not in words(page)
    assert [cell.split()[-1] for cell in page.table[0].value["Kept"]] == ["unknown", "yes"]


def test_the_steady_state_is_a_switch_that_the_headline_and_a_sentence_tell(put, opened):
    put("r1", level=2, requests=40, ttft=0.3, tpot=0.002)  # a request each 0.2 s takes 0.33 s: two at once

    whole = opened("run", run="r1")
    part = opened("run", run="r1", window="Steady state")

    assert "steady state" not in whole.title[0].value
    assert part.title[0].value.split(" :")[0].endswith("steady state")
    assert "while all 2 were in flight" in words(part).replace("\\", "")
    assert "tutorial script" in words(part)
    assert metric(part, "Output tokens").value != metric(whole, "Output tokens").value


def test_the_words_of_the_steady_state_are_of_the_steady_state(put, opened):
    put("r1", level=4, requests=32, ttft=0.1, tpot=0.035)  # four at once: the first three and the last are outside

    whole, part = opened("run", run="r1"), opened("run", run="r1", window="Steady state")

    told = re.search(r"of the (\d+) of 32 requests", words(part).replace("\\", ""))
    assert told
    assert int(told[1]) < 30
    assert "The percentiles stand on 32 requests" in words(whole)
    assert f"The percentiles stand on {told[1]} requests" in words(part)
    assert "Every percentile above p50 is greyed" in words(part)
    assert "stand on 32 requests" not in words(part)
    assert "Measured for" not in words(part)
    dotted = next(f for f in figures(part) if "Output over time" in str(f["layout"]["title"]))
    assert "dotted: steady state" in str(dotted["layout"])


def test_a_run_that_never_was_full_says_that_it_has_no_steady_state(put, opened):
    put("r1", level=4, requests=10)

    page = opened("run", run="r1", window="Steady state")

    assert "There is no steady state: 4 were never in flight at once" in words(page).replace("\\", "")
    assert "steady state" not in page.title[0].value


def test_lengths_are_shown_as_asked_sent_and_counted(services, opened):
    run, records = made("r1", requests=40)
    seen = {"requested_input_tokens": 100, "sent_input_tokens": 100, "requested_output_tokens": 20}
    records = [replace(one, **seen, input_tokens=100 + index % 2 * 10) for index, one in enumerate(records)]
    services.runs.run_started(run)
    services.runs.requests("r1", records)
    services.runs.run_ended(replace(run, preflight=Preflight(template_tokens=31)))

    page = opened("run", run="r1")

    lengths = next(found.value for found in page.table if "Asked for" in found.value)
    assert list(lengths["Asked for"]) == ["100", "20"]
    assert list(lengths["Sent"]) == ["100", "not applicable"]
    assert list(lengths["Counted by the server"]) == ["105 (100 – 110)", "16"]
    assert list(lengths["Counted against asked"]) == ["+5.0 %", "−20.0 %"]
    told = words(page).replace("\\", "")
    assert "in each prompt 31 of the chat template" in told
    assert "Prompts had 105 tokens on average by the server's count, 100 were asked for: 5.0 % apart" in told


def test_a_run_that_tells_no_lengths_has_no_table_of_them(services, opened):
    run, records = made("r1", requests=4)
    unknown = {"requested_input_tokens": None, "input_tokens": None, "requested_output_tokens": None}
    services.runs.run_started(run)
    services.runs.requests("r1", [replace(one, **unknown, output_tokens=None) for one in records])
    services.runs.run_ended(run)

    assert not any("Asked for" in found.value for found in opened("run", run="r1").table)
