"""Claims that cannot be compared: each unknown with a run that lacks it and one that tells it."""

from dataclasses import replace

import pytest

from core.doubts.claims import claim_doubts, engine, version
from core.doubts.evidence import evidence
from tests.core.example_runs import answered, failed, plan, run, steady


def missing(requests=(), of=None, **rest) -> str:
    """What is said to be unknown of a run, "" if nothing."""
    return " ".join(found.what for found in claim_doubts(evidence(run(requests or steady(3), of=of, **rest))))


def test_a_run_that_tells_all_is_not_doubted():
    assert missing() == ""


@pytest.mark.parametrize("model", ["gpt-fast", "claude", "model-v2", "llama3"])
def test_a_model_of_unknown_size_is_told(model):
    assert missing(of=plan(model=model)) == "Not known of this run: the model's size."


@pytest.mark.parametrize(
    "model", ["SmolLM2-135M", "org/Qwen2.5-7B-Instruct", "mixtral-8x7b", "llama3:70b", "phi_3.8b-q4"]
)
def test_a_size_in_the_models_name_is_enough(model):
    assert missing(of=plan(model=model)) == ""


def test_a_size_told_beside_the_name_is_enough():
    settings = (("hardware", "one L4"), ("Model size", "7 billion"))

    assert missing(of=plan(model="ours", settings=settings)) == ""
    assert missing(of=plan(model="ours"), environment={"server": {"n_params": 7}}) == ""
    assert missing(of=plan(model="ours"), environment={"server": {"model": "ours-7b"}}) == ""
    assert missing(of=plan(model="ours"), environment={"server": {"model": {"size": 12}}}) == ""


def test_unknown_hardware_is_told_and_a_demo_server_runs_on_this_machine():
    assert missing(of=plan(settings=())) == "Not known of this run: the server's hardware."
    assert missing(of=plan(settings=(("GPU", "L4"),))) == ""
    assert missing(of=plan(settings=(), demo="llama.cpp"), environment={"cpu": "a processor"}) == ""
    assert "hardware" in missing(of=plan(settings=()), environment={"cpu": "a processor"})


def test_lengths_are_known_from_the_plan_or_from_the_servers_counts():
    untold = {"unknown": ["input_tokens", "output_tokens"]}

    assert missing([answered(tokens=None)], environment=untold) == "Not known of this run: prompt and answer lengths."
    assert missing([answered()], environment=untold) == ""
    assert missing([answered(tokens=None)]) == ""


def test_concurrency_is_known_from_the_plan_or_from_what_was_in_flight():
    untold = {"unknown": ["concurrency"]}

    assert missing([answered(sent_s=None)], environment=untold) == "Not known of this run: the concurrency."
    assert missing([answered()], environment=untold) == ""


def test_a_run_without_an_answer_has_no_speed_that_would_need_a_claim():
    assert missing([failed(0)], of=plan(model="claude")) == ""


def test_a_simulator_claims_nothing():
    assert missing(of=plan(model="paced", settings=(), demo="simulated")) == ""


@pytest.mark.parametrize(
    ("server", "settings", "told"),
    [
        ({"engine": "vLLM", "version": "0.9"}, (("engine", "paced"),), ("vLLM", "0.9")),
        ({"engine": "unknown"}, (("Engine", " paced "), ("version", "1.2")), ("paced", "1.2")),
        ({"engine": None}, (("inference engine", "sglang"), ("engine_version", "3")), ("sglang", "3")),
        ({"engine": "unknown", "version": ""}, (("engine", " "),), (None, None)),
        ("no object", (), (None, None)),
    ],
)
def test_the_engine_is_what_the_server_told_else_what_the_user_wrote(server, settings, told):
    of = plan()
    of = replace(of, configuration=replace(of.configuration, settings=settings))
    seen = run(of=of, environment={"server": server})

    assert (engine(seen), version(seen)) == told
