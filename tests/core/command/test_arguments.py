"""What is typed becomes plans, or one sentence."""

import json
import os
from pathlib import Path

import pytest
import trustme

from core.calibration_result import LASTS, QUICK_LASTS
from core.command.arguments import experiment, parsed, parser, require_writable
from core.plan import PlanError
from core.reproduce import plan_file
from tests.core.loadgen.scripted import plan_for

TARGET = ["run", "--base-url", "127.0.0.1:8000", "--model", "m"]


def asked(*words: str):
    return list(experiment(parser().parse_args([*TARGET, *words])).plans)


def test_every_level_is_a_plan():
    assert [plan.load.concurrency for plan in asked("--concurrency", "1,4,16")] == [1, 4, 16]


def test_defaults_are_twenty_requests_and_one_warm_up():
    (plan,) = asked()

    assert (plan.load.requests, plan.load.warmup_requests, plan.load.duration_s) == (20, 1, None)
    assert plan.configuration.endpoint.base_url == "http://127.0.0.1:8000/v1"


def test_a_duration_stands_instead_of_a_number():
    (plan,) = asked("--duration", "3.5")

    assert (plan.load.requests, plan.load.duration_s) == (None, 3.5)


def test_everything_reaches_the_plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    trustme.CA().cert_pem.write_to_path("ca.pem")
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
    return list(experiment(parser().parse_args(["run", "--plan", str(path)])).plans)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--concurrency", "1;4"], "Concurrency is '1;4'"),
        (["--concurrency", "0"], "Concurrency is '0'"),
        (["--header", "nonsense"], "--header"),
        (["--extra-body", "{"], "--extra-body"),
        (["--extra-body", "[1]"], "--extra-body"),
        (["--extra-body", '{"model": "x"}'], "model"),
        (["--requests", "-5"], "Requests is -5"),
        (["--base-url", "ftp://x"], "ftp"),
        (["--base-url", "h/v1?api_key=sk-1"], "Base URL has a query"),
        (["--extra-body", '{"a": ' + "9" * 5000 + "}"], "--extra-body is not JSON|inf"),
        (["--ca", "/no/such.pem"], "^--ca: The CA file /no/such.pem cannot be used: no such file or directory.$"),
        (["--ca", "/dev/zero"], "--ca: .* it is a pipe or a device"),
        (["--ca", "x" * 300], "--ca: .* file name too long"),
    ],
)
def test_nonsense_is_one_sentence_that_names_it(words, part):
    with pytest.raises(PlanError, match=part.replace("{", "\\{")):
        asked(*words)


def test_without_a_target_the_next_step_is_named():
    with pytest.raises(PlanError, match="--base-url and --model"):
        experiment(parser().parse_args(["run"]))


def test_a_certificate_file_is_meant_from_where_the_command_was_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    trustme.CA().cert_pem.write_to_path("ca.pem")
    (plan,) = asked("--ca", "ca.pem")

    assert plan.configuration.endpoint.ca_file == str(tmp_path / "ca.pem")


def test_a_certificate_file_that_is_not_there_is_said_before_anything_is_measured():
    with pytest.raises(PlanError, match=r"^--ca: The CA file none\.pem cannot be used: no such file"):
        asked("--ca", "none.pem")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "--requests", "five"], "cli.py run: --requests: 'five' is no whole number. See: cli.py run --help"),
        (["run", "--timeout-idle", "-1"], "--timeout-idle: '-1' is no number of seconds above 0"),
        (["run", "--duration", "nan"], "--duration: 'nan' is no number of seconds above 0"),
        (["run", "--bse-url", "x"], "cli.py run: --bse-url x is not known here. See: cli.py run --help"),
        (["rnu"], "invalid choice: 'rnu'"),
        ([], "See: cli.py --help"),
    ],
)
def test_what_is_not_understood_is_one_line_with_the_way_to_the_options(words, said, capsys):
    with pytest.raises(SystemExit) as ended:
        parsed(words)
    told = capsys.readouterr().err

    assert ended.value.code == 2
    assert said in told
    assert told.count("\n") == 1


def test_a_file_that_can_be_written_is_left_as_it_is(tmp_path):
    (tmp_path / "there.json").write_text("before")
    require_writable(tmp_path / "there.json")
    require_writable(tmp_path / "new.json")

    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("there.json", "before")]


def test_a_file_where_none_can_be_made_is_refused_with_the_reason():
    """Even to the superuser, whom a look at the permissions tells nothing."""
    folder = next(path for path in (Path("/proc"), Path("/dev/fd")) if path.is_dir())

    with pytest.raises(PlanError, match=r"cannot be written \(.+\)"):
        require_writable(folder / "run.json")


def test_a_pipe_is_not_opened_to_see_whether_it_can_be_written(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    require_writable(tmp_path / "pipe")  # to open it would wait for a reader


def test_no_requests_at_all_is_refused_and_not_taken_for_the_default():
    with pytest.raises(PlanError, match="Requests is 0"):
        asked("--requests", "0")


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--model", "\udcff\udcfe"], "--model"),
        (["--label=\udcff"], "--label"),
        (["--base-url", "h", "--header", "a: \udcff", "--model", "m"], "--header"),
        (["--out", "\udcff.json"], "--out"),
        (["--\udcff", "x"], "argument 2"),
    ],
)
def test_words_that_are_no_text_are_one_sentence_that_names_the_option(capsys, words, what):
    with pytest.raises(SystemExit) as ended:
        parsed(["run", *words])

    assert ended.value.code == 2
    assert capsys.readouterr().err == f"cli.py: {what} is not UTF-8 text: write it as UTF-8, file names too.\n"


def test_a_name_that_is_too_long_for_a_file_is_said_of_its_option(tmp_path):
    for path in (tmp_path / ("x" * 300), tmp_path / ("x" * 300) / "run.json"):
        with pytest.raises(PlanError, match=r"^--out .* cannot be written \(File name too long\)") as refused:
            require_writable(path)

        assert len(str(refused.value)) < 150


def test_levels_are_kept_in_order_and_one_that_ranges_share_is_one():
    assert [plan.load.concurrency for plan in asked("--concurrency", "4, 1..4:x2")] == [4, 1, 2]


def test_a_level_that_is_written_twice_is_no_wish_that_is_dropped_without_a_word():
    with pytest.raises(PlanError, match="names 4 twice: leave one out"):
        asked("--concurrency", "4, 1,4")


def test_repeats_follow_each_other_level_by_level():
    found = [plan.load.concurrency for plan in asked("--concurrency", "1,4", "--repeats", "2")]

    assert found == [1, 1, 4, 4]


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


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--concurrency", "4", "--requests", "9"], "--concurrency, --requests"),
        (["--input-tokens", "128"], "--input-tokens"),  # its default: typed all the same
        (["--conc=4"], "--concurrency"),
        (["--base-url", "http://127.0.0.1:1/v1", "--model", "m"], "--base-url, --model"),
        (["--header", "X-A: b", "--no-stream", "--timeout-idle", "3"], "--header, --no-stream, --timeout-idle"),
    ],
)
def test_options_that_a_plan_file_decides_are_refused_beside_it_and_named(tmp_path, words, named):
    path = tmp_path / "plan.json"
    path.write_bytes(plan_file([plan_for(80)]))

    with pytest.raises(PlanError, match=f"^--plan says this already: leave out {named}.$"):
        experiment(parser().parse_args(["run", *words, "--plan", str(path), "--out", "run.json"]))


def test_where_to_and_how_may_stand_beside_a_plan_file(tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes(plan_file([plan_for(80)]))
    words = ["run", f"--plan={path}", "--out", "run.json", "--no-preflight", "--priority", "normal"]

    assert experiment(parser().parse_args(words)).plans == (plan_for(80),)


def test_how_long_a_calibration_takes_is_told_as_the_app_tells_it(capsys):
    with pytest.raises(SystemExit):
        parser().parse_args(["calibrate", "--help"])

    told = " ".join(capsys.readouterr().out.split())
    assert f"Takes {LASTS};" in told
    assert QUICK_LASTS in told


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
