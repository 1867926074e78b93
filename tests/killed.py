"""A run against the paced simulator whose app is killed at a random moment, and what must be true afterwards."""

import os
import signal
import subprocess
import time
from pathlib import Path

from core.plan import Configuration, Endpoint, Experiment, Load, RunPlan, Workload
from core.run import Run, RunState
from core.servers.paced_child import PacedServer
from storage.database import Database
from storage.runs import RunStore
from tests.own_time import held_s, of_group, waits

MODEL = (
    "gt-ttft20000-itl4000"  # 20 ms to the first token, 4 ms a token: a request of 24 tokens takes a tenth of a second
)
CONCURRENCY = 4
KEPT_S = 1.0  # what ended longer than this before the kill is in the database
MOST_WAITED_S = 1.4  # the app lives 2.5 s and more after its first requests
CLOSED_S = 2.0  # the measuring child has closed its streams
LOG_S = 0.5  # the simulator's log is at most this late
GONE_S = 5.0  # nothing of the group lives


FACTS = {"engine": "paced", "version": "1"}  # what the app without pages knows of its server


def experiment(base_url: str) -> Experiment:
    """A minute of load on the simulator at `base_url`."""
    endpoint = Endpoint(name="paced", base_url=base_url)
    configuration = Configuration(id="paced", label="paced", endpoint=endpoint, model=MODEL)
    plan = RunPlan(
        configuration=configuration,
        workload=Workload(input_tokens=16, output_tokens=24),
        load=Load(concurrency=CONCURRENCY, requests=None, duration_s=60),
    )
    return Experiment(id="killed", name="killed", plans=(plan,))


def kill_and_check(app: subprocess.Popen[bytes], database: Path, server: PacedServer, facts: dict[str, str]) -> None:
    """Kill the app alone and see to the rest: its children, the streams, the database.

    `facts`: what it knew of its server.
    """
    group = os.getpgid(app.pid)
    waited_before = waits(of_group(group))
    time.sleep(KEPT_S)
    kept_s = KEPT_S + min(held_s(waited_before, waits(of_group(group))), MOST_WAITED_S)
    killed_s = time.monotonic()
    os.kill(app.pid, signal.SIGKILL)
    app.wait(10)
    wait_until_gone(group, killed_s + GONE_S)

    while not server.aborted() and time.monotonic() < killed_s + CLOSED_S + LOG_S:
        time.sleep(0.05)
    aborted, truths = server.aborted(), [one for one in server.truths().values() if measured_id(one.request_id)]
    assert 1 <= len(aborted) <= CONCURRENCY, f"{len(aborted)} streams were broken off."
    assert max(truth.ended_s for truth in truths) < killed_s + CLOSED_S, "The measuring child went on reading."
    finished = {truth.request_id for truth in truths if truth.ended_s < killed_s - kept_s}
    assert finished, "Nothing had been measured yet: the kill was not in the middle."
    run = recovered(database)
    assert run.state is RunState.INTERRUPTED
    missing = finished - {record.request_id for record in run.requests}
    assert not missing, f"Of {len(finished)} finished requests these are missing: {missing}"
    server_facts = run.environment["server"]
    assert {name: server_facts.get(name) for name in facts} == facts, f"What answered was lost: {server_facts}"
    assert run.preflight is not None, "What the endpoint accepts was lost."
    assert run.preflight.streams
    assert run.client.loop_lag_p99_s is not None, "How the client fared was lost."
    assert run.client.max_in_flight == CONCURRENCY


def wait_until_gone(group: int, until_s: float) -> None:
    """Nobody of the process group lives on."""
    while True:
        members = living(group)
        if not members:
            return
        assert time.monotonic() < until_s, f"Still alive: {members}"
        time.sleep(0.1)


def living(group: int) -> list[str]:
    """The commands of a process group's members; one that only waits for its exit status to be read is none."""
    listed = subprocess.run(["ps", "-A", "-o", "pgid=,stat=,command="], capture_output=True, text=True, check=True)
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
    return [row[2] for row in rows if row[0] == str(group) and not row[1].startswith("Z")]


def measured(server: PacedServer) -> int:
    """How many requests of the run the simulator has answered whole."""
    return sum(1 for row in server.rows() if row.get("end_ns") and measured_id(row["id"]))


def measured_id(request_id: str) -> bool:
    """Whether a request belongs to the run; the preflight's are looked at and not kept."""
    return bool(request_id) and "-p-" not in request_id


def recovered(file: Path) -> Run:
    """The one run of the database, after what the app does at its next start."""
    database = Database.open(file)
    try:
        runs = RunStore(database)
        runs.recover()
        (row,) = runs.list_runs()
        return runs.run(row.id)
    finally:
        database.close()
