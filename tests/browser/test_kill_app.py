"""kill -9 of the app as `make run` starts it, in the middle of a run that a browser launched."""

import random
import time

import pytest
from playwright.sync_api import expect

from core.servers.paced_child import PacedServer
from tests.browser.steps import add_configuration, add_endpoint, card, go, launch
from tests.killed import MODEL, kill_and_check
from tests.running_app import RunningApp

SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 11))]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_killed_app_shows_the_interrupted_run_at_its_next_start(tmp_path, cache, visitors, seed):
    with PacedServer() as server, RunningApp(tmp_path, PACELINE_CACHE=str(cache)) as app:
        before = visitors()
        page = add_endpoint(before, app.address, "paced", server.base_url)
        before.goto(f"{app.address}/benchmark")
        add_configuration(page, "paced", MODEL, "killed at 4")
        launch(page, requests=100_000, level="4")
        expect(card(page, "TTFT p50 now")).to_contain_text("ms")
        time.sleep(1.5 + 2 * random.Random(seed).random())  # the random moment is what is tested

        kill_and_check(app.process, app.database, server, {"engine": "Paceline simulator"})
        before.leave()

    with RunningApp(tmp_path, PACELINE_CACHE=str(cache)) as again:
        page = visitors().goto(again.address)
        expect(page.get_by_text("killed at 4").first).to_be_attached()
        go(page, "Runs")
        expect(page.get_by_text("interrupted").first).to_be_attached()
