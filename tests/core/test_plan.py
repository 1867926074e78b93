"""Plans refuse nonsense when they are made, and survive JSON."""

import contextlib
import json
import re
from dataclasses import replace

import pytest

from core.plan import Configuration, Endpoint, Experiment, Limits, Load, PlanError, RunPlan, Slo, Workload
from core.restraint import Restraint
from core.search import Search
from core.trace import Rows
from core.workload import Spread
from tests.core.loadgen.scripted import plan_for

ENDPOINT = Endpoint(
    name="lab", base_url="127.0.0.1:8000", headers=(("X-A", "1"),), key_name="LAB", limits=Limits(idle_s=5)
)
PLAN = RunPlan(
    configuration=Configuration(
        id="c", label="L", endpoint=ENDPOINT, model="m", settings=(("hardware", "H100"),), slot=3
    ),
    workload=Workload(extra_body={"top_k": 1}),
    load=Load(concurrency=4, requests=None, duration_s=10.0),
)


def test_a_plan_survives_json():
    assert RunPlan.from_dict(json.loads(json.dumps(PLAN.to_dict()))) == PLAN


def test_unknown_keys_of_a_later_version_are_left_out():
    later = PLAN.to_dict() | {"weather": "fine"}
    later["load"]["phase_of_the_moon"] = 1

    assert RunPlan.from_dict(later) == PLAN


@pytest.mark.parametrize(
    "found", [{}, {"configuration": 1}, {"configuration": {"id": "c"}}, {"configuration": {"endpoint": None}}]
)
def test_an_incomplete_plan_is_one_sentence(found):
    with pytest.raises(PlanError):
        RunPlan.from_dict(found)


@pytest.mark.parametrize("name", ["configuration", "workload", "load"])
@pytest.mark.parametrize(
    "value", [None, 3, "x", [1], {"requests": "many"}, {"headers": 5}, {"limits": {"idle_s": "long"}}]
)
def test_values_of_the_wrong_kind_are_a_plan_error_and_nothing_else(name, value):
    found = PLAN.to_dict()
    if isinstance(value, dict):
        found[name] |= value
        if name == "configuration":
            found[name]["endpoint"] |= value
    else:
        found[name] = value
    with contextlib.suppress(PlanError):
        assert RunPlan.from_dict(found) is not None


def refused(part, make):
    with pytest.raises(PlanError, match=part):
        make()


def test_an_endpoint_refuses_what_cannot_be_sent():
    refused("name is empty", lambda: replace(ENDPOINT, name=" "))
    refused("api is", lambda: replace(ENDPOINT, api="grpc"))
    refused("never the key itself", lambda: replace(ENDPOINT, key_name="sk-abc def"))
    refused("Header name", lambda: replace(ENDPOINT, headers=(("a b", "1"),)))
    refused("set by Paceline", lambda: replace(ENDPOINT, headers=(("Host", "x"),)))
    refused("line break", lambda: replace(ENDPOINT, headers=(("X-A", "1\r\nX-B: 2"),)))


INT, FLOAT = (
    (0, -5, 2.5, 3.0, True, "7", None, [], float("nan"), 10**30),
    (-1.0, float("nan"), float("inf"), True, "hot", []),
)
NUMBERS = [
    (Load, "concurrency", [value for value in INT if value is not None]),
    (Load, "requests", [value for value in INT if value is not None]),
    (Load, "warmup_requests", INT[1:]), (Workload, "input_tokens", INT), (Workload, "output_tokens", INT),
    (Workload, "seed", INT[2:]), (Workload, "temperature", FLOAT), (Limits, "max_requests", INT),
    (Limits, "max_output_tokens", [value for value in INT if value is not None]),
    *((Limits, name, (*FLOAT, 0, None)) for name in ("connect_s", "first_byte_s", "idle_s", "total_s", "error_share")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "name", "value"), [(kind, name, value) for kind, name, values in NUMBERS for value in values]
)
def test_a_number_of_another_kind_or_size_is_one_sentence(kind, name, value):
    with pytest.raises(PlanError) as caught:
        kind(**{name: value})

    assert re.fullmatch(r"[\w -]+ is .+: give a (whole )?number [\w ,.-]+\.", str(caught.value))
    assert len(str(caught.value)) < 150


def test_seconds_of_a_load_are_a_number():
    for value in (*FLOAT, 0, 86_401):
        refused("Seconds is", lambda value=value: Load(requests=None, duration_s=value))
    assert Load(requests=None, duration_s=5).duration_s == 5


@pytest.mark.parametrize("name", ["stream", "ignore_eos", "nonce", "keep_text"])
def test_a_switch_is_true_or_false(name):
    refused(f"{name} is 'false': give true or false", lambda: Workload(**{name: "false"}))
    refused(f"{name} is 1", lambda: Workload(**{name: 1}))


def test_a_place_in_the_palette_and_the_check_of_a_certificate_are_what_they_are():
    refused("slot is -1", lambda: replace(PLAN.configuration, slot=-1))
    refused("verify is 'no'", lambda: replace(ENDPOINT, verify="no"))


def test_limits_are_above_zero_and_at_most_half_an_hour():
    refused("idle_s", lambda: Limits(idle_s=0))
    refused("total_s", lambda: Limits(total_s=1801))
    refused("error_share", lambda: Limits(error_share=0))


def test_a_load_ends_one_way_and_one_way_only():
    refused("either requests or seconds", lambda: Load(requests=5, duration_s=5.0))
    refused("either requests or seconds", lambda: Load(requests=None, duration_s=None))
    refused("Concurrency is 0", lambda: Load(concurrency=0))
    refused("Warm-up", lambda: Load(warmup_requests=-1))


def test_a_workload_refuses_lengths_no_server_takes_and_keys_that_are_ours():
    refused("Prompt length", lambda: Workload(input_tokens=0))
    refused("Answer length", lambda: Workload(output_tokens=0))
    refused("messages", lambda: Workload(extra_body={"messages": []}))
    refused("cannot be sent as JSON", lambda: Workload(extra_body={"n": 10**30}))


def test_a_configuration_has_a_label_and_a_model():
    refused("Label", lambda: replace(PLAN.configuration, label=""))
    refused("Model", lambda: replace(PLAN.configuration, model=""))
    refused("control", lambda: replace(PLAN.configuration, model="a\nb"))


def test_an_experiment_has_a_run():
    refused("Nothing to run", lambda: Experiment(id="e", name="e", plans=()))


def test_a_run_has_its_endpoint_s_limits():
    assert PLAN.limits.idle_s == 5


@pytest.mark.parametrize(
    ("part", "values"),
    [
        ("configuration", {"id": []}),
        ("configuration", {"id": None}),
        ("configuration", {"id": ""}),
        ("configuration", {"id": "x" * 1000}),
        ("configuration", {"variant": []}),
        ("configuration", {"settings": [[1, 2]]}),
        ("endpoint", {"ca_file": 5}),
        ("endpoint", {"ca_file": ["a"]}),
        ("endpoint", {"demo": ["a"]}),
        ("endpoint", {"demo": "another"}),
        ("endpoint", {"notes": 1}),
        ("endpoint", {"headers": [[1, 2]]}),
        ("endpoint", {"api": "x" * 1000}),
    ],
)
def test_texts_that_are_none_are_refused(part, values):
    found = PLAN.to_dict()
    (found["configuration"] if part == "configuration" else found["configuration"]["endpoint"]).update(values)

    with pytest.raises(PlanError) as refusal:
        RunPlan.from_dict(found)
    assert len(str(refusal.value)) < 300


def replaying(**load):
    trace = Rows.of([(0.0, 10, 5), (2.0, 30, 15)]).trace("chat.csv", speed=2.0)
    return replace(PLAN, load=Load(**{"concurrency": None, "rate": trace.rate, "trace": trace, "requests": 2} | load))


def test_a_plan_with_a_trace_and_a_restraint_survives_json():
    plan = replaying(restraint=Restraint(requests_per_minute=3, wait_as_asked=True))

    assert RunPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


def test_a_plan_from_before_traces_has_none_and_is_not_held_back():
    before = PLAN.to_dict()
    del before["load"]["trace"], before["load"]["restraint"]

    assert RunPlan.from_dict(before) == PLAN


def test_the_lengths_are_those_of_the_workload_or_on_average_of_the_trace():
    assert PLAN.lengths == (128, 128)
    assert replaying().lengths == (20.0, 10.0)


def test_no_search_moves_the_rate_of_a_trace():
    search = Search(variable="rate", low=1, high=8, slo=Slo.read(["ttft_s.p95 < 1"]))

    with pytest.raises(PlanError, match="A trace has its own rate"):
        Experiment(id="e", name="n", plans=(replaying(),), search=search)


def test_a_closed_loop_that_an_earlier_paceline_had_stop_when_saturated_is_still_read():
    before = PLAN.to_dict()
    before["load"] = {"concurrency": 4, "rate": None, "requests": 9, "stop_when_saturated": True}

    assert RunPlan.from_dict(before).load == Load(concurrency=4, requests=9)


def test_the_lengths_of_a_plan_are_means_and_its_words_tell_how_they_vary():
    spread = Spread(shape="uniform", low=10, high=31)
    asked = replace(plan_for(80), workload=Workload(input_tokens=20, output_tokens=9, input_spread=spread))
    trace = Rows.of([(0.0, 1000, 5), (2.0, 3000, 16)]).trace("chat.csv")

    assert asked.lengths == (20.5, 9)
    assert asked.lengths_in_words == "10 to 31 → 9"
    replayed = replace(asked, load=Load(concurrency=None, rate=trace.rate, trace=trace, requests=2))
    assert replayed.lengths_in_words == "2,000 → 10"
