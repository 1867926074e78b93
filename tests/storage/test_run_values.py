"""What JSON cannot hold is repaired, never an error; what a later Paceline adds is passed over."""

from dataclasses import replace

import orjson
import pytest

from core.run import Preflight
from storage import run_values
from tests.storage.made import ended, row_of, run


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"a": float("nan"), "b": float("inf")}, {"a": None, "b": None}),
        ({"a": "x\ud800"}, {"a": "x?"}),
        ({"a": "x\ud800", "b": float("nan")}, {"a": "x?", "b": None}),
        ({"a": 2**70, "b": "c"}, {"a": float(2**70), "b": "c"}),
        ({1: "number", None: "nothing"}, {"1": "number", "null": "nothing"}),
        ({"a": {1}}, {"a": "{1}"}),
    ],
    ids=str,
)
def test_any_value_becomes_json(value, kept):
    assert orjson.loads(run_values.dumps(value)) == kept


def test_a_run_with_odd_words_and_environment_is_kept(runs):
    odd = run(name="a\udc80b", environment={"server": "not an object", "libraries": {"x": "\udc80"}})
    runs.add(ended(odd, message="\udc80"))

    found = runs.run("r1")

    assert (found.name, found.message) == ("a?b", "?")
    assert found.environment == {"server": "not an object", "libraries": {"x": "?"}}
    assert row_of(runs, "r1").engine == ""


def test_the_engine_is_what_the_server_said_else_the_users_word_else_the_demo():
    plan = run().plan
    written = replace(plan, configuration=replace(plan.configuration, settings=(("engine", "paced"),)))
    assert run_values.engine(run(plan=written, environment={"server": {"engine": "unknown"}})) == "paced"
    assert run_values.engine(run(environment={"server": {"engine": "vllm"}})) == "vllm"
    assert run_values.engine(run(environment={"server": {"engine": None}})) == ""
    assert run_values.engine(run()) == ""


def test_keys_of_a_later_paceline_are_passed_over(runs, database):
    runs.add(ended(run(preflight=Preflight(changes=("one",)))))
    for column in ("client", "preflight", "plan"):
        database.write(
            lambda connection, column=column: connection.execute(
                f"UPDATE runs SET {column} = '{{\"later\": 1, ' || {column}[2:]"
            )
        )

    assert runs.run("r1") == ended(run(preflight=Preflight(changes=("one",))))


def test_times_come_back_in_utc(runs):
    runs.add(ended(run()))

    assert runs.run("r1").started_at.isoformat() == "2026-11-29T12:00:00.123456+00:00"
    assert row_of(runs, "r1").started_at.isoformat() == "2026-11-29T12:00:00.123456+00:00"
