"""The simulator as a child: it starts, tells the truth about each request, and is gone when its parent wants."""

import os
import signal
import subprocess
import sys
import time

import httpx
import pytest

from core.servers import child
from core.servers.child import Child, StartError
from core.servers.paced_child import PacedServer


@pytest.fixture(scope="module")
def server():
    with PacedServer() as running:
        yield running


def ask(server, request_id, **changes):
    body = {
        "model": "gt-ttft20000-itl1000",
        "messages": [{"role": "user", "content": "one two three"}],
        "max_tokens": 8,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    with httpx.Client() as client:
        return client.post(
            f"{server.base_url}/chat/completions", json=body | changes, headers={"X-Request-Id": request_id}
        )


def test_a_finished_request_has_its_times_in_the_log(server):
    before = time.monotonic()
    answer = ask(server, "told")
    after = time.monotonic()

    truth = server.truths(["told"])["told"]

    assert answer.status_code == 200
    assert before <= truth.received_s <= truth.first_s <= truth.last_s <= min(truth.ended_s, after)
    assert truth.first_s - truth.received_s >= 0.020
    assert truth.last_s - truth.first_s > 0
    assert truth.tokens == 8


def test_requests_in_flight_when_the_client_leaves_are_logged_as_aborted(server):
    with (
        httpx.Client() as client,
        client.stream(
            "POST",
            f"{server.base_url}/chat/completions",
            json={"model": "gt-ttft1000-itl5000", "max_tokens": 10_000, "stream": True},
            headers={"X-Request-Id": "left"},
        ) as answer,
    ):
        next(answer.iter_raw())

    until = time.monotonic() + 60
    while not server.aborted() and time.monotonic() < until:
        time.sleep(0.05)

    (row,) = server.aborted()
    assert row["id"] == "left"
    assert 1 <= row["sent"] < 10_000


def test_leaving_the_context_ends_the_process_and_removes_its_log():
    with PacedServer() as running:
        assert running.alive
        assert running.log.exists()

    assert not running.alive
    assert not running.log.parent.exists()


def test_a_log_the_caller_chose_is_kept(tmp_path):
    with PacedServer(tmp_path / "kept.jsonl") as running:
        ask(running, "kept")

    assert [row["id"] for row in running.rows()] == ["kept"]


def test_the_process_ends_when_its_parent_is_killed():
    script = (
        "import time\nfrom core.servers.paced_child import PacedServer\n"
        "server = PacedServer()\nprint(server.pid, flush=True)\ntime.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=child.ROOT) as parent:
        pid = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)

    until = time.monotonic() + 60
    while _lives(pid) and time.monotonic() < until:
        time.sleep(0.02)

    assert not _lives(pid)


def test_a_child_that_dies_at_start_is_one_sentence_with_its_last_words():
    broken = Child("core.servers.no_such_server")
    try:
        with pytest.raises(StartError, match=r"ended with status 1\. Its last words: .*no_such_server"):
            broken.line(10)
    finally:
        broken.stop()


def test_a_child_that_ignores_the_end_of_its_stdin_is_killed():
    stubborn = Child("timeit", ["-n", "1", "-r", "1", "import signal, time; signal.signal(15, 1); time.sleep(60)"])
    time.sleep(0.5)

    stubborn.stop(grace_s=0.2)

    assert not stubborn.alive


def _lives(pid):
    """Whether a process runs; one that only waits to be reaped does not."""
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(listed.strip()) and not listed.strip().startswith("Z")
