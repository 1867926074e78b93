"""Half a write-ahead log does not stop the start, and every page says what may be missing until it is read."""

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import settled
from tests.browser.hands import LOOK_MS, press
from tests.browser.steps import go
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


def told(page: Page) -> Locator:
    """The sentence on what may be missing."""
    return page.get_by_text("The log of the last changes breaks off in the middle")


def test_half_a_log_is_told_on_top_of_every_page_until_it_is_read(visitor, tmp_path):
    database = tmp_path / "paceline.duckdb"
    died = subprocess.run([sys.executable, "-c", DIE_IN_MID_WRITE, str(database)], cwd=ROOT, check=False)
    assert died.returncode == 9
    log = database.with_name(database.name + ".wal")
    whole = log.read_bytes()
    log.write_bytes(whole[: len(whole) // 2])

    with RunningApp(tmp_path) as app:
        page = visitor.goto(app.address)

        expect(told(page)).to_be_in_viewport()
        expect(page.get_by_text("Recent runs")).to_be_visible()
        page = visitor.goto(f"{app.address}/runs")
        expect(told(page)).to_be_in_viewport()
        press(page.get_by_role("button", name="Got it"), lambda: expect(told(page)).to_have_count(0, timeout=LOOK_MS))
        go(page, "Glossary")
        settled(page)
        expect(told(page)).to_have_count(0)
        visitor.leave()
