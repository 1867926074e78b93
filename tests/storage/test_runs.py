"""A run reads as it was recorded, changes where it is asked to, and goes with all that belongs to it."""

from dataclasses import replace

import pytest

from core.plan import Limits, Load, RunPlan, Workload
from core.records import Failure, FailureKind, ServerTimes, TokenSource
from core.run import RunState
from core.steadiness import Stay
from storage.database import Database
from storage.problems import NameEmpty, RunExists, RunNotEnded, RunNotFound, UnknownMetric
from storage.runs import TABLES
from tests.storage.made import configuration, ended, endpoint, failed, plain, record, run


def test_a_record_reads_as_it_was_recorded(runs):
    full = record(
        3,
        worker=2,
        conversation=7,
        turn=1,
        scheduled_s=0.25,
        first_answer_s=0.4,
        connect_s=0.0015,
        requested_input_tokens=128,
        requested_output_tokens=64,
        reasoning_tokens=3,
        cached_tokens=16,
        reads=4,
        server=ServerTimes(prefill_s=0.03, decode_s=None),
        text="Grüße\0 从 \N{GRINNING FACE}\r\n'); DROP TABLE runs; --",
        reasoning_text="",
    )
    body = record(4, streamed=False, first_token_s=None, first_answer_s=None, chunk_us=[], text="{}")
    unsent = replace(failed(5, FailureKind.REFUSED), sent_s=None, ended_s=None)
    reported_nothing = record(6, server=ServerTimes(), token_source=TokenSource.NONE, output_tokens=None)
    warmup = record(0, warmup=True)
    records = (warmup, full, body, unsent, reported_nothing)

    runs.add(ended(run(requests=records)))

    assert [plain(one) for one in runs.run("r1").requests] == [plain(one) for one in records]
    assert runs.text("r1", "q3") == (full.text, "")
    assert runs.text("r1", "q5") == (None, None)
    assert runs.text("r1", "nowhere") == (None, None)


def test_a_run_reads_as_it_was_recorded(runs):
    plan = RunPlan(
        configuration=configuration(
            settings=(("quantization", "AWQ"), ("slots", "4")),
            endpoint=endpoint(headers=(("X-Team", "research"),), limits=Limits(connect_s=3.5), ca_file="/ca.pem"),
        ),
        workload=Workload(extra_body={"top_k": 5, "nested": {"deep": [1, None, "x"]}}, seed=9),
        load=Load(concurrency=16, requests=None, duration_s=30.0),
    )
    whole = ended(
        run(
            plan=plan,
            tags=("a", "b"),
            notes="a note",
            experiment={"id": "e1", "name": "AWQ or not", "repeat": 2, "position": 3},
            producer={"tool": "paceline", "version": "0.1"},
        ),
        message="Stopped.",
    )
    runs.add(whole)

    assert runs.run("r1") == whole
    assert runs.run("r1", requests=False) == whole


def test_requests_are_in_the_order_in_which_they_ended(runs):
    runs.add(ended(run(requests=[record(index, text="x") for index in (4, 2, 9, 1)])))

    assert [one.index for one in runs.run("r1").requests] == [4, 2, 9, 1]
    assert [one.text for one in runs.run("r1", texts=False).requests] == [None] * 4


def test_the_table_of_requests_has_what_was_seen_and_the_metrics(runs):
    runs.add(ended(run(requests=[record(0), failed(1)])))

    table = runs.request_table("r1").to_pylist()

    assert table[0]["ttft_s"] == pytest.approx(0.05)
    assert table[0]["tpot_s"] == pytest.approx(0.01)
    assert table[0]["outcome"] == "ok"
    assert (table[1]["failure_kind"], table[1]["failure_status"], table[1]["ttft_s"]) == ("http_5xx", 503, None)


def test_values_are_those_of_measured_successful_requests(runs):
    runs.add(ended(run(requests=[record(0, warmup=True), record(1, gap_us=20_000), failed(2), record(3)])))

    assert runs.values("r1", "tpot_s") == pytest.approx([0.02, 0.01])
    assert runs.values("r1", "gap_s") == pytest.approx([0.02] * 4 + [0.01] * 4)
    assert runs.values("r1", "input_tokens") == [20.0, 20.0]


def test_stays_tell_when_each_lane_was_occupied_and_what_came(runs):
    body = record(3, streamed=False, first_token_s=None, first_answer_s=None, chunk_us=[])
    unsent = replace(failed(5, FailureKind.REFUSED), sent_s=None, ended_s=None)
    refused = replace(failed(2), sent_s=0.2, ended_s=0.21)
    runs.add(ended(run(requests=[record(0, warmup=True), record(1), refused, body, unsent])))

    streamed, failing, whole = runs.stays("r1")

    assert streamed == Stay(
        sent_s=0.1, ended_s=pytest.approx(0.191), begun_s=pytest.approx(0.15), done_s=pytest.approx(0.19), tokens=5
    )
    assert (failing.sent_s, failing.ended_s, failing.tokens) == (0.2, 0.21, 0)
    assert (whole.begun_s, whole.tokens) == (pytest.approx(0.3), 5)


def test_stays_of_a_live_run_are_those_so_far(database, runs):
    runs.run_started(run())
    runs.requests("r1", [record(0), record(1)])
    database.flush(runs._flush)

    assert len(runs.stays("r1")) == 2


@pytest.mark.parametrize("ask", ["values", "grid"])
def test_an_unknown_metric_is_named_and_reaches_no_query(runs, ask):
    runs.add(ended(run()))

    with pytest.raises(UnknownMetric, match="no metric 1; DROP TABLE runs"):
        getattr(runs, ask)("r1", "1; DROP TABLE runs")


def test_an_unknown_run_is_named_whatever_is_asked(runs):
    for ask in (
        runs.run, runs.summary, runs.request_table, runs.output_over_time, runs.stays,
        lambda run_id: runs.grid(run_id, "ttft_s"), lambda run_id: runs.text(run_id, "q"),
        lambda run_id: runs.values(run_id, "ttft_s"), lambda run_id: runs.rename(run_id, "x"),
        lambda run_id: runs.tag(run_id, []), lambda run_id: runs.note(run_id, ""),
    ):  # fmt: skip
        with pytest.raises(RunNotFound, match="There is no run gone: it may have been deleted"):
            ask("gone")


def test_a_run_is_renamed_tagged_and_noted(runs):
    runs.add(ended(run()))

    runs.rename("r1", "  nightly  ")
    runs.tag("r1", ["gpu", " gpu ", "", "baseline"])
    runs.note("r1", "after the driver update")

    found = runs.run("r1")
    assert (found.name, found.tags, found.notes) == ("nightly", ("gpu", "baseline"), "after the driver update")
    assert runs.tags() == ["baseline", "gpu"]


def test_a_run_keeps_its_name_if_the_new_one_is_empty(runs):
    runs.add(ended(run()))

    with pytest.raises(NameEmpty):
        runs.rename("r1", " \n ")

    assert runs.run("r1").name == "r1"


def test_deleting_takes_all_that_belongs_to_a_run_and_nothing_else(database, runs):
    runs.add(ended(run("a", requests=[record(0, text="x")])))
    runs.add(ended(run("b", requests=[record(1, text="y")])))
    before = runs.run("b"), runs.summary("b")

    runs.delete(["a", "unknown"])

    assert [row.id for row in runs.list_runs()] == ["b"]
    assert (runs.run("b"), runs.summary("b")) == before
    with database.cursor() as cursor:
        for table in TABLES:
            assert cursor.execute(f"SELECT DISTINCT run_no FROM {table}").fetchall() in ([(2,)], []), table


def test_a_live_run_is_not_deleted_and_none_beside_it(runs):
    runs.add(ended(run("over")))
    runs.run_started(run("live", name="evening"))

    with pytest.raises(RunNotEnded, match="evening is still running: cancel it first"):
        runs.delete(["over", "live"])

    assert {row.id for row in runs.list_runs()} == {"over", "live"}


def test_a_run_is_added_once(runs):
    runs.add(ended(run(requests=[record(0)])))

    with pytest.raises(RunExists):
        runs.add(ended(run(requests=[record(1)])))

    assert [one.index for one in runs.run("r1").requests] == [0]


def test_a_large_run_is_added_in_slices(runs, monkeypatch):
    monkeypatch.setattr("storage.runs.SLICE", 7)
    records = [record(index) for index in range(20)]
    runs.add(ended(run(requests=records)))

    assert [plain(one) for one in runs.run("r1").requests] == [plain(one) for one in records]


def test_no_key_reaches_the_file(tmp_path):
    key = "sk-abcdefghijklmnopqrstuvwxyz0123456789"
    plan = RunPlan(
        configuration=configuration(
            endpoint=endpoint(headers=(("Authorization", f"Bearer {key}"), ("X-Other", key)), notes=f"uses {key}")
        ),
        workload=Workload(extra_body={"api_key": key, "max_tokens": 3}),
    )
    refused = replace(
        failed(0), failure=Failure(kind=FailureKind.HTTP_401, message=f"Incorrect API key: {key}", status=401)
    )
    path = tmp_path / "paceline.duckdb"
    with Database.open(path) as database:
        from storage.runs import RunStore

        runs = RunStore(database)
        runs.run_started(run(plan=plan))
        runs.requests("r1", [refused])
        database.flush(runs._flush)
        log = path.with_name(path.name + ".wal").read_bytes()
        runs.run_ended(ended(run(plan=plan), state=RunState.FAILED, message=f"The server said: {key}"))
        found = runs.run("r1")

    assert key.encode() not in log + path.read_bytes()
    assert found.plan.workload.extra_body["max_tokens"] == 3
    assert "Incorrect API key" in found.requests[0].failure.message
    assert found.message.startswith("The server said: ")
