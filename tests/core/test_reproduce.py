"""A run repeated elsewhere: the line, the curl request and the plan file say the same and hold no key."""

import json
import shlex

from core.command import arguments
from core.plan import Configuration, Endpoint, Limits, Load, RunPlan, Workload
from core.reproduce import command_line, curl, plan_file

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

    line = command_line(plan(endpoint=endpoint, workload=workload))

    assert option(line, "--api") == "completions"
    assert option(line, "--api-key-env") == "OPENAI_API_KEY"
    assert option(line, "--ca") == "/ca.pem"
    assert option(line, "--header") == "X-Team: a b"
    assert option(line, "--timeout-idle") == "5"
    assert json.loads(option(line, "--extra-body")) == {"top_k": 1}
    assert {"--no-stream", "--ignore-eos"} <= set(words(line))
    assert "--timeout-total" not in line


def test_the_command_reads_its_line_back_as_the_same_run():
    endpoint = Endpoint(
        name="command line", base_url="https://h:1/v1", verify=False, limits=Limits(connect_s=3, total_s=60)
    )
    configuration = Configuration(id="command-line", label="my 'label'", endpoint=endpoint, model="m/x")
    workload = Workload(input_tokens=7, output_tokens=9, stream=False, ignore_eos=True, seed=5)
    load = Load(concurrency=16, requests=None, duration_s=3, warmup_requests=0)
    original = RunPlan(configuration=configuration, workload=workload, load=load)

    (found,) = arguments.plans(arguments.parser().parse_args(words(command_line(original))[2:]))

    assert found == original


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
