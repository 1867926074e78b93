"""The built-in comparison in full, on a quiet machine: four bits decode about twice as fast as sixteen."""

import os

import pytest
from playwright.sync_api import expect

from core.summary import summarise
from tests.browser.conftest import settled
from tests.browser.hands import press, url_is
from tests.browser.steps import exported, wait_for_state

pytestmark = pytest.mark.long


def test_q4_0_decodes_about_twice_as_fast_as_f16(app, visitor):
    page = visitor.goto(app.address)
    press(page.get_by_role("button", name="Run built-in comparison").first, url_is(page, "**/benchmark?*view=live*"))
    wait_for_state(page, "completed")
    press(page.get_by_role("button", name="Compare"), url_is(page, "**/compare?*runs=*"))
    expect(page.get_by_text("decodes at").first).to_be_visible()

    if picture := os.environ.get("PACELINE_PICTURE"):  # README's: PACELINE_PICTURE=docs/compare.png make test-long
        settled(page)
        page.wait_for_timeout(3000)  # charts fade in
        page.screenshot(path=picture)

    alone = {run.plan.configuration.variant: run for run in exported(page) if run.plan.load.concurrency == 1}
    tpot_s = {name: summarise(run.requests).distributions["tpot_s"].p50 for name, run in alone.items()}

    print(f"TPOT p50 in ms: { {name: round(value * 1000, 2) for name, value in tpot_s.items()} }")
    assert 1.4 < tpot_s["F16"] / tpot_s["Q4_0"] < 4
