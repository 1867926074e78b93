"""The table of runs shows the right rows, the newest first, and stays quick with thousands."""

import time
from dataclasses import fields, replace
from datetime import timedelta

import pytest

from core.plan import Load
from core.run import ClientHealth, RunState
from storage.listing import RunRow
from tests.storage.made import STARTED, configuration, ended, endpoint, failed, record, row_of, run


@pytest.fixture
def three(runs):
    plan = run().plan.__class__(
        configuration=configuration("c2", label="AWQ-INT4", slot=3, endpoint=endpoint("Spark 2"))
    )
    runs.add(ended(run("old", name="first", tags=("gpu", "keep"), requests=[record(0), record(1), failed(2)])))
    runs.add(
        ended(
            run(
                "new", plan=plan, started_at=STARTED + timedelta(days=1), experiment={"id": "e7", "name": "Sweep 100%"}
            ),
            state=RunState.FAILED,
            message="It broke.",
        )
    )
    runs.run_started(run("live", started_at=STARTED + timedelta(days=2)))
    return runs


def test_a_row_shows_the_run_and_its_numbers(three):
    row = row_of(three, "old")

    assert (row.name, row.label, row.slot, row.model, row.endpoint) == ("first", "c1", 0, "llama-3-8b", "spark")
    assert (row.concurrency, row.state, row.tags, row.started_at) == (4, RunState.COMPLETED, ("gpu", "keep"), STARTED)
    assert row.ok == 2
    assert row.success_rate == pytest.approx(2 / 3)
    assert (row.ttft_p50_s, row.ttft_p99_s) == (pytest.approx(0.05), pytest.approx(0.05))
    assert row.tpot_p50_s == pytest.approx(0.01)
    assert row.decode_tps == pytest.approx(100)
    assert row.output_tokens_per_s == pytest.approx(10 / 0.22)
    assert len(row.gap_grid) == 200
    assert row.gap_grid[0] == pytest.approx(0.01)
    assert len(row.sparkline) == 40


@pytest.mark.parametrize(
    ("client", "address", "doubted"),
    [
        (ClientHealth(machine_busy_share=0.99), "http://127.0.0.1:8000/v1", True),
        (ClientHealth(machine_busy_share=0.99), "http://gpu.example:8000/v1", False),
        (ClientHealth(machine_busy_share=0.5), "http://127.0.0.1:8000/v1", False),
        (ClientHealth(loop_lag_p99_s=0.02), "http://gpu.example:8000/v1", True),
        (ClientHealth(), "http://127.0.0.1:8000/v1", False),
    ],
)
def test_a_row_tells_whether_its_numbers_are_in_doubt(runs, client, address, doubted):
    plan = run().plan
    endpoint = replace(plan.configuration.endpoint, base_url=address)
    plan = replace(plan, configuration=replace(plan.configuration, endpoint=endpoint))
    runs.add(ended(run("r", plan=plan, client=client, requests=[record(0)])))

    assert row_of(runs, "r").doubted is doubted


def test_a_row_tells_its_level_in_words(runs):
    plan = run().plan
    for run_id, load in (("closed", Load(concurrency=1024)), ("open", Load(concurrency=None, rate=2.5))):
        runs.add(ended(run(run_id, plan=replace(plan, load=load))))

    closed, opened = row_of(runs, "closed"), row_of(runs, "open")
    assert (closed.concurrency, closed.rate, closed.variable, closed.value) == (1024, None, "concurrency", 1024)
    assert (opened.concurrency, opened.rate, opened.variable, opened.value) == (None, 2.5, "rate", 2.5)
    assert (closed.level, opened.level) == ("1,024 in flight", "2.5 requests/s")
    assert runs.run("open").plan.load == Load(concurrency=None, rate=2.5)


def test_a_run_that_failed_or_lives_has_no_numbers_that_were_not_measured(three):
    failed_row, live = row_of(three, "new"), row_of(three, "live")

    assert (failed_row.ok, failed_row.success_rate, failed_row.ttft_p50_s, failed_row.gap_grid) == (0, None, None, ())
    assert failed_row.message == "It broke."
    assert (live.ok, live.ttft_p50_s, live.sparkline, live.ended_at) == (None, None, (), None)


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ({}, ["live", "new", "old"]),
        ({"limit": 2}, ["live", "new"]),
        ({"states": [RunState.FAILED, RunState.RUNNING]}, ["live", "new"]),
        ({"tags": ["gpu"]}, ["old"]),
        ({"tags": ["gpu", "other"]}, []),
        ({"ids": ["old", "live", "gone"]}, ["live", "old"]),
        ({"ids": []}, []),
        ({"experiment_id": "e7"}, ["new"]),
        ({"text": "awq"}, ["new"]),
        ({"text": "SPARK int4"}, ["new"]),
        ({"text": "100%"}, ["new"]),
        ({"text": "keep"}, ["old"]),
        ({"text": "%"}, ["new"]),
        ({"text": "'; DROP TABLE runs; --"}, []),
        ({"text": "llama", "states": [RunState.COMPLETED]}, ["old"]),
    ],
    ids=str,
)
def test_filters_leave_the_rows_that_fit(three, wanted, ids):
    assert [row.id for row in three.list_runs(**wanted)] == ids


def test_thousands_of_runs_are_listed_from_what_their_end_stored(database, runs):
    runs.add(ended(run("template", requests=[record(index) for index in range(10)])))

    def copies(connection):
        connection.execute(
            "INSERT INTO runs SELECT r.* REPLACE (n AS no, 'r' || n AS id) FROM runs r, range(2, 3001) t(n)"
        )
        connection.execute(
            "INSERT INTO summaries SELECT s.* REPLACE (n AS run_no) FROM summaries s, range(2, 3001) t(n)"
        )

    database.write(copies)
    began = time.monotonic()
    rows = runs.list_runs()
    seconds = time.monotonic() - began

    assert len(rows) == 3000
    assert all(len(row.gap_grid) == 200 for row in rows)
    assert seconds < 5  # 0.15 s on two quiet cores; computing them would take minutes


def test_a_row_has_nothing_that_is_not_documented_or_shown():
    assert len(fields(RunRow)) == 30
