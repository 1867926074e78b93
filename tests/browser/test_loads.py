"""A load at a rate and a search, from the form to the run's page, as a person would make them."""

import re

import pytest
from playwright.sync_api import Page, expect

from core.servers.paced_child import PacedServer
from tests.browser.conftest import Visitor
from tests.browser.hands import LOOK_MS, press, tick_row, until, url_is, write
from tests.browser.steps import add_configuration, add_endpoint, wait_for_state

pytestmark = pytest.mark.usefixtures("growing")
GROWING = "gt-ttft20000-itl1000-grow20000"  # 20 ms more to the first token for each stream in flight


def fill(page: Page, label: str, value: str) -> None:
    """Type into a field and leave it, so that it counts."""
    write(page.get_by_label(label, exact=True).first, value)


def choose_kind(page: Page, kind: str, field: str) -> None:
    """Press a segment of the load's card, until a field that only this kind has is there."""
    segment = page.get_by_test_id("stButtonGroup").get_by_text(kind, exact=True)
    field_of_it = page.get_by_label(field, exact=True).first
    until(lambda: expect(field_of_it).to_be_visible(timeout=LOOK_MS), lambda: segment.click(timeout=LOOK_MS))


def launch(page: Page) -> None:
    """Launch, and wait for the live view's address."""
    press(page.get_by_role("button", name="Launch"), url_is(page, "**/benchmark?*view=live*"))


@pytest.fixture(scope="module")
def growing(app, chromium):
    """The configuration of this file's tests, made once on the pages."""
    visitor = Visitor(chromium)
    with PacedServer() as server:
        page = add_endpoint(visitor, app.address, "paced", server.base_url)
        visitor.goto(f"{app.address}/benchmark")
        add_configuration(page, "paced", GROWING, "growing")
        visitor.leave()
        yield


@pytest.fixture
def planning(app, visitor):
    """The page that plans, with the configuration ticked and short answers."""
    page = visitor.goto(f"{app.address}/benchmark")
    tick_row(page, 0)
    fill(page, "Answer length, tokens", "4")
    return page


def test_a_load_at_random_moments_is_planned_measured_and_shown(planning):
    page = planning
    choose_kind(page, "Open loop", "Requests/s")
    fill(page, "Requests/s", "fast")
    expect(page.get_by_text("Rate is 'fast'").first).to_be_visible()
    expect(page.get_by_role("button", name="Launch")).to_be_disabled()
    fill(page, "Requests/s", "10")
    fill(page, "Requests a level", "40")
    launch(page)
    wait_for_state(page, "completed")

    press(page.get_by_role("button", name="Open run"), url_is(page, "**/run?*"))
    expect(page.get_by_test_id("stMetric").filter(has_text="Requests, achieved").first).to_contain_text("/s")
    expect(page.get_by_test_id("stHeading").first).to_contain_text("growing at 10 requests/s")
    expect(page.get_by_text("From the send and from the schedule")).to_be_visible()
    expect(page.get_by_text("In flight over time")).to_be_visible()


def test_a_search_finds_its_edge_draws_its_way_and_leads_to_each_probe(planning):
    page = planning
    choose_kind(page, "Search", "To")
    fill(page, "To", "16")
    fill(page, "Requests a level", "16")
    fill(page, "Below, ms", "250")
    expect(page.get_by_test_id("stMetric").filter(has_text="Runs, up to")).to_be_visible()
    launch(page)
    wait_for_state(page, "completed")

    # 20 + 20 ms x streams: 11 keep 250 ms, on a busy machine fewer.
    found = re.compile(r"Up to (?:[1-9]|1[01]) requests? in flight keeps? TTFT p95 below 250 ms")
    expect(page.get_by_text(found)).to_be_visible()
    expect(page.get_by_text("The way of the search")).to_be_visible()
    with page.expect_popup() as opened:  # a tab of its own: the search goes on being watched
        page.get_by_text("Probes in their order").locator("xpath=ancestor::p").get_by_role("link").first.click()
    expect(opened.value.get_by_test_id("stHeading").first).to_contain_text("growing at 1 in flight")


def test_a_trace_is_uploaded_previewed_and_replayed(planning):
    page = planning
    page_kind = page.get_by_test_id("stButtonGroup").get_by_text("Trace", exact=True)
    uploader = page.locator("input[type=file]").first
    until(lambda: expect(uploader).to_be_attached(timeout=LOOK_MS), lambda: page_kind.click(timeout=LOOK_MS))
    rows = [f"{place / 10},{20 + place},4" for place in range(30)]
    text = "\n".join(["time,input_tokens,output_tokens", *rows, "later,1,1"])
    uploader.set_input_files({"name": "chat.csv", "mimeType": "text/csv", "buffer": text.encode()})
    expect(page.get_by_text("1 row was left out (1: no time).")).to_be_visible()
    mean = page.get_by_test_id("stMetric").filter(has_text="Requests/s, mean")
    expect(mean).to_contain_text(re.compile(r"mean\s*10\b"))
    fill(page, "Speed", "2")
    launch(page)
    wait_for_state(page, "completed")

    press(page.get_by_role("button", name="Open run"), url_is(page, "**/run?*"))
    expect(page.get_by_test_id("stHeading").first).to_contain_text("trace chat.csv ×2")
    expect(page.get_by_test_id("stMetric").filter(has_text="Requests, nominal").first).to_contain_text("20 /s")
