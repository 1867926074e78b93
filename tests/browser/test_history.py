"""Back and Forward: each way from a page to another is one step, and Back finds the page as it was left."""

import re

import pytest
from playwright.sync_api import Page, expect

from storage.database import Database
from storage.runs import RunStore
from tests.browser.conftest import settled
from tests.browser.steps import tick_row
from tests.pages.seen import made
from tests.running_app import RunningApp

RUNS = ("fast", "slow")


@pytest.fixture(scope="module")
def app(tmp_path_factory, cache):
    """The app on a database with one experiment of two runs."""
    folder = tmp_path_factory.mktemp("app")
    database = Database.open(folder / "paceline.duckdb")
    store = RunStore(database)
    for place, name in enumerate(RUNS):
        run, records = made(name, label=name, slot=place, tpot=0.01 * (1 + place))
        store.run_started(run)
        store.requests(name, records)
        store.run_ended(run)
    database.close()
    with RunningApp(folder, PACELINE_CACHE=str(cache)) as running:
        yield running


def press(name: str):
    """Press the button of this name."""
    return lambda page: page.get_by_test_id("stMainBlockContainer").get_by_role("button", name=name).first.click()


def compare_all(page: Page) -> None:
    """Tick both runs and compare them."""
    tick_row(page, 0)
    tick_row(page, 1)
    press("Compare 2")(page)


def open_named(page: Page) -> None:
    """Click the name in the first row."""
    page.get_by_test_id("stDataFrame").locator(".dvn-scroller").click(position={"x": 130, "y": 55})


def leave_by_the_sidebar(page: Page) -> None:
    """Open another page from the sidebar."""
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Glossary").click()


WAYS = {
    "a row of the overview": ("/", lambda page: tick_row(page, 0), "/run?run="),
    "ticked runs": ("/runs", compare_all, "/compare?runs="),
    "a name in a filtered list": ("/runs?q=slow", open_named, "/run?run=slow"),
    "compare on a run": ("/run?run=slow", press("Compare"), "/compare?experiment=e1&at=4"),
    "a baseline": ("/run?run=slow", press("Make baseline"), "/compare?experiment=e1&at=4&baseline=slow"),
    "the sidebar": ("/compare?pct=p99&runs=fast%2Cslow", leave_by_the_sidebar, "/glossary"),
    "an experiment": ("/compare", press("Quantizations"), "/compare?experiment=e1"),
    "a launch that is gone": ("/benchmark?view=live&experiment=gone", press("See runs"), "/runs"),
}


@pytest.mark.parametrize("way", WAYS)
def test_back_and_forward_know_the_two_pages_and_none_between(app, visitor, way):
    start, act, end = WAYS[way]
    page = visitor.goto(app.address + start)
    steps, heading = page.evaluate("history.length"), page.get_by_test_id("stHeading").first.inner_text()

    act(page)
    page.wait_for_url(lambda url: url.startswith(app.address + end) and url != app.address + start)
    settled(page)
    arrived = page.url
    assert page.evaluate("history.length") == steps + 1

    page.go_back()
    expect(page.get_by_test_id("stHeading").first).to_have_text(heading)
    settled(page)
    assert page.url == app.address + start
    page.go_forward()
    page.wait_for_url(arrived)


def test_back_finds_the_ticks_as_they_were(app, visitor):
    page = visitor.goto(f"{app.address}/runs")
    compare_all(page)
    page.wait_for_url("**/compare?*")
    settled(page)

    page.go_back()

    expect(page.get_by_role("button", name="Compare 2")).to_be_enabled()


def test_a_launch_is_one_step_and_back_is_the_plan_as_it_was(app, visitor):
    page = visitor.goto(f"{app.address}/benchmark")
    page.get_by_role("button", name="Take the built-in model").or_(
        page.get_by_role("button", name="Edit")
    ).first.click()
    settled(page)
    requests = page.get_by_role("spinbutton", name="Requests a level")
    requests.fill("3")
    requests.press("Tab")
    settled(page)
    press("Launch")(page)
    page.wait_for_url("**/benchmark?*view=live*")
    settled(page)
    page.get_by_role("button", name="Cancel").click()

    page.go_back()

    expect(requests).to_have_value("3")
    expect(page.get_by_role("button", name="Launch")).to_be_enabled()
    assert re.search(r"/benchmark$", page.url)
