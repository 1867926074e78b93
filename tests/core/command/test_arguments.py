"""What is typed becomes plans, or one sentence."""

import json
from pathlib import Path

import pytest

from core.command.arguments import levels, parser, plans
from core.plan import PlanError
from core.reproduce import plan_file
from tests.core.loadgen.scripted import plan_for

TARGET = ["run", "--base-url", "127.0.0.1:8000", "--model", "m"]


def asked(*words: str):
    return plans(parser().parse_args([*TARGET, *words]))


def test_every_level_is_a_plan():
    assert [plan.load.concurrency for plan in asked("--concurrency", "1,4,16")] == [1, 4, 16]


def test_defaults_are_twenty_requests_and_one_warm_up():
    (plan,) = asked()

    assert (plan.load.requests, plan.load.warmup_requests, plan.load.duration_s) == (20, 1, None)
    assert plan.configuration.endpoint.base_url == "http://127.0.0.1:8000/v1"


def test_a_duration_stands_instead_of_a_number():
    (plan,) = asked("--duration", "3.5")

    assert (plan.load.requests, plan.load.duration_s) == (None, 3.5)


def test_everything_reaches_the_plan():
    (plan,) = asked(
        "--api", "completions", "--header", "X-A: b:c", "--extra-body", '{"top_k": 1}', "--ignore-eos", "--no-stream",
        "--timeout-idle", "3", "--ca", "ca.pem", "--input-tokens", "7", "--output-tokens", "9", "--label", "L",
    )  # fmt: skip
    endpoint = plan.configuration.endpoint

    assert (endpoint.api, endpoint.headers, endpoint.ca_file, endpoint.limits.idle_s) == (
        "completions", (("X-A", "b:c"),), str(Path("ca.pem").resolve()), 3.0,
    )  # fmt: skip
    assert (plan.workload.ignore_eos, plan.workload.stream, plan.workload.extra_body) == (True, False, {"top_k": 1})
    assert (plan.workload.input_tokens, plan.workload.output_tokens, plan.configuration.label) == (7, 9, "L")


def from_file(path):
    return plans(parser().parse_args(["run", "--plan", str(path)]))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--concurrency", "1;4"], "--concurrency"),
        (["--concurrency", "0"], "Concurrency is 0"),
        (["--header", "nonsense"], "--header"),
        (["--extra-body", "{"], "--extra-body"),
        (["--extra-body", "[1]"], "--extra-body"),
        (["--extra-body", '{"model": "x"}'], "model"),
        (["--requests", "-5"], "Requests is -5"),
        (["--base-url", "ftp://x"], "ftp"),
    ],
)
def test_nonsense_is_one_sentence_that_names_it(words, part):
    with pytest.raises(PlanError, match=part.replace("{", "\\{")):
        asked(*words)


def test_without_a_target_the_next_step_is_named():
    with pytest.raises(PlanError, match="--base-url and --model"):
        plans(parser().parse_args(["run"]))


def test_a_certificate_file_is_meant_from_where_the_command_was_typed():
    (plan,) = asked("--ca", "certs/ca.pem")

    assert Path(plan.configuration.endpoint.ca_file).is_absolute()


def test_no_requests_at_all_is_refused_and_not_taken_for_the_default():
    with pytest.raises(PlanError, match="Requests is 0"):
        asked("--requests", "0")


def test_levels_are_kept_in_order_without_repeats():
    assert levels("4, 1,4") == [4, 1]


def test_a_plan_file_of_the_app_is_read_back(tmp_path):
    wanted = [plan_for(80, requests=5), plan_for(80, duration_s=2.0)]
    path = tmp_path / "plan.json"
    path.write_bytes(plan_file(wanted))

    assert from_file(path) == wanted


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"plans": []}', '{"plans": [1]}', '{"plans": [{"load": {}}]}', "[" * 99999]
)
def test_what_is_no_plan_file_is_one_sentence_that_names_it(tmp_path, content):
    path = tmp_path / "plan.json"
    path.write_text(content)

    with pytest.raises(PlanError, match=r"plan\.json"):
        from_file(path)


def test_a_missing_plan_file_is_said(tmp_path):
    with pytest.raises(PlanError, match="cannot be read"):
        from_file(tmp_path / "none.json")


def test_the_help_names_every_command_and_an_example():
    text = parser().format_help()

    assert all(name in text for name in ("run", "demo", "calibrate", "export"))
    assert "examples:" in text


def test_a_key_never_stands_in_the_plan():
    (plan,) = asked("--api-key-env", "SECRET_NAME")

    assert plan.configuration.endpoint.key_name == "SECRET_NAME"
    assert "SECRET_NAME" in json.dumps(plan.to_dict())
