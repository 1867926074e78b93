"""The real engine and the simulator under one roof: shared, counted, told apart when they fail, never left behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import httpx
import pytest

from core.servers import demo, variants
from core.servers.child import ROOT
from core.servers.demo import DemoError, DemoServers
from core.servers.variants import describe, made_path, note_path


@pytest.fixture
def servers(model_cache):
    made = DemoServers(model_cache)
    yield made
    made.stop_all()


def lives(pid):
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(listed.strip()) and not listed.strip().startswith("Z")


def gone_within(pid, seconds):
    until = time.monotonic() + seconds
    while lives(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not lives(pid)


def test_the_engine_answers_as_the_variant_it_is(servers):
    told = []

    server = servers.start("Q4_0, 1 slot", progress=lambda share, words: told.append((share, words)))

    with httpx.Client(base_url=server.base_url, timeout=60) as client:
        answer = client.post(
            "/chat/completions",
            json={"model": server.model, "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 8},
        ).json()
        slots = client.get(server.base_url.removesuffix("/v1") + "/slots").json()
        metrics = client.get(server.base_url.removesuffix("/v1") + "/metrics")
    assert answer["usage"]["completion_tokens"] > 0
    assert answer["model"] == variants.MODEL == server.model
    assert (server.engine, server.details["ftype"]) == ("llama.cpp", "Q4_0")
    assert server.version
    assert len(slots) == 1
    assert metrics.status_code == 200
    assert told[-1] == (1.0, "Starting Q4_0, 1 slot")


def test_a_server_is_shared_and_ends_with_its_last_user(servers):
    first, second = servers.start("Q4_0"), servers.start("Q4_0")
    assert first is second

    servers.stop(first)
    assert servers.answers(first)
    assert lives(first.pid)

    servers.stop(first)
    assert not servers.answers(first)
    assert gone_within(first.pid, 5)


def test_an_engine_that_died_is_started_anew(servers):
    first = servers.start("Q4_0")
    os.kill(first.pid, signal.SIGKILL)
    gone_within(first.pid, 5)

    second = servers.start("Q4_0")
    servers.stop(first)  # says nothing about the second

    assert second.pid != first.pid
    assert [servers.answers(server) for server in (first, second)] == [False, True]


def test_several_servers_run_side_by_side_and_end_together(servers):
    started = [servers.start("Q4_0, 8 slots"), servers.start(demo.SIMULATED)]

    servers.stop_all()

    assert all(gone_within(server.pid, 5) for server in started)
    assert not any(servers.answers(server) for server in started)


def test_the_simulator_is_named_so(servers):
    with servers.running(demo.SIMULATED) as server, httpx.Client() as client:
        listed = client.get(f"{server.base_url}/models").json()["data"]

    assert server.engine == "simulated"
    assert server.model in [row["id"] for row in listed]
    assert not lives(server.pid)


def test_a_file_the_engine_cannot_load_is_a_sentence_with_its_last_words(tmp_path):
    file = made_path("Q8_0", tmp_path)
    file.write_bytes(b"GGUF but not really")
    note_path(file).write_text(json.dumps(describe(file)))
    servers = DemoServers(tmp_path)

    with pytest.raises(
        DemoError, match=r"^The built-in server Q8_0 did not start\. The process ended with status 1\. "
    ):
        servers.start("Q8_0")

    assert not servers._entries
    assert not servers._children


def test_an_unknown_variant_is_a_sentence(servers):
    with pytest.raises(DemoError, match="There is no variant Q2_K"):
        servers.start("Q2_K")


def test_closing_gives_up_a_start_that_is_under_way(tmp_path, long_source, monkeypatch):
    monkeypatch.syspath_prepend(long_source.parents[1])
    monkeypatch.setattr(variants, "PACKAGE", long_source.parent.name)
    servers = DemoServers(tmp_path)
    making, faults = threading.Event(), []

    def start():
        try:
            servers.start("F16", progress=lambda share, _: making.set() if share > 0 else None)
        except DemoError as fault:
            faults.append(str(fault))

    thread = threading.Thread(target=start)
    thread.start()
    assert making.wait(60)
    servers.stop_all()
    thread.join(30)

    assert faults == ["F16 was not started: Paceline is closing."]
    assert not servers._entries
    assert not servers._children


def test_the_engine_ends_when_its_parent_is_killed(model_cache):
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom core.servers.demo import DemoServers\n"
        "print(DemoServers(Path(sys.argv[1])).start('Q4_0').pid, flush=True)\ntime.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(model_cache)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as parent:
        pid = int(parent.stdout.readline())
        assert lives(pid)
        os.kill(parent.pid, signal.SIGKILL)

    assert gone_within(pid, 5)


def test_a_file_put_under_another_name_is_served_as_what_it_is(model_cache, tmp_path):
    """The way to hold the comparison against itself: no switch in the product, only a file in the cache folder."""
    mine, theirs = made_path("Q4_0", model_cache), made_path("Q8_0", tmp_path)
    shutil.copy(mine, theirs)
    shutil.copy(note_path(mine), note_path(theirs))

    with DemoServers(tmp_path).running("Q8_0") as server:
        assert server.details["ftype"] == "Q4_0"
