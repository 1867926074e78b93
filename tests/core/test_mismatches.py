"""What makes runs hard to hold against each other: each with two that show it and two almost the same that do not."""

from dataclasses import replace

import pytest

from core.mismatches import bare_model, mismatches
from core.records import TokenSource
from core.run import ClientHealth, Run
from core.summary import summarise
from core.workload import LengthPair, Spread
from tests.core.example_runs import answered, plan, run, steady


def one(label: str, requests=None, *, environment=None, client=None, **rest) -> Run:
    """A run of a configuration of this name."""
    return run(
        requests or steady(3),
        of=plan(label=label, **rest),
        environment={"server": {"engine": "vLLM"}} if environment is None else environment,
        client=client or ClientHealth(),
    )


def told(*runs: Run):
    """What is said of these runs, which are read without their requests."""
    return mismatches([(replace(one, requests=()), summarise(one.requests)) for one in runs])


def kinds(*runs: Run) -> list[str]:
    """The fixed words of what is said."""
    return [finding.kind for finding in told(*runs)]


def test_a_stream_that_came_at_once_is_not_taken_for_a_late_client():
    held = one("a", [answered(index, first=0.5, gaps=(0.0,) * 20) for index in range(5)])

    assert kinds(replace(held, client=ClientHealth(loop_lag_p99_s=0.0002)), one("b", held.requests)) == []


def test_runs_that_match_are_not_doubted():
    assert kinds(one("a"), one("b")) == []


def test_a_single_run_has_nothing_to_match():
    assert told(one("a", environment={})) == []


def test_quantizations_of_one_model_are_one_model_and_two_models_are_two():
    assert kinds(one("a", model="org/Qwen2.5-7B-AWQ"), one("b", model="Qwen2.5-7B")) == []
    (found,) = told(one("a", model="Qwen2.5-7B"), one("b", model="Qwen2.5-14B"))

    assert (found.kind, found.level) == ("different_models", "act")
    assert "qwen2.5-7b (a); qwen2.5-14b (b)" in found.what


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("SmolLM2-135M-Q4_0", "smollm2-135m"), ("SmolLM2-135M.F16", "smollm2-135m"), ("llama3:70b", "llama3:70b"),
        ("m-7b-w8a8", "m-7b"), ("m-7b-Q4_K_M.gguf", "m-7b"), ("Q4_0", "q4_0"), ("org/m-7b-GPTQ-Int4", "m-7b"),
    ],
)  # fmt: skip
def test_the_form_is_taken_off_a_models_name(name, bare):
    assert bare_model(name) == bare


def test_different_hardware_is_told():
    (found,) = told(one("a", settings=(("GPU", "L4"),)), one("b", settings=(("hardware", "H100"),)))

    assert (found.kind, found.level) == ("different_hardware", "act")
    assert "L4 (a); H100 (b)" in found.what
    assert kinds(one("a", settings=(("GPU", "L4"),)), one("b", settings=(("hardware", "L4"),))) == []
    assert kinds(one("a", settings=((" CPU", "EPYC"),)), one("b", settings=(("cpu", "Xeon"),))) == [
        "different_hardware"
    ]


def test_demo_servers_run_on_the_machine_that_is_recorded():
    here, there = {"cpu": "two cores"}, {"cpu": "eight cores"}

    def demo(label, environment):
        return one(label, demo="llama.cpp", settings=(), environment=environment)

    assert kinds(demo("a", here), demo("b", there)) == ["different_hardware"]
    assert kinds(demo("a", here), demo("b", here)) == []
    assert kinds(demo("a", here), demo("b", {})) == []


def test_an_engine_that_is_not_known_is_told():
    assert kinds(one("a", environment={"server": {"engine": "unknown"}}), one("b")) == ["engine_unknown"]


def test_an_engine_in_the_settings_is_known():
    unknown = one("a", environment={"server": {"engine": "unknown"}})
    configuration = replace(unknown.plan.configuration, settings=(("engine", "paced"),))

    written = replace(unknown, plan=replace(unknown.plan, configuration=configuration))

    assert kinds(written, one("b")) == []


def test_lengths_that_were_asked_for_differently_are_told():
    (found,) = told(one("a", output_tokens=100), one("b", output_tokens=200))

    assert (found.kind, found.level) == ("different_lengths", "act")
    assert "20 → 100 tokens (a); 20 → 200 tokens (b)" in found.what


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"input_spread": Spread(shape="uniform", low=10, high=30)}, "20 → 10 tokens (a); 10 to 30 → 10 tokens (b)"),
        ({"output_spread": Spread(shape="normal", low=5, high=20, stdev=2.0)}, "20 → 10 ± 2 (normal, 5 to 20) tokens"),
        ({"pairs": (LengthPair(input_tokens=20, output_tokens=10),)}, "pairs 20:10*1 tokens (b)"),
    ],
)
def test_lengths_that_spread_differently_are_told(asked, words):
    (found,) = told(one("a"), one("b", **asked))

    assert found.kind == "different_lengths"
    assert words in found.what
    assert kinds(one("a", **asked), one("b", **asked)) == []


@pytest.mark.parametrize(
    ("kind", "asked", "words"),
    [
        ("different_languages", {"language": "chinese"}, "English (a); Chinese (b)"),
        ("different_system_prompts", {"system_prompt": "Be brief."}, "none (a); “Be brief.” (b)"),
        ("different_stops", {"stop": ("END",)}, "none (a); 'END' (b)"),
    ],
)
def test_what_else_of_a_workload_differs_is_told(kind, asked, words):
    (found,) = told(one("a"), one("b", **asked))

    assert (found.kind, found.level) == (kind, "act")
    assert words in found.what
    assert kinds(one("a", **asked), one("b", **asked)) == []


def test_system_prompts_that_begin_alike_are_told_apart():
    long = "You answer questions about trains, politely and in full sentences. " * 3

    assert kinds(one("a", system_prompt=long + "x"), one("b", system_prompt=long + "y")) == ["different_system_prompts"]


def test_answers_that_differ_by_more_than_5_percent_are_told():
    longer = [answered(index, sent=index, gaps=(0.01,) * 105, asked=120) for index in range(3)]
    base = [answered(index, sent=index, gaps=(0.01,) * 99, asked=120) for index in range(3)]
    nearly = [answered(index, sent=index, gaps=(0.01,) * 103, asked=120) for index in range(3)]

    assert kinds(one("a", base), one("b", longer)) == ["different_answers"]
    assert kinds(one("a", base), one("b", nearly)) == []


def test_answers_are_compared_at_each_load_and_not_over_loads():
    long, short = steady(3, gaps=(0.01,) * 99), steady(3, gaps=(0.01,) * 49)
    levels = (1, 4)

    def measured(label, *lengths):
        return [one(label, length, concurrency=level) for length, level in zip(lengths, levels, strict=True)]

    (found,) = told(*measured("a", long, long), *measured("b", short, long))

    assert found.kind == "different_answers"
    assert "100 (a); 50 (b) at 1 in flight" in found.what
    assert kinds(*measured("a", long, short), *measured("b", long, short)) == []


def test_two_configurations_of_one_label_are_two_when_loads_and_answers_are_held_together():
    def named(key, requests, level):
        found = one("same", requests, concurrency=level)
        return replace(found, plan=replace(found.plan, configuration=replace(found.plan.configuration, id=key)))

    (loads,) = told(named("x", steady(3), 1), named("x", steady(3), 4), named("y", steady(3), 4))
    (answers,) = told(named("x", steady(3), 4), named("y", steady(3, gaps=(0.01,) * 19), 4))

    assert loads.kind == "different_concurrency"
    assert "same: 1, 4; same: 4" in loads.what
    assert answers.kind == "different_answers"


def test_loads_that_not_all_have_are_told_and_more_loudly_if_none_is_common():
    some = told(one("a", concurrency=1), one("a", concurrency=4), one("b", concurrency=4))
    none = told(one("a", concurrency=1), one("b", concurrency=4))

    assert [(found.kind, found.level) for found in some] == [("different_concurrency", "note")]
    assert "a: 1, 4; b: 4" in some[0].what
    assert [(found.kind, found.level) for found in none] == [("different_concurrency", "act")]
    assert kinds(one("a", concurrency=4), one("b", concurrency=4)) == []


def test_a_simulator_among_real_servers_is_red():
    (found,) = told(one("a", demo="simulated"), one("b"))

    assert (found.kind, found.level) == ("simulated_and_real", "stop")
    assert kinds(one("a", demo="simulated"), one("b", demo="simulated")) == []


def test_a_run_with_a_late_client_is_red():
    late = one("a", client=ClientHealth(loop_lag_p99_s=0.05))

    assert kinds(late, one("b")) == ["client_limited"]
    assert kinds(one("a", client=ClientHealth(loop_lag_p99_s=0.0001)), one("b")) == []
    # 3 ms are too much for gaps of 10 ms only: what is compared here holds.
    fine = steady(3, gaps=(0.01,) * 40)
    assert kinds(one("a", fine, client=ClientHealth(loop_lag_p99_s=0.003)), one("b", fine)) == []


def test_streamed_and_not_streamed_runs_are_told():
    assert kinds(one("a", stream=False), one("b")) == ["streamed_and_not"]


def test_tokens_that_were_counted_in_different_ways_are_told():
    counted_here = one("a", steady(3, token_source=TokenSource.TOKENIZER))

    (found,) = told(counted_here, one("b"))

    assert found.kind == "different_token_sources"
    assert "tokenizer (a); usage (b)" in found.what


def test_paces_of_the_simulator_are_no_models_of_different_size():
    paced = [one(pace, demo="simulated", model=pace) for pace in ("gt-ttft50000", "gt-ttft90000")]

    assert kinds(*paced) == []
