"""Half a write-ahead log does not stop the start, and the first page says what may be missing."""

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect

from tests.running_app import RunningApp

ROOT = Path(__file__).parents[2]
DIE_IN_MID_WRITE = """
import os, sys
from pathlib import Path
from storage.database import Database
from storage.runs import RunStore
from tests.pages.seen import made
runs = RunStore(Database.open(Path(sys.argv[1])))
for name in ("first", "second", "third"):
    run, records = made(name, label=name)
    runs.run_started(run)
    runs.requests(run.id, records)
    runs.run_ended(run)
os._exit(9)
"""


def test_half_a_log_is_told_at_the_top_of_the_overview(visitor, tmp_path):
    database = tmp_path / "paceline.duckdb"
    died = subprocess.run([sys.executable, "-c", DIE_IN_MID_WRITE, str(database)], cwd=ROOT, check=False)
    assert died.returncode == 9
    log = database.with_name(database.name + ".wal")
    whole = log.read_bytes()
    log.write_bytes(whole[: len(whole) // 2])

    with RunningApp(tmp_path) as app:
        page = visitor.goto(app.address)

        expect(page.get_by_text("The log of the last changes breaks off in the middle")).to_be_in_viewport()
        expect(page.get_by_text("Recent runs")).to_be_visible()
        visitor.leave()
