"""The one-click comparison as a plan: what it compares, in which order, and where its requests go."""

import pytest

from core.plan import Configuration, Endpoint, PlanError, RunPlan
from core.servers import builtin
from core.servers.builtin import builtin_experiment, server_name, with_address
from core.servers.demo import RunningServer
from core.servers.variants import VARIANTS, VariantError


@pytest.mark.parametrize("kind", ["full", "short"])
def test_it_goes_level_by_level_over_the_three_quantizations(kind):
    plans = builtin_experiment(kind).plans

    steps = [(plan.configuration.variant, plan.load.concurrency) for plan in plans]
    assert steps == [("Q4_0", 1), ("Q8_0", 1), ("F16", 1), ("Q4_0", 4), ("Q8_0", 4), ("F16", 4)]


@pytest.mark.parametrize(("kind", "least_s", "most_s"), [("full", 140, 180), ("short", 15, 25)])
def test_its_sending_takes_most_of_the_promised_time(kind, least_s, most_s):
    assert least_s <= sum(plan.load.duration_s for plan in builtin_experiment(kind).plans) <= most_s


def test_what_is_timed_is_really_done():
    for plan in builtin_experiment("full").plans:
        assert plan.workload.extra_body == {"cache_prompt": False}
        assert plan.workload.ignore_eos
        assert plan.workload.nonce
        assert plan.load.warmup_requests >= 1


def test_configurations_keep_their_ids_and_take_the_slots_of_the_caller():
    first, second = builtin_experiment("short", (4, 5, 6)), builtin_experiment("full")

    assert [plan.configuration.id for plan in first.plans] == [plan.configuration.id for plan in second.plans]
    assert [plan.configuration.id for plan in first.plans[:3]] == ["demo-q4_0", "demo-q8_0", "demo-f16"]
    assert [plan.configuration.slot for plan in first.plans[:3]] == [4, 5, 6]
    assert first.id != second.id


def test_every_variant_can_be_configured_under_an_id_of_its_own():
    ids = {builtin.variant_configuration(name, 0).id for name in VARIANTS}

    assert len(ids) == len(VARIANTS)
    assert "demo-q4_0--1-slot" in ids


def test_an_unknown_variant_is_refused():
    with pytest.raises(VariantError, match="no variant Q2_K"):
        builtin.variant_configuration("Q2_K", 0)


def test_the_address_of_the_running_server_replaces_the_placeholder_and_nothing_else():
    plan = builtin_experiment("short").plans[0]
    server = RunningServer(
        name="Q4_0", base_url="http://127.0.0.1:4711/v1", model="other", pid=1, engine="llama.cpp", version="1"
    )

    real = with_address(plan, server)

    assert real.configuration.endpoint.base_url == "http://127.0.0.1:4711/v1"
    placeholder = RunningServer(
        name="Q4_0", base_url=builtin.PLACEHOLDER, model="other", pid=1, engine="llama.cpp", version="1"
    )
    assert with_address(real, placeholder) == plan


def test_a_plan_says_which_server_it_needs():
    simulated = builtin.simulated_configuration(0, "gt-ttft1000-itl1000")

    assert server_name(builtin_experiment("short").plans[1]) == "Q8_0"
    assert server_name(RunPlan(configuration=simulated)) == "simulated"
    assert simulated.label == "Simulated gt-ttft1000-itl1000"


def test_a_plan_of_the_users_needs_no_built_in_server():
    own = Configuration(id="x", label="mine", endpoint=Endpoint(name="e", base_url="http://h/v1"), model="m")

    with pytest.raises(PlanError, match="mine is not served by a built-in server"):
        server_name(RunPlan(configuration=own))
