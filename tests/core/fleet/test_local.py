"""One plan in a real measuring child: every way it can end is a run."""

import os
import signal
import threading
import time
from dataclasses import replace

import pytest

from core import trace_shelf
from core.fleet.local import Listener, LocalRun, opening_run, run_once
from core.plan import Configuration, Endpoint, Load, RunPlan, Workload
from core.records import FailureKind, Outcome
from core.restraint import Restraint
from core.run import RunState, StoppedBy
from core.servers.paced_child import PacedServer
from core.trace import Rows
from tests.core.answering_server import AnsweringServer, models, reply
from tests.core.loadgen.scripted import CHUNKED, chunk, event
from tests.own_time import OwnTime

CHAT = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "a b"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 8, "completion_tokens": 2},
}
FAST = "gt-ttft20000-itl2000"


@pytest.fixture(autouse=True)
def own_lock(tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_LOCK", str(tmp_path / "lock"))


@pytest.fixture(scope="module")
def server():
    with PacedServer() as running:
        yield running


def plan_for(base_url: str, *, model: str = FAST, tokens: int = 10, **load) -> RunPlan:
    endpoint = Endpoint(name="paced", base_url=base_url)
    return RunPlan(
        configuration=Configuration(id="c", label="paced", endpoint=endpoint, model=model),
        workload=Workload(input_tokens=8, output_tokens=tokens),
        load=Load(**({"concurrency": 2, "requests": 6, "warmup_requests": 1} | load)),
    )


class Noting(Listener):
    """Keeps what it is told."""

    def __init__(self):
        self.told = []
        self.began = threading.Event()

    def preflight(self, found):
        self.told.append(("preflight", found))

    def started(self, priority):
        self.told.append(("started", priority))
        self.began.set()

    def record(self, record):
        self.told.append(("record", record))


def test_a_run_is_measured_and_told_as_it_goes(server):
    noting = Noting()
    run = run_once(plan_for(server.base_url), listener=noting)

    assert (run.state, run.stopped_by, run.message) == (RunState.COMPLETED, StoppedBy.REQUESTS, None)
    assert sum(not record.warmup for record in run.requests) == 6
    assert sum(record.warmup for record in run.requests) == 1
    assert all(record.output_tokens == 10 for record in run.requests)
    assert [kind for kind, _ in noting.told[:2]] == ["preflight", "started"]
    assert sum(kind == "record" for kind, _ in noting.told) == 7
    assert run.client.priority in {"realtime", "raised", "normal"}
    assert run.preflight.usage is True
    assert run.environment["paceline"]


def test_every_request_is_in_the_server_s_log_under_its_id(server):
    run = run_once(plan_for(server.base_url))
    truths = server.truths([record.request_id for record in run.requests])

    assert all(truths[record.request_id].tokens == record.output_tokens for record in run.requests)


def test_cancel_keeps_what_was_measured_and_closes_the_server_s_streams(server):
    noting = Noting()
    local = LocalRun(
        plan_for(server.base_url, tokens=5000, requests=50, concurrency=3, warmup_requests=0), listener=noting
    )
    before = len(server.aborted())

    def stop():
        noting.began.wait(20)
        time.sleep(0.3)
        local.cancel()

    stopper = threading.Thread(target=stop)
    stopper.start()
    run = local.run()
    stopper.join()

    assert (run.state, run.stopped_by) == (RunState.CANCELLED, StoppedBy.USER)
    assert [record.outcome for record in run.requests] == [Outcome.CANCELLED] * 3
    assert all(len(record.chunk_us) > 10 for record in run.requests)
    until = time.monotonic() + 5
    while len(server.aborted()) < before + 3 and time.monotonic() < until:
        time.sleep(0.05)
    assert len(server.aborted()) == before + 3


def flood(_asked):
    """40 MB of tiny events as fast as the socket takes them, far faster than they can be decoded."""
    yield CHUNKED
    events = chunk(event("a")) * 5000
    for _ in range(40_000_000 // len(events)):
        yield events
    yield 15.0


def test_cancel_keeps_what_could_be_decoded_of_a_flood_of_tiny_events():
    noting, taken = Noting(), OwnTime()
    with AnsweringServer({"POST /v1/chat/completions": flood}) as server:
        plan = plan_for(server.base_url, tokens=10_000, concurrency=3, requests=3, warmup_requests=0)
        local = LocalRun(plan, listener=noting, preflight=False)

        def stop():
            noting.began.wait(20)
            time.sleep(0.4)
            taken.begin()
            local.cancel()

        stopper = threading.Thread(target=stop)
        stopper.start()
        run = local.run()
        stopper.join()
        taken.end()

    assert (run.state, run.stopped_by) == (RunState.CANCELLED, StoppedBy.USER)
    assert [record.outcome for record in run.requests] == [Outcome.CANCELLED] * 3
    assert all(len(record.chunk_us) > 100 for record in run.requests)
    assert any("bytes were left undecoded" in record.failure.message for record in run.requests)
    assert taken.own_s < 2


def test_a_cancel_before_the_start_measures_nothing(server):
    local = LocalRun(plan_for(server.base_url))
    local.cancel()
    run = local.run()

    assert run.state is RunState.CANCELLED
    assert run.requests == ()


def test_an_endpoint_that_refuses_fails_the_run_with_its_reason():
    run = run_once(plan_for("http://127.0.0.1:9/v1"))

    assert run.state is RunState.FAILED
    assert "127.0.0.1:9" in run.message
    assert run.requests == ()


def test_a_child_that_dies_is_a_failed_run_with_what_was_measured(server):
    noting = Noting()
    local = LocalRun(
        plan_for(server.base_url, tokens=3000, requests=5, concurrency=1, warmup_requests=0), listener=noting
    )

    def kill():
        noting.began.wait(20)
        os.kill(local._process.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    run = local.run()
    killer.join()

    assert run.state is RunState.FAILED
    assert run.message == (
        "The measuring process was ended by signal 9 (killed). Look whether this machine ran out of memory, or who "
        "ended it, then measure again."
    )


def test_two_runs_never_overlap(server):
    runs = []
    threads = [
        threading.Thread(target=lambda: runs.append(run_once(plan_for(server.base_url, requests=10)))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    truths = server.truths([record.request_id for run in runs for record in run.requests])
    spans = sorted(
        (
            min(truths[record.request_id].received_s for record in run.requests),
            max(truths[record.request_id].ended_s for record in run.requests),
        )
        for run in runs
    )

    assert [run.state for run in runs] == [RunState.COMPLETED] * 2
    assert spans[0][1] <= spans[1][0]


def test_a_lag_put_in_on_purpose_is_seen_in_the_run(server):
    run = run_once(plan_for(server.base_url, requests=20), environ={"PACELINE_TEST_LAG_MS": "5"})

    assert run.client.loop_lag_p99_s >= 0.004  # a shared machine may add to it, never take away


def test_a_key_reaches_the_server_and_nothing_else(server):
    run = run_once(plan_for(server.base_url), key_header=("Authorization", "Bearer geheim-123"))

    assert run.state is RunState.COMPLETED
    assert "geheim-123" not in repr(run)


def test_a_key_in_the_last_words_of_a_child_that_dies_is_not_kept(server, tmp_path, monkeypatch):
    dying = tmp_path / "python"
    dying.write_text('#!/bin/sh\nread -r job\necho "${job#*key_header}" | cut -c 1-80 >&2\nexit 1\n')
    dying.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(dying))

    run = run_once(plan_for(server.base_url), key_header=("Authorization", "Bearer geheim-123"))

    assert run.state is RunState.FAILED
    assert "Authorization" in run.message  # what it said is told
    assert "geheim" not in repr(run)


def test_answers_that_are_too_slow_are_timeouts(server):
    plan = plan_for(server.base_url, model="gt-ttft400000-itl2000", requests=2, warmup_requests=0)
    from dataclasses import replace

    limits = replace(plan.limits, first_byte_s=0.1)
    endpoint = replace(plan.configuration.endpoint, limits=limits)
    plan = replace(plan, configuration=replace(plan.configuration, endpoint=endpoint))
    local = LocalRun(plan, preflight=False)
    run = local.run()

    assert {record.failure.kind for record in run.requests} == {FailureKind.FIRST_BYTE_TIMEOUT}


def test_a_run_stopped_by_404s_says_which_models_there_are():
    missing = reply(404, {"error": {"message": "The model `m` does not exist."}})
    with AnsweringServer({"POST /v1/chat/completions": missing, "GET /v1/models": models("qwen", "llama")}) as server:
        run = LocalRun(plan_for(server.base_url, requests=40), preflight=False).run()

    assert run.state is RunState.FAILED
    assert run.message.endswith("requests failed. The server has: qwen, llama.")
    assert run.environment["server"]["models"] == "qwen, llama"


def test_what_was_known_of_the_server_stays_beside_what_it_tells_itself(server):
    plan = plan_for(server.base_url)
    opening = opening_run(plan, "r")
    opening = replace(opening, environment={**opening.environment, "server": {"hardware": "2 cores", "engine": "old"}})
    run = LocalRun(plan, identify=True).run(opening)

    assert run.environment["server"]["hardware"] == "2 cores"
    assert run.environment["server"]["engine"] == "Paceline simulator"


def test_a_trace_is_replayed_from_the_rows_that_are_kept(server, tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_CACHE", str(tmp_path))
    rows = Rows.of([(0.0, 20, 3), (0.05, 40, 5), (0.2, 10, 7)])
    trace = rows.trace("chat.csv")
    plan = plan_for(server.base_url, concurrency=None, rate=trace.rate, trace=trace, requests=3)
    missing = run_once(plan)
    trace_shelf.keep(rows)
    run = run_once(plan)

    assert (missing.state, missing.stopped_by) == (RunState.FAILED, StoppedBy.FAILURE)
    assert "chat.csv are not on this machine" in missing.message
    assert run.state is RunState.COMPLETED
    measured = sorted((one for one in run.requests if not one.warmup), key=lambda one: one.index)
    assert [one.output_tokens for one in measured] == [3, 5, 7]
    assert [one.requested_input_tokens for one in measured] == [20, 40, 10]


def test_limits_in_the_answers_are_kept_on_the_run_and_the_load_under_them():
    limits = ("x-ratelimit-limit-requests: 1200", "x-ratelimit-remaining-requests: 7", "x-ratelimit-reset-requests: 1s")
    answer = reply(200, CHAT, *limits)
    with AnsweringServer({"POST /v1/chat/completions": answer}) as limited:
        plan = plan_for(limited.base_url, concurrency=4, requests=4, restraint=Restraint(as_told=True))
        run = run_once(plan)

    server = run.environment["server"]
    assert (server["requests_per_minute"], server["requests_remaining"]) == (1200, 7)
    assert "under the endpoint's limits: at most 1,200 requests/min" in " ".join(run.preflight.changes)
    sent = sorted(one.sent_s for one in run.requests if not one.warmup)
    assert sent[-1] - sent[0] >= 0.15
    assert run.client.held_requests is not None
