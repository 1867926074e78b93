"""One thread makes everybody's runs, one after the other; a recorder gets every one of them."""

import os
import signal
import threading
import time
from dataclasses import asdict, replace

import pytest

from core.fleet.hosting import HostError
from core.fleet.local import LocalRun
from core.fleet.registry import Registry
from core.key_file import KeyProblem
from core.plan import Experiment, PlanError, Slo
from core.run import ENDED_STATES as ENDED
from core.run import RunState, StoppedBy
from core.search import Search
from core.servers.paced_child import PacedServer
from tests.core.fleet.test_local import plan_for
from tests.own_time import OwnTime


class Kept:
    """A recorder that keeps what it is given, in order."""

    def __init__(self):
        self.events = []
        self.records = {}
        self.learnt = []

    def run_started(self, run):
        self.events.append(("started", run.id))

    def run_goes_on(self, run):
        self.learnt.append(run)

    def requests(self, run_id, records):
        self.records.setdefault(run_id, []).extend(records)

    def run_ended(self, run):
        self.events.append(("ended", run.id))
        self.records.setdefault(run.id, [])
        self.last = run


@pytest.fixture(autouse=True)
def own_lock(tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_LOCK", str(tmp_path / "lock"))


@pytest.fixture(scope="module")
def server():
    with PacedServer() as running:
        yield running


@pytest.fixture
def kept():
    return Kept()


@pytest.fixture
def registry(kept):
    made = Registry(kept)
    yield made
    made.close()


def experiment(base_url, name="e", runs=1, **plan):
    return Experiment(id=name, name=name, plans=tuple(plan_for(base_url, **plan) for _ in range(runs)))


def wait(condition, limit_s=30.0):
    until = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.02)


def test_a_launch_becomes_recorded_runs(registry, kept, server):
    registry.launch(experiment(server.base_url, runs=2))
    wait(lambda: registry.find("e").state in ENDED)
    seen = registry.find("e")

    assert seen.state is RunState.COMPLETED
    assert seen.share == 1.0
    assert [kind for kind, _ in kept.events] == ["started", "ended", "started", "ended"]
    assert all(len(records) == 7 for records in kept.records.values())
    assert kept.last.experiment["id"] == "e"
    assert kept.last.requests == ()


def test_two_launches_queue_and_each_can_be_seen_meanwhile(registry, server):
    registry.launch(experiment(server.base_url, "first", tokens=100))
    registry.launch(experiment(server.base_url, "second"))
    wait(lambda: registry.find("first").state is RunState.RUNNING)

    assert registry.find("second").state is RunState.QUEUED
    wait(lambda: registry.find("second").state in ENDED)
    assert registry.find("first").state is RunState.COMPLETED
    assert registry.find("first").ended_at <= registry.find("second").started_at


def test_the_same_experiment_cannot_be_launched_twice(registry, server):
    registry.launch(experiment(server.base_url))

    with pytest.raises(PlanError):
        registry.launch(experiment(server.base_url))


def test_cancel_ends_a_run_within_two_seconds_and_leaves_the_rest_unmade(registry, kept, server):
    registry.launch(experiment(server.base_url, runs=3, tokens=5000))
    wait(lambda: registry.find("e").current and registry.find("e").current.in_flight)
    with OwnTime() as taken:
        registry.cancel("e")
        wait(lambda: registry.find("e").state in ENDED)

    assert taken.own_s < 2
    assert registry.find("e").state is RunState.CANCELLED
    assert {run.state for run in registry.find("e").runs} == {RunState.CANCELLED}
    assert len(kept.events) == 2


def test_a_queued_launch_can_be_cancelled_before_it_begins(registry, kept, server):
    registry.launch(experiment(server.base_url, "first", tokens=200))
    registry.launch(experiment(server.base_url, "second"))
    registry.cancel("second")
    wait(lambda: registry.find("first").state in ENDED)

    assert registry.find("second").state is RunState.CANCELLED
    assert len(kept.events) == 2


def test_many_queued_launches_are_made_in_order_and_cancelled_ones_left_out(server):
    class Ordered(Kept):
        def run_started(self, run):
            self.events.append(run.experiment["id"])

    kept = Ordered()
    registry = Registry(kept)
    for name in "abcdef":
        registry.launch(experiment(server.base_url, name, requests=1, warmup_requests=0))
    for name in "cf":
        registry.cancel(name)
    states = {one.id: one.state for one in registry.live()}
    wait(lambda: all(one.state in ENDED for one in registry.live()))
    registry.close()

    assert [name for name in kept.events if isinstance(name, str)] == list("abde")
    assert states["c"] is RunState.CANCELLED
    assert states["b"] is RunState.QUEUED
    assert registry.find("f").state is RunState.CANCELLED


def test_a_refused_key_fails_the_run_with_its_sentence(registry, kept, server):
    def refuse(_endpoint):
        raise KeyProblem("The key LAB is for other hosts.", "Change the address.")

    registry.launch(experiment(server.base_url), key_header=refuse)
    wait(lambda: registry.find("e").state in ENDED)

    assert registry.find("e").state is RunState.FAILED
    assert "The key LAB" in registry.find("e").runs[0].message
    assert kept.last.state is RunState.FAILED


def test_a_server_that_cannot_be_started_fails_its_run_and_is_released(kept, server):
    released = threading.Event()

    class Broken:
        def ready(self, _plan, say_progress):
            say_progress("starting the engine")
            raise HostError("The engine did not start.")

        def release(self):
            released.set()

    registry = Registry(kept, hosts=Broken)
    plan = plan_for(server.base_url)
    endpoint = replace(plan.configuration.endpoint, demo="llama.cpp")
    plan = replace(plan, configuration=replace(plan.configuration, endpoint=endpoint))
    registry.launch(Experiment(id="e", name="e", plans=(plan,)))
    wait(lambda: registry.find("e").state in ENDED)
    registry.close()

    assert registry.find("e").runs[0].message == "The engine did not start."
    assert released.is_set()


def test_a_launch_has_ended_while_its_server_is_still_being_stopped_and_the_next_one_waits_for_that(kept, server):
    stopping, stopped = threading.Event(), threading.Event()

    class Slow:
        def release(self):
            stopping.set()
            stopped.wait(30)

    registry = Registry(kept, hosts=Slow)
    registry.launch(experiment(server.base_url, "first", requests=1))
    registry.launch(experiment(server.base_url, "next", requests=1))
    assert stopping.wait(30)
    try:
        assert registry.find("first").state is RunState.COMPLETED
        assert registry.find("next").state is RunState.QUEUED
    finally:
        stopped.set()
    wait(lambda: registry.find("next").state in ENDED)
    registry.close()


def test_what_a_host_knows_of_its_server_after_a_run_is_recorded(kept, server):
    class Late:
        def ready(self, plan, _say_progress):
            return plan, {"engine": "simulated"}

        def served(self):
            return {"late_p99_s": 0.02}

        def release(self):
            pass

    registry = Registry(kept, hosts=Late)
    plan = plan_for(server.base_url, requests=1)
    endpoint = replace(plan.configuration.endpoint, demo="simulated")
    plan = replace(plan, configuration=replace(plan.configuration, endpoint=endpoint))
    registry.launch(Experiment(id="e", name="e", plans=(plan,)))
    wait(lambda: registry.find("e").state in ENDED)
    registry.close()

    assert kept.last.environment["server"] == {"engine": "simulated", "late_p99_s": 0.02}


def test_what_answers_a_run_is_recorded_as_soon_as_it_is_known(kept, server):
    facts = {"engine": "vllm", "version": "0.32"}
    registry = Registry(kept, identify=lambda _: facts)
    registry.launch(experiment(server.base_url, tokens=5000))
    wait(lambda: kept.learnt and kept.learnt[-1].client.loop_lag_p99_s is not None)
    first, *_, last = kept.learnt
    registry.close()

    assert [kind for kind, _ in kept.events] == ["started", "ended"]
    assert first.environment["server"] == facts
    assert (first.preflight, last.preflight.streams) == (None, True)
    assert last.environment == first.environment
    assert last.client.priority in {"realtime", "raised", "normal"}
    assert {run.id for run in kept.learnt} == {last.id}


def test_a_measuring_process_that_dies_leaves_how_it_fared_until_then(registry, kept, server):
    registry.launch(experiment(server.base_url, tokens=5000))
    wait(lambda: kept.learnt and kept.learnt[-1].client.loop_lag_p99_s is not None)
    os.kill(registry._launches["e"].local._process.pid, signal.SIGKILL)
    wait(lambda: registry.find("e").state in ENDED)

    assert kept.last.state is RunState.FAILED
    assert kept.last.client.loop_lag_p99_s is not None
    assert kept.last.preflight.streams


def test_a_fault_in_the_midst_of_a_run_keeps_what_was_known_of_it(server, monkeypatch):
    class Buggy(Kept):
        def requests(self, *_):
            raise ZeroDivisionError

    kept = Buggy()
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    registry = Registry(kept, identify=lambda _: {"engine": "vllm"})
    registry.launch(experiment(server.base_url))
    wait(lambda: registry.find("e").state in ENDED)
    registry.close()

    assert kept.last.state is RunState.FAILED
    assert kept.last.environment["server"]["engine"] == "vllm"
    assert kept.last.preflight.streams


def test_a_recorder_that_breaks_ends_its_experiment_and_not_the_thread(server):
    class Full(Kept):
        def run_started(self, run):
            if run.experiment["id"] == "bad":
                raise OSError("No space left on device")
            super().run_started(run)

    registry = Registry(Full())
    registry.launch(experiment(server.base_url, "bad"))
    registry.launch(experiment(server.base_url, "good"))
    wait(lambda: registry.find("good").state in ENDED)
    registry.close()

    assert registry.find("bad").state is RunState.FAILED
    assert "No space left" in registry.find("bad").message
    assert [run.state for run in registry.find("bad").runs] == [RunState.FAILED]
    assert registry.find("good").state is RunState.COMPLETED


def test_a_bug_goes_to_the_log_and_ends_its_launch_alone(server, monkeypatch):
    class Buggy(Kept):
        def requests(self, run_id, records):
            if self.events[0][1] == run_id:
                raise ZeroDivisionError
            super().requests(run_id, records)

    logged, kept = [], Buggy()
    monkeypatch.setattr(threading, "excepthook", lambda found: logged.append(found.exc_type))
    registry = Registry(kept)
    registry.launch(experiment(server.base_url, "bad", runs=2))
    registry.launch(experiment(server.base_url, "good"))
    wait(lambda: registry.find("good").state in ENDED)
    registry.close()

    assert logged == [ZeroDivisionError]
    assert registry.find("bad").state is RunState.FAILED
    assert "the log says more" in registry.find("bad").message
    assert [run.state for run in registry.find("bad").runs] == [RunState.FAILED, RunState.CANCELLED]
    assert registry.find("good").state is RunState.COMPLETED
    assert [kind for kind, _ in kept.events] == ["started", "ended"] * 2


def test_what_the_recorder_is_expected_to_raise_is_told_in_its_words(server):
    class FullError(Exception):
        pass

    class Full(Kept):
        def run_started(self, _run):
            raise FullError("The disk is full: free some space.")

    registry = Registry(Full(), expected=(FullError,))
    registry.launch(experiment(server.base_url))
    wait(lambda: registry.find("e").state in ENDED)

    assert registry.find("e").message == "The disk is full: free some space."


def test_a_host_that_cannot_even_be_released_does_not_hold_up_the_line(kept, server, monkeypatch):
    class Stuck:
        def release(self):
            raise ZeroDivisionError

    logged = []
    monkeypatch.setattr(threading, "excepthook", lambda found: logged.append(found.exc_type))
    registry = Registry(kept, hosts=Stuck)
    registry.launch(experiment(server.base_url, "first", requests=1))
    registry.launch(experiment(server.base_url, "second", requests=1))
    wait(lambda: registry.find("second").state in ENDED)
    wait(lambda: len(logged) == 2)

    assert registry.find("first").state is RunState.COMPLETED
    assert registry.find("second").state is RunState.COMPLETED


def test_closing_cancels_what_runs_and_takes_no_more(registry, server):
    registry.launch(experiment(server.base_url, tokens=5000))
    wait(lambda: registry.find("e").current and registry.find("e").current.in_flight)
    registry.close()

    assert registry.find("e").state is RunState.CANCELLED
    with pytest.raises(PlanError):
        registry.launch(experiment(server.base_url, "late"))


def test_an_unknown_experiment_is_none_and_cancelling_it_is_no_fault(registry):
    registry.cancel("nobody")

    assert registry.find("nobody") is None
    assert registry.live() == ()


def test_cancel_while_a_server_is_made_ready_does_not_wait_for_it(kept, server):
    begun = threading.Event()

    class Slow:
        def ready(self, plan, say_progress):
            begun.set()
            for _ in range(600):
                say_progress("making the file")
                time.sleep(0.05)
            return plan, {}

        def release(self):
            pass

    registry = Registry(kept, hosts=Slow)
    plan = plan_for(server.base_url)
    endpoint = replace(plan.configuration.endpoint, demo="llama.cpp")
    plan = replace(plan, configuration=replace(plan.configuration, endpoint=endpoint))
    registry.launch(Experiment(id="e", name="e", plans=(plan, plan)))
    begun.wait(10)
    registry.cancel("e")
    wait(lambda: registry.find("e").state in ENDED, 10)
    registry.close()

    assert registry.find("e").state is RunState.CANCELLED
    assert kept.last.state is RunState.CANCELLED


def test_a_recorder_that_breaks_in_mid_run_still_gets_its_end(server):
    class Breaks(Kept):
        def requests(self, _run_id, _records):
            raise OSError("No space left on device")

    kept = Breaks()
    registry = Registry(kept)
    registry.launch(experiment(server.base_url, requests=20))
    wait(lambda: registry.find("e").state in ENDED)
    registry.close()

    assert kept.last.state is RunState.FAILED
    assert "No space left" in kept.last.message


class FullAtTheEnd(Kept):
    """No room for any end; what it was told of it is kept all the same."""

    def run_ended(self, run):
        super().run_ended(run)
        raise OSError("The disk is full.")


@pytest.mark.parametrize(("runs", "state"), [(1, RunState.COMPLETED), (2, RunState.FAILED)])
def test_a_run_whose_end_cannot_be_stored_was_measured_and_is_one_line_in_the_log(
    server, monkeypatch, caplog, runs, state
):
    broken, kept = [], FullAtTheEnd()
    monkeypatch.setattr(threading, "excepthook", broken.append)
    registry = Registry(kept)
    registry.launch(experiment(server.base_url, runs=runs))
    wait(lambda: registry.find("e").state in ENDED)
    registry.close()

    assert registry.find("e").state is state
    assert registry.find("e").message == "The disk is full."
    assert [run.state for run in registry.find("e").runs] == [RunState.COMPLETED, RunState.CANCELLED][:runs]
    assert kept.last.state is RunState.COMPLETED  # also where it was told a second time
    assert broken == []
    assert [record.getMessage() for record in caplog.records] == [
        f"Run {kept.last.id} is not stored yet: The disk is full."
    ]
    assert caplog.records[0].exc_info is None


def test_repeats_of_one_plan_are_numbered(kept, server):
    registry = Registry(kept)
    registry.launch(experiment(server.base_url, runs=2, requests=1))
    wait(lambda: registry.find("e").state in ENDED)
    registry.close()

    assert kept.last.experiment["repeat"] == 1
    assert kept.last.experiment["position"] == 1


def test_a_search_adds_its_runs_as_it_goes_and_tells_the_edge(registry, kept, server):
    search = Search(variable="concurrency", low=1, high=8, slo=Slo.read(["ttft_s.p50 < 0.17"]))
    plan = plan_for(server.base_url, model="gt-ttft1000-itl0-grow50000", requests=12, concurrency=1)
    registry.launch(Experiment(id="e", name="e", plans=(plan,), search=search))
    first = registry.find("e")
    wait(lambda: registry.find("e").state in ENDED, 60)
    seen = registry.find("e")

    assert [run.plan.load.concurrency for run in first.runs] == [1]
    assert first.share < 1
    (found,) = seen.searched
    assert found.ended
    assert found.edge.level == 3
    assert [one.run_id for one in found.tried] == [run.run_id for run in seen.runs]
    assert all(one.judged[0].value > 0.05 for one in found.tried)
    assert kept.last.experiment["search"] == asdict(search)
    assert seen.share == 1.0


def test_a_level_above_a_saturated_one_is_left_out_and_says_so(registry, kept, server, monkeypatch):
    monkeypatch.setattr(LocalRun, "run", lambda _, opening: replace(
        opening, state=RunState.COMPLETED, stopped_by=StoppedBy.SATURATION
    ))  # fmt: skip
    plans = tuple(
        plan_for(server.base_url, concurrency=None, rate=rate, requests=None, duration_s=1.0) for rate in (1.0, 2.0)
    )
    registry.launch(Experiment(id="e", name="e", plans=plans, skip_saturated=True))
    wait(lambda: registry.find("e").state in ENDED)
    made, left_out = registry.find("e").runs

    assert made.state is RunState.COMPLETED
    assert left_out.state is RunState.CANCELLED
    assert len(kept.events) == 2


def test_a_rest_between_runs_is_told_and_a_cancel_ends_it(registry, server):
    plans = tuple(plan_for(server.base_url) for _ in range(2))
    registry.launch(Experiment(id="e", name="e", plans=plans, cooldown_s=600))
    wait(lambda: registry.find("e").stage == "resting")
    registry.cancel("e")
    wait(lambda: registry.find("e").state in ENDED)

    assert [run.state for run in registry.find("e").runs] == [RunState.COMPLETED, RunState.CANCELLED]
