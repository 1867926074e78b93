"""Back and Forward: each way from a page to another is one step, and Back finds the page as it was left."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from storage.database import Database
from storage.runs import RunStore
from tests.browser.conftest import settled
from tests.browser.hands import LOOK_MS, press, tick_row, until, url_is, write
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


def pressing(name: str):
    """Press the button of this name."""
    return lambda page: main(page).get_by_role("button", name=name).first.click(timeout=LOOK_MS)


def main(page: Page) -> Locator:
    """The page without its sidebar."""
    return page.get_by_test_id("stMainBlockContainer")


def tick_both(page: Page) -> None:
    """Tick both runs."""
    compare = page.get_by_role("button", name="Compare 2")

    def tick() -> None:
        tick_row(page, 0)
        tick_row(page, 1)

    until(lambda: expect(compare).to_be_enabled(timeout=LOOK_MS), tick)


def compare_all(page: Page) -> None:
    """Tick both runs and compare them."""
    tick_both(page)
    pressing("Compare 2")(page)


def open_first(page: Page) -> None:
    """Tick the first row, where the page leaves as soon as it has heard of it."""
    page.get_by_test_id("stDataFrame").locator(".dvn-scroller").click(position={"x": 15, "y": 55}, timeout=LOOK_MS)


def open_named(page: Page) -> None:
    """Click the name in the first row."""
    page.get_by_test_id("stDataFrame").locator(".dvn-scroller").click(position={"x": 130, "y": 55}, timeout=LOOK_MS)


def by_the_sidebar(title: str):
    """Take the link of this title in the sidebar."""
    return lambda page: page.get_by_test_id("stSidebarNavLink").filter(has_text=title).click(timeout=LOOK_MS)


WAYS = {
    "a row of the overview": ("/", open_first, "/run?run="),
    "ticked runs": ("/runs", compare_all, "/compare?runs="),
    "a name in a filtered list": ("/runs?q=slow", open_named, "/run?run=slow"),
    "compare on a run": ("/run?run=slow", pressing("Compare"), "/compare?experiment=e1&at=4"),
    "a baseline": ("/run?run=slow", pressing("Make baseline"), "/compare?experiment=e1&at=4&baseline=slow"),
    "the sidebar": ("/compare?pct=p99&runs=fast%2Cslow", by_the_sidebar("Glossary"), "/glossary"),
    "the sidebar, to the page that is open": (
        "/benchmark?view=live&experiment=gone",
        by_the_sidebar("Benchmark"),
        "/benchmark",
    ),
    "the sidebar, to other runs": ("/compare?experiment=e1", by_the_sidebar("Compare"), "/compare"),
    "an experiment": ("/compare", pressing("Quantizations"), "/compare?experiment=e1"),
    "a launch that is gone": ("/benchmark?view=live&experiment=gone", pressing("See runs"), "/runs"),
}
# These go by the same code as one of the others and are walked by hand.
BY_HAND = {
    "a row of the overview", "a name in a filtered list", "a baseline", "the sidebar, to other runs", "an experiment",
    "a launch that is gone",
}  # fmt: skip


@pytest.mark.parametrize("way", [pytest.param(way, marks=[pytest.mark.long] * (way in BY_HAND)) for way in WAYS])
def test_back_and_forward_know_the_two_pages_and_none_between(app, visitor, way):
    start, act, end = WAYS[way]
    page = visitor.goto(app.address + start)
    steps, heading = page.evaluate("history.length"), page.get_by_test_id("stHeading").first.inner_text()

    def there() -> None:
        page.wait_for_url(lambda url: url.startswith(app.address + end) and url != app.address + start, timeout=LOOK_MS)

    until(there, lambda: act(page))
    settled(page)
    arrived = page.url
    assert page.evaluate("history.length") == steps + 1

    page.go_back()
    expect(page.get_by_test_id("stHeading").first).to_have_text(heading)
    settled(page)
    assert page.url == app.address + start
    page.go_forward()
    page.wait_for_url(arrived)


def test_the_sidebar_leads_from_a_live_view_to_the_plan(app, visitor):
    page = visitor.goto(f"{app.address}/benchmark?view=live&experiment=gone")
    expect(main(page).get_by_text("This launch is not running")).to_be_visible()

    until(url_is(page, "**/benchmark"), lambda: by_the_sidebar("Benchmark")(page))

    expect(main(page).get_by_text("Before you launch")).to_be_visible()
    expect(main(page).get_by_text("This launch is not running")).to_have_count(0)
    page.go_back()
    expect(main(page).get_by_text("This launch is not running")).to_be_visible()


def test_back_finds_the_ticks_as_they_were(app, visitor):
    page = visitor.goto(f"{app.address}/runs")
    until(url_is(page, "**/compare?*"), lambda: compare_all(page))
    settled(page)

    page.go_back()

    expect(page.get_by_role("button", name="Compare 2")).to_be_enabled()


def test_a_launch_is_one_step_and_back_is_the_plan_as_it_was(app, visitor):
    page = visitor.goto(f"{app.address}/benchmark")
    ready = page.get_by_role("button", name="Edit")
    take = page.get_by_role("button", name="Take the built-in model")
    expect(ready.or_(take).first).to_be_visible()
    if take.is_visible():
        press(take, lambda: expect(ready).to_be_visible(timeout=LOOK_MS))
    launch = page.get_by_role("button", name="Launch")
    expect(launch).to_be_enabled()
    requests = page.get_by_role("spinbutton", name="Requests a level")
    write(requests, "3")
    press(launch, url_is(page, "**/benchmark?*view=live*"))
    settled(page)
    cancel = page.get_by_role("button", name="Cancel")
    heading = page.get_by_test_id("stHeading").first
    press(cancel, lambda: expect(heading).not_to_contain_text("running", timeout=LOOK_MS))

    page.go_back()

    expect(requests).to_have_value("3")
    expect(launch).to_be_enabled()
    assert re.search(r"/benchmark$", page.url)
