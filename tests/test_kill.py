"""kill -9 in the middle of a run: what had been measured is there at the next start, and nobody is left behind."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.servers.paced_child import PacedServer
from tests.killed import FACTS, kill_and_check, measured

ROOT = Path(__file__).parents[1]
SEEDS = [1, 2, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 11))]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_killed_run_keeps_what_was_measured(tmp_path, seed):
    database = tmp_path / "paceline.duckdb"
    with PacedServer() as server:
        app = subprocess.Popen(
            [sys.executable, "-m", "tests.killed_app", str(database), server.base_url],
            cwd=ROOT, env={**os.environ, "PACELINE_LOCK": str(tmp_path / "lock")}, start_new_session=True,
        )  # fmt: skip
        try:
            wait_for_requests(server)
            time.sleep(1.5 + 2 * random.Random(seed).random())  # the random moment is what is tested
            kill_and_check(app, database, server, FACTS)
        finally:
            app.kill()
            app.wait(10)


def wait_for_requests(server: PacedServer) -> None:
    """Wait until the run is under way."""
    until = time.monotonic() + 60
    while measured(server) < 8:
        assert time.monotonic() < until, "The run did not begin."
        time.sleep(0.05)
