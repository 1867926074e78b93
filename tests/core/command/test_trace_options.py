"""A trace on the command line: its runs, what is said of its file, what is refused."""

import pytest

from core import trace_shelf
from core.command.arguments import experiment, parser
from core.plan import PlanError
from core.reproduce import plan_file

TARGET = ["run", "--base-url", "127.0.0.1:8000", "--model", "m"]


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_CACHE", str(tmp_path / "cache"))
    found = tmp_path / "chat.csv"
    found.write_text("Timestamp,Request tokens,Response tokens\n5,472,18\n6,1087,0\n25,10,20\n")
    return found


def loads(*words):
    return [plan.load for plan in experiment(parser().parse_args([*TARGET, *words])).plans]


def test_every_request_of_the_trace_is_sent_unless_fewer_are_asked_for(file):
    (whole,) = loads("--trace", str(file))
    (some,) = loads("--trace", str(file), "--requests", "1", "--max-in-flight", "3")
    (timed,) = loads("--trace", str(file), "--duration", "7")

    assert (whole.requests, whole.duration_s, whole.rate) == (2, None, 0.05)
    assert (some.requests, some.max_in_flight) == (1, 3)
    assert (timed.requests, timed.duration_s) == (None, 7.0)
    assert trace_shelf.has(whole.trace)


def test_several_speeds_are_runs_of_their_own(file):
    assert [(load.trace.speed, load.rate) for load in loads("--trace", str(file), "--speed", "1,4")] == [
        (1, 0.05),
        (4, 0.2),
    ]


def test_what_was_understood_of_the_file_is_said(file, capsys):
    loads("--trace", str(file))

    said = capsys.readouterr().err
    assert "chat.csv: 2 requests over 20 s" in said
    assert "as in BurstGPT" in said
    assert "1 row was left out (1: answer without tokens)" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--trace", "FILE", "--burstiness", "2"), "its own arrivals"),
        (("--trace", "FILE", "--ramp", "linear:5"), "its own arrivals"),
        (("--trace", "FILE", "--requests", "3"), "the trace has 2"),
        (("--trace", "FILE", "--speed", "0"), "Speed is '0'"),
        (("--trace", "FILE", "--speed", "fast"), "'fast'"),
        (("--trace", "/nowhere/x.csv"), "cannot be read"),
        (("--speed", "2"), "--speed goes with --trace"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(file, words, said):
    with pytest.raises(PlanError, match=said):
        loads(*(word.replace("FILE", str(file)) for word in words))


def test_a_plan_file_with_a_trace_takes_its_rows_from_the_file_beside_it(file, tmp_path, monkeypatch):
    found = experiment(parser().parse_args([*TARGET, "--trace", str(file)]))
    saved = tmp_path / "plan.json"
    saved.write_bytes(plan_file(found.plans))
    monkeypatch.setenv("PACELINE_CACHE", str(tmp_path / "elsewhere"))
    trace = found.plans[0].load.trace
    assert not trace_shelf.has(trace)

    again = experiment(parser().parse_args(["run", "--plan", str(saved), "--trace", str(file)]))

    assert again.plans == found.plans
    assert trace_shelf.has(trace)
