"""The built-in servers as an experiment's host: one at a time, gone afterwards."""

import dataclasses
import os
import signal

import httpx
import pytest

from core.fleet.builtin_host import BuiltinHost
from core.fleet.hosting import HostError
from core.plan import RunPlan
from core.servers.builtin import builtin_experiment, simulated_configuration
from core.servers.demo import DemoServers


@pytest.fixture
def servers(tmp_path):
    made = DemoServers(tmp_path)
    yield made
    made.stop_all()


def simulated_plan():
    return RunPlan(configuration=simulated_configuration(0))


def test_a_plan_gets_an_address_that_answers_and_the_server_is_described(servers):
    host, told = BuiltinHost(servers), []

    plan, known = host.ready(simulated_plan(), told.append)

    assert httpx.get(f"{plan.configuration.endpoint.base_url}/models").status_code == 200
    assert known["engine"] == "simulated"
    assert set(told) == {"Starting simulated"}  # once, or again while a busy machine takes its time


def test_the_same_server_serves_the_next_plan_and_ends_at_release(servers):
    host = BuiltinHost(servers)
    first, _ = host.ready(simulated_plan(), print)
    second, _ = host.ready(simulated_plan(), print)
    assert first == second
    server = host._current
    assert servers.answers(server)

    host.release()
    host.release()

    assert not servers.answers(server)


def test_how_late_the_simulator_was_is_told_of_the_run_that_was_made_only(servers):
    host = BuiltinHost(servers)
    assert host.served() == {}
    for tokens in (20_000, None):  # all are due at once: the last of them leave late
        plan, _ = host.ready(simulated_plan(), str)
        if tokens:
            body = {"model": "m-ttft0-itl0", "max_tokens": tokens, "stream": True}
            httpx.post(f"{plan.configuration.endpoint.base_url}/completions", json=body, timeout=60)
            assert host.served()["late_p99_s"] > 0
            httpx.post(f"{plan.configuration.endpoint.base_url}/completions", json=body, timeout=60)
    told = host.served()
    host.release()

    assert told == {}


def test_a_server_that_died_is_started_again_for_the_next_plan(servers):
    host = BuiltinHost(servers)
    host.ready(simulated_plan(), print)
    server = host._current
    os.kill(server.pid, signal.SIGKILL)
    while servers.answers(server):
        pass

    plan, _ = host.ready(simulated_plan(), print)

    assert httpx.get(f"{plan.configuration.endpoint.base_url}/models").status_code == 200
    host.release()


def test_a_server_that_hangs_is_replaced_for_the_next_plan(servers, monkeypatch):
    monkeypatch.setattr("core.servers.demo.ANSWER_S", 0.2)
    host = BuiltinHost(servers)
    host.ready(simulated_plan(), str)
    hung = host._current
    os.kill(hung.pid, signal.SIGSTOP)

    plan, _ = host.ready(simulated_plan(), str)
    running = host._current
    answered = httpx.get(f"{plan.configuration.endpoint.base_url}/models").status_code
    host.release()

    assert running.pid != hung.pid
    assert answered == 200
    with pytest.raises(ProcessLookupError):
        os.kill(hung.pid, 0)


def test_a_server_that_cannot_be_made_is_a_sentence(servers):
    plan = builtin_experiment("short").plans[0]
    unknown = dataclasses.replace(plan, configuration=dataclasses.replace(plan.configuration, variant="Q2_K"))

    with pytest.raises(HostError, match="There is no variant Q2_K"):
        BuiltinHost(servers).ready(unknown, print)
