"""What a live run hands over is there half a second later, whatever happens to the app or to the disk."""

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from core.run import ClientHealth, Preflight, RunState, StoppedBy
from core.summary import summarise
from storage import journal
from storage.database import Database
from storage.problems import DatabaseClosed, RunExists, RunNotFound, StorageProblem
from storage.recorder import Recorder
from storage.runs import RunStore
from tests.bench import bench_storage
from tests.own_time import held_s, of_tree, waits
from tests.storage.made import ended, plain, record, row_of, run

ROOT = Path(__file__).parents[2]
KEPT_S = 1.0  # what was handed over longer than this before a kill is there
ROUNDS = 3
MEASURING = """
import sys, time
from pathlib import Path
from storage.database import Database
from storage.runs import RunStore
from tests.storage.made import record, run
database = Database.open(Path(sys.argv[1]))
runs = RunStore(database)
runs.recover()
runs.run_started(run(sys.argv[2]))
index = 0
while True:
    runs.requests(sys.argv[2], [record(index + place, chunks=100) for place in range(5)])
    index += 5
    sys.stdout.write(f"{index} {time.monotonic()}\\n")
    sys.stdout.flush()
    time.sleep(0.01)
"""


def kill_in_mid_insert(path: Path, run_id: str, after_s: float) -> int:
    """Kill a measuring app, and return how many requests it had handed over KEPT_S before.

    How long it waited for a processor meanwhile is added: that is another program's doing.
    """
    with subprocess.Popen(
        [sys.executable, "-c", MEASURING, str(path), run_id],
        stdout=subprocess.PIPE, cwd=ROOT, text=True, start_new_session=True,
    ) as app:  # fmt: skip
        assert app.stdout is not None
        lines = [app.stdout.readline()]
        waited_before = waits(of_tree(app.pid))
        time.sleep(after_s)
        kept_s = min(KEPT_S + held_s(waited_before, waits(of_tree(app.pid))), after_s - 0.1)
        killed_s = time.monotonic()
        os.kill(app.pid, signal.SIGKILL)
        lines += app.stdout.read().splitlines()
    told = [line.split() for line in lines if len(line.split()) == 2]
    return max(int(number) for number, at_s in told if float(at_s) < killed_s - kept_s)


def test_a_kill_in_mid_insert_costs_less_than_a_second_of_requests(tmp_path):
    path = tmp_path / "paceline.duckdb"
    chance = random.Random(3)
    due = {f"r{number}": kill_in_mid_insert(path, f"r{number}", 1.3 + chance.random()) for number in range(ROUNDS)}

    with Database.open(path) as database:
        runs = RunStore(database)
        assert runs.recover() == (f"r{ROUNDS - 1}",)

        for run_id, handed_over in due.items():
            found = runs.run(run_id)
            assert found.state is RunState.INTERRUPTED
            assert found.message == "Paceline stopped before this run ended."
            assert handed_over > 0
            assert len(found.requests) >= handed_over
            assert [one.index for one in found.requests] == list(range(len(found.requests)))
            assert plain(found.requests[-1]) == plain(record(len(found.requests) - 1, chunks=100))
            assert runs.summary(run_id) == summarise(found.requests)
            assert row_of(runs, run_id).ok == len(found.requests)
        assert runs.recover() == ()


def test_requests_are_committed_within_half_a_second_without_another_call(database, runs):
    runs.run_started(run())
    runs.requests("r1", [record(0)])

    until = time.monotonic() + 10
    while time.monotonic() < until and not committed(database):
        time.sleep(0.02)

    assert committed(database) == 1


def committed(database: Database) -> int:
    with database.cursor() as cursor:
        return cursor.execute("SELECT coalesce(sum(number), 0)::INTEGER FROM journal").fetchall()[0][0]


def test_many_calls_within_half_a_second_are_one_commit(database, runs):
    runs.run_started(run())
    for index in range(50):
        runs.requests("r1", [record(index)])
    database.flush(runs._flush)

    with database.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM journal").fetchall()[0][0] <= 3
    assert len(runs.run("r1").requests) == 50


def test_closing_commits_what_waits(tmp_path):
    path = tmp_path / "paceline.duckdb"
    with Database.open(path) as database:
        runs = RunStore(database)
        runs.run_started(run())
        runs.requests("r1", [record(0)])

    with Database.open(path) as database:
        assert len(RunStore(database).run("r1").requests) == 1


def test_the_end_of_a_run_is_stored_with_all_that_was_learnt(runs):
    began = run(environment={"python": "3.11"})
    runs.run_started(began)
    runs.requests("r1", [record(index) for index in range(3)])
    over = ended(
        began,
        state=RunState.CANCELLED,
        stopped_by=StoppedBy.USER,
        message="Cancelled.",
        client=ClientHealth(loop_lag_p99_s=0.0002, max_in_flight=4, priority="realtime"),
        preflight=Preflight(streams=True, changes=("Left out stream_options.",)),
        environment={"python": "3.11", "server": {"engine": "vllm", "version": "0.32"}},
    )
    runs.run_ended(over)

    found = runs.run("r1")

    assert replace(found, requests=()) == over
    assert row_of(runs, "r1").engine == "vllm"
    assert row_of(runs, "r1").state is RunState.CANCELLED


LEARNT = {
    "client": ClientHealth(loop_lag_p99_s=0.0002, max_in_flight=4, priority="realtime"),
    "preflight": Preflight(streams=True, changes=("Left out stream_options.",)),
    "environment": {"python": "3.11", "server": {"engine": "vllm", "version": "0.32"}},
}


def test_what_is_learnt_of_a_run_is_there_when_its_end_never_comes(database, runs):
    runs.run_started(run())
    runs.run_goes_on(replace(run(), preflight=LEARNT["preflight"]))
    runs.run_goes_on(replace(run(), **LEARNT))
    until = time.monotonic() + 10
    while time.monotonic() < until and not row_of(runs, "r1").engine:  # without another call
        time.sleep(0.02)

    runs = RunStore(database)  # as after a kill
    runs.recover()

    found = runs.run("r1")
    assert found == replace(run(), state=RunState.INTERRUPTED, message=found.message, **LEARNT)
    assert row_of(runs, "r1").engine == "vllm"


def test_what_is_learnt_of_a_run_and_cannot_be_committed_goes_in_later(database, runs):
    runs.run_started(run())
    database.write(lambda connection: connection.execute("ALTER TABLE journal RENAME TO gone"))
    runs.requests("r1", [record(0)])
    runs.run_goes_on(replace(run(), **LEARNT))
    with pytest.raises(StorageProblem, match="could not be written"):
        database.flush(runs._flush)
    assert runs.run("r1", requests=False).preflight is None

    database.write(lambda connection: connection.execute("ALTER TABLE gone RENAME TO journal"))
    database.flush(runs._flush)

    assert runs.run("r1").preflight == LEARNT["preflight"]


def test_nothing_is_learnt_of_a_run_that_is_not_recorded(runs):
    with pytest.raises(RunNotFound):
        runs.run_goes_on(run())


def test_two_runs_may_be_recorded_at_once(runs):
    for run_id in ("a", "b"):
        runs.run_started(run(run_id))
    for index in range(6):
        runs.requests("ab"[index % 2], [record(index)])
    for run_id in ("a", "b"):
        runs.run_ended(ended(run(run_id)))

    assert [one.index for one in runs.run("a").requests] == [0, 2, 4]
    assert [one.index for one in runs.run("b").requests] == [1, 3, 5]


def test_an_id_is_recorded_once(runs):
    runs.run_started(run())

    with pytest.raises(RunExists, match="r1"):
        runs.run_started(run())


def test_requests_of_an_unknown_or_ended_run_are_refused(runs):
    with pytest.raises(RunNotFound):
        runs.requests("nowhere", [record()])
    runs.run_started(run())
    runs.run_ended(ended(run()))

    with pytest.raises(RunNotFound):
        runs.requests("r1", [record()])
    with pytest.raises(RunNotFound):
        runs.run_ended(ended(run("nowhere")))


def test_an_end_that_could_not_be_stored_is_stored_once_there_is_room(database, runs):
    runs.run_started(run())
    runs.requests("r1", [record(0)])
    database.write(lambda connection: connection.execute("ALTER TABLE journal RENAME TO gone"))
    with pytest.raises(Exception, match="journal"):
        runs.run_ended(ended(run()))
    with pytest.raises(Exception, match="journal"):  # whoever cleans up has another word for it, which is not the truth
        runs.run_ended(replace(ended(run()), state=RunState.FAILED, message="cut short"))

    database.write(lambda connection: connection.execute("ALTER TABLE gone RENAME TO journal"))
    database.flush(runs._flush)

    assert runs.run("r1").state is RunState.COMPLETED
    assert runs.run("r1").message is None
    assert len(runs.run("r1").requests) == 1
    assert runs.summary("r1").counts["ok"] == 1
    runs.run_ended(ended(run()))  # told once more: nothing happens


def test_what_cannot_be_committed_waits_is_told_and_goes_in_later(database, runs):
    runs.run_started(run())
    database.write(lambda connection: connection.execute("ALTER TABLE journal RENAME TO gone"))
    runs.requests("r1", [record(0)])
    database._writer.soon(runs._flush, 0.0)
    until = time.monotonic() + 10
    while time.monotonic() < until and not database.messages:
        time.sleep(0.02)
    assert "could not be written" in database.messages[0]

    database.write(lambda connection: connection.execute("ALTER TABLE gone RENAME TO journal"))
    runs.requests("r1", [record(1)])
    runs.run_ended(ended(run()))

    assert [one.index for one in runs.run("r1").requests] == [0, 1]
    assert database.messages == ()


def test_a_crowd_that_cannot_be_committed_is_refused_with_the_reason(database, runs, monkeypatch):
    monkeypatch.setattr("storage.recorder.MOST_WAITING", 3)
    runs.run_started(run())
    database.write(lambda connection: connection.execute("ALTER TABLE journal RENAME TO gone"))
    runs.requests("r1", [record(index) for index in range(3)])

    with pytest.raises(Exception, match="could not be written"):
        runs.requests("r1", [record(3)])

    database.write(lambda connection: connection.execute("ALTER TABLE gone RENAME TO journal"))
    runs.requests("r1", [record(3)])
    runs.run_ended(ended(run()))
    assert [one.index for one in runs.run("r1").requests] == [0, 1, 2, 3]


def test_after_closing_requests_are_refused(tmp_path):
    with Database.open(tmp_path / "paceline.duckdb") as database:
        runs = Recorder(database)
        runs.run_started(run())

    with pytest.raises(DatabaseClosed):
        runs.requests("r1", [record()])


def test_a_long_run_is_moved_into_the_tables_on_the_way(database, runs, monkeypatch):
    monkeypatch.setattr(journal, "MOST_CHUNKS", 100)
    runs.run_started(run())
    for index in range(9):
        runs.requests("r1", [record(index, chunks=40)])
        database.flush(runs._flush)

    with database.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM requests").fetchall()[0][0] >= 6
        assert cursor.execute("SELECT count(*) FROM journal").fetchall()[0][0] <= 2
    assert [plain(one) for one in runs.run("r1").requests] == [plain(record(index, chunks=40)) for index in range(9)]
    runs.run_ended(ended(run()))
    assert runs.summary("r1") == summarise(runs.run("r1").requests)
    assert committed(database) == 0


def test_a_million_chunk_times_cost_at_most_six_megabytes(tmp_path):
    size_bytes, *_ = bench_storage.write(tmp_path / "paceline.duckdb")

    with Database.open(tmp_path / "paceline.duckdb") as database, database.cursor() as cursor:
        (held,) = cursor.execute("SELECT count(*), sum(chunks) FROM requests").fetchall()
    assert held == (10_000, 1_000_000)
    assert size_bytes <= bench_storage.MOST_BYTES
