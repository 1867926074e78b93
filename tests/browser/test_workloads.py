"""A workload is saved and previewed on its page, measured as it is, and its run shows its lengths and its name."""

import re

from playwright.sync_api import expect

from core.servers.paced_child import PacedServer
from tests.browser.hands import LOOK_MS, press, until, url_is, write
from tests.browser.steps import add_configuration, add_endpoint, launch, wait_for_state


def test_a_saved_workload_is_measured_as_it_is(app, visitor):
    page = visitor.goto(f"{app.address}/workloads")
    dialog = page.get_by_role("dialog")
    press(page.get_by_role("button", name="Add workload"), lambda: expect(dialog).to_be_visible(timeout=LOOK_MS))
    write(dialog.get_by_role("textbox", name="Name", exact=True), "short chat")
    pairs = dialog.get_by_role("textbox", name="Pairs")
    segment = dialog.get_by_test_id("stButtonGroup").get_by_text("Pairs", exact=True)
    until(lambda: expect(pairs).to_be_visible(timeout=LOOK_MS), lambda: segment.click(timeout=LOOK_MS))
    write(pairs, "48:8*3\n70:4")
    write(dialog.get_by_role("textbox", name="System prompt"), "You answer in one short sentence.")
    expect(dialog.get_by_text("48 → 8, 70 → 4 (pairs, on average 54 → 7)")).to_be_visible()
    press(dialog.get_by_role("button", name="Save"), lambda: expect(dialog).to_have_count(0, timeout=LOOK_MS))
    expect(page.get_by_text("counted by the tokenizer of the built-in model")).to_be_visible()

    with PacedServer() as server:
        add_endpoint(visitor, app.address, "paced", server.base_url)
        visitor.goto(f"{app.address}/workloads")
        press(page.get_by_role("button", name="Benchmark with it"), url_is(page, "**/benchmark"))
        expect(page.get_by_text("System prompt: “You answer in one short sentence.”")).to_be_visible()
        add_configuration(page, "paced", "gt-ttft20000-itl1000", "quick")
        launch(page, requests=12, level="1")
        wait_for_state(page, "completed")

    press(page.get_by_role("button", name="Open run"), url_is(page, "**/run?*"))
    lengths = page.get_by_test_id("stTable").filter(has_text="Counted against asked")
    expect(lengths.get_by_role("row").filter(has_text="answers")).to_contain_text("(4 – 8)")
    expect(lengths.get_by_role("row").filter(has_text="answers")).to_contain_text("the same")
    plan = page.get_by_text("short chat, version 1")
    press(page.get_by_role("tab", name="Plan"), lambda: expect(plan).to_be_visible(timeout=LOOK_MS))
    visitor.goto(f"{app.address}/workloads")
    told = page.get_by_test_id("stDataFrame").first.get_by_text(re.compile(r"^(just now|\d+ (s|min) ago)$"))
    expect(told).to_have_count(2)  # saved, and last used
