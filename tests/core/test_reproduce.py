"""A run repeated elsewhere: the line, the curl request and the plan file say the same and hold no key."""

import json
import shlex
from dataclasses import replace

import pytest

from core.command import arguments
from core.plan import Configuration, Endpoint, Experiment, Limits, Load, RunPlan, Slo, Stage, Sweep, Workload
from core.reproduce import command_line, curl, plan_file
from core.restraint import Restraint
from core.search import Search
from core.trace import Rows

SECRET = "sk-live-0123456789abcdef"


def plan(*, endpoint=None, workload=None, load=None, model="m"):
    endpoint = endpoint or Endpoint(name="e", base_url="http://127.0.0.1:8000/v1")
    return RunPlan(
        configuration=Configuration(id="c", label="L", endpoint=endpoint, model=model),
        workload=workload or Workload(),
        load=load or Load(concurrency=4, requests=20),
    )


def words(line):
    return shlex.split(line.replace("\\\n", " "))


def option(line, name):
    found = words(line)
    return found[found.index(name) + 1]


def test_the_line_names_target_and_load():
    line = command_line(plan())

    assert words(line)[:3] == [".venv/bin/python", "cli.py", "run"]
    assert option(line, "--base-url") == "http://127.0.0.1:8000/v1"
    assert option(line, "--concurrency") == "4"
    assert option(line, "--requests") == "20"
    assert "--no-stream" not in line


def test_a_run_by_time_has_a_duration_and_no_number():
    line = command_line(plan(load=Load(concurrency=1, requests=None, duration_s=12.5)))

    assert option(line, "--duration") == "12.5"
    assert "--requests" not in words(line)


def test_what_differs_from_the_defaults_is_on_the_line():
    endpoint = Endpoint(
        name="e",
        base_url="https://h/v1",
        api="completions",
        key_name="OPENAI_API_KEY",
        ca_file="/ca.pem",
        headers=(("X-Team", "a b"),),
        limits=Limits(idle_s=5),
    )
    workload = Workload(stream=False, ignore_eos=True, extra_body={"top_k": 1})

    asked = plan(endpoint=endpoint, workload=workload)
    line = command_line(replace(asked, configuration=replace(asked.configuration, id="command-line")))

    assert option(line, "--api") == "completions"
    assert option(line, "--api-key-env") == "OPENAI_API_KEY"
    assert option(line, "--ca") == "/ca.pem"
    assert option(line, "--header") == "X-Team: a b"
    assert option(line, "--timeout-idle") == "5"
    assert json.loads(option(line, "--extra-body")) == {"top_k": 1}
    assert {"--no-stream", "--ignore-eos"} <= set(words(line))
    assert "--timeout-total" not in line


LOADS = [
    Load(concurrency=16, requests=None, duration_s=3, warmup_requests=0),
    Load(concurrency=None, rate=2.5, burstiness=0.5, max_in_flight=9, stop_when_saturated=True),
    Load(concurrency=None, rate=1 / 3, constant=True, requests=None, duration_s=60),
    Load(
        concurrency=None, rate=50.0, requests=None, duration_s=120,
        stages=(Stage(seconds=30, start=5, end=5), Stage(seconds=60, start=5, end=50, shape="exponential")),
    ),
    Load(concurrency=None, rate=1234567 / 1e6, requests=None, duration_s=0.1234567, burstiness=0.0123456789),
    Load(concurrency=4),
]  # fmt: skip


@pytest.mark.parametrize("load", LOADS)
def test_the_command_reads_its_line_back_as_the_same_run(load):
    endpoint = Endpoint(
        name="command line", base_url="https://h:1/v1", verify=False, limits=Limits(connect_s=3, total_s=60)
    )
    configuration = Configuration(id="command-line", label="my 'label'", endpoint=endpoint, model="m/x")
    workload = Workload(input_tokens=7, output_tokens=9, stream=False, ignore_eos=True, seed=5)
    slo = Slo.read(["e2e_s.p95 < 0.5", "success_rate > 0.99"])
    original = RunPlan(configuration=configuration, workload=workload, load=load, slo=slo)

    (found,) = arguments.experiment(arguments.parser().parse_args(words(command_line(original))[2:])).plans

    assert found == original


TO_KEEP = Slo.read(["ttft_s.p95 < 0.5", "success_rate > 0.99"])
FINDING = [
    {"search": Search(variable="concurrency", low=1, high=4096, slo=TO_KEEP)},
    {"search": Search(variable="rate", low=0.5, high=64.25, slo=TO_KEEP), "cooldown_s": 2.5},
    {"sweep": Sweep(high=48)},
]


@pytest.mark.parametrize("finding", FINDING, ids=["search", "search of a rate", "sweep"])
def test_levels_that_are_found_on_the_way_are_found_by_the_line_too(finding):
    search = finding.get("search")
    endpoint = Endpoint(name="command line", base_url="https://h:1/v1")
    configuration = Configuration(id="command-line", label="m", endpoint=endpoint, model="m")
    load = Load()
    if search is not None and search.variable == "rate":
        load = Load(concurrency=None, rate=search.low, constant=True, max_in_flight=9)
    template = RunPlan(configuration=configuration, load=load, slo=TO_KEEP)
    original = Experiment(id="e", name="m", plans=(template,), **finding)

    line = command_line(template, original)
    found = arguments.experiment(arguments.parser().parse_args(words(line)[2:]))

    assert replace(found, id="e") == original


def test_a_sweep_that_no_option_can_say_is_run_from_its_plan_file():
    original = Experiment(id="e", name="m", plans=(plan(),), sweep=Sweep(between=9))

    assert "--plan plan.json" in command_line(original.plans[0], original)


def test_given_levels_are_a_line_a_run():
    original = Experiment(id="e", name="m", plans=(plan(),), cooldown_s=3)

    assert command_line(original.plans[0], original) == command_line(original.plans[0])


def test_a_temperature_of_its_own_is_sent_in_the_body():
    line = command_line(plan(workload=Workload(temperature=0.7)))

    assert json.loads(option(line, "--extra-body")) == {"temperature": 0.7}


def test_a_hostile_model_name_stays_one_word():
    line = command_line(plan(model="m; rm -rf ~ `x` $(y)"))

    assert option(line, "--model") == "m; rm -rf ~ `x` $(y)"


def test_curl_asks_what_the_run_asked():
    found = words(curl(plan(workload=Workload(output_tokens=33)), token_parameter="max_completion_tokens"))

    body = json.loads(found[found.index("-d") + 1])
    assert found[:3] == ["curl", "-N", "http://127.0.0.1:8000/v1/chat/completions"]
    assert body["max_completion_tokens"] == 33
    assert body["stream"] is True


@pytest.mark.parametrize("demo", ["llama.cpp", "simulated"])
def test_there_is_no_curl_line_for_a_server_that_is_gone_after_its_run(demo):
    assert curl(plan(endpoint=Endpoint(name="built in", base_url="http://127.0.0.1/v1", demo=demo))) is None


def test_curl_names_the_key_as_a_variable():
    endpoint = Endpoint(name="e", base_url="https://h/v1", key_name="my.key-1")

    assert '"Authorization: Bearer $my_key_1"' in curl(plan(endpoint=endpoint))


def test_no_form_contains_what_looks_like_a_secret():
    endpoint = Endpoint(name="e", base_url="https://h/v1", headers=(("X-Api-Key", SECRET), ("X-Team", "a")))
    secret_plan = plan(endpoint=endpoint, workload=Workload(extra_body={"api_key": SECRET}))

    for text in (command_line(secret_plan), curl(secret_plan), plan_file([secret_plan]).decode()):
        assert SECRET not in text
        assert "X-Team" in text


def test_a_plan_file_reads_back_as_the_plan():
    original = plan(workload=Workload(extra_body={"top_k": 1}))

    found = json.loads(plan_file([original]))

    assert found["format"] == "paceline-plan"
    assert [RunPlan.from_dict(item) for item in found["plans"]] == [original]


def test_what_the_options_cannot_say_is_run_from_its_file():
    from core.servers.builtin import builtin_experiment

    plan = builtin_experiment("short").plans[0]

    assert command_line(plan) == ".venv/bin/python cli.py run --plan plan.json"


def test_a_key_that_is_a_name_in_secrets_is_found_through_the_plan_file():
    endpoint = Endpoint(name="e", base_url="https://h/v1", key_name="lab")

    assert command_line(plan(endpoint=endpoint)) == ".venv/bin/python cli.py run --plan plan.json"


def test_a_cap_on_requests_is_not_lost():
    endpoint = Endpoint(name="e", base_url="https://h/v1", limits=Limits(max_requests=50))

    assert command_line(plan(endpoint=endpoint)).endswith("--plan plan.json")


def test_limits_and_stop_rules_are_on_the_line():
    endpoint = Endpoint(name="e", base_url="http://h/v1", limits=Limits(error_share=0.5, max_output_tokens=1000))
    restraint = Restraint(requests_per_minute=60, tokens_per_minute=9000, as_told=True, wait_as_asked=True)
    asked = plan(endpoint=endpoint, load=Load(concurrency=4, requests=20, restraint=restraint))
    line = command_line(asked)
    (again,) = arguments.experiment(arguments.parser().parse_args(words(line)[2:])).plans

    assert (again.limits, again.load) == (asked.limits, asked.load)


def test_a_trace_is_on_the_line_by_the_name_of_its_file(tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_CACHE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    rows = Rows.of([(0.0, 10, 5), (2.0, 30, 15), (3.0, 1, 1)])
    (tmp_path / "my chat.csv").write_text("time,input_tokens,output_tokens\n0,10,5\n2,30,15\n3,1,1\n")
    trace = rows.trace("my chat.csv", speed=2.5)
    for load in ({"requests": 3}, {"requests": 2}, {"requests": None, "duration_s": 9.0}):
        asked = plan(load=Load(concurrency=None, rate=trace.rate, trace=trace, **load))
        line = command_line(asked)
        (again,) = arguments.experiment(arguments.parser().parse_args(words(line)[2:])).plans

        assert option(line, "--trace") == "my chat.csv"
        assert again.load == asked.load
