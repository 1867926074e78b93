"""A database with one ended run, quickly and really measured on the simulator. Knows no page."""

from dataclasses import replace
from pathlib import Path

from core.fleet.local import run_once
from core.plan import Load, RunPlan, Workload
from core.run import RunState
from core.servers.builtin import simulated_configuration, with_address
from core.servers.demo import SIMULATED, DemoServers
from storage.database import Database
from storage.library import Library
from storage.runs import RunStore


def measure_into(file: Path) -> str:
    """Make the database and the run in it, under a configuration that is kept too; the run's id."""
    configuration = simulated_configuration(0)
    load = Load(concurrency=4, requests=12, warmup_requests=1)
    plan = RunPlan(configuration=configuration, workload=Workload(input_tokens=16, output_tokens=24), load=load)
    with DemoServers().running(SIMULATED) as server:
        run = run_once(with_address(plan, server), environ={"PACELINE_LOCK": f"{file}.lock"})
    assert run.state is RunState.COMPLETED, run.message
    run = replace(run, experiment={"id": "measured", "name": "Quickly measured", "repeat": 0, "position": 0})
    database = Database.open(file)
    try:
        Library(database).save_configuration(configuration)
        runs = RunStore(database)
        runs.run_started(replace(run, requests=()))
        runs.requests(run.id, run.requests)
        runs.run_ended(run)
    finally:
        database.close()
    return run.id
