"""Cancel ends a run at once, keeps what was measured and lets the server stop generating."""

import time

from playwright.sync_api import expect

from core.servers.paced_child import PacedServer
from tests.browser.hands import press, url_is
from tests.browser.steps import add_configuration, add_endpoint, card, launch, wait_for_state


def test_cancel_keeps_what_was_measured_and_closes_the_streams(app, visitor):
    with PacedServer() as server:
        page = add_endpoint(visitor, app.address, "paced", server.base_url)
        visitor.goto(f"{app.address}/benchmark")
        add_configuration(page, "paced", "gt-ttft20000-itl2000", "paced at 4")
        launch(page, requests=5000, level="4")
        expect(card(page, "TTFT p50 now")).to_contain_text("ms")

        heading = page.get_by_test_id("stHeading").first
        press(page.get_by_role("button", name="Cancel"), lambda: expect(heading).not_to_contain_text("running"))
        wait_for_state(page, "cancelled")

        until = time.monotonic() + 5
        while len(server.aborted()) < 4 and time.monotonic() < until:
            time.sleep(0.1)
        assert len(server.aborted()) == 4
    press(page.get_by_role("button", name="Open run"), url_is(page, "**/run?*"))
    expect(page.get_by_text("cancelled", exact=True).first).to_be_visible()
