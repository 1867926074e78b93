"""A link to any page works on a server that nobody has visited yet, and shows the same as by clicking."""

import re
import shutil
from collections import deque

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settled
from tests.browser.hands import LOOK_MS, until, url_is
from tests.browser.measured import measure_into
from tests.browser.steps import go
from tests.running_app import RunningApp

# url path -> the page's title in the window
PAGES = {
    "": "Overview",
    "endpoints": "Endpoints",
    "workloads": "Workloads",
    "benchmark": "Benchmark",
    "runs": "Runs",
    "compare": "Compare",
    "glossary": "Glossary",
}
HIDDEN = {"run": "Run"}  # reached from a row, not from the sidebar
SECTIONS = ("Set up", "Measure", "Decide", "Reference")
PASSING = re.compile(r"\b(?:just now|\d+ (?:s|min|h) ago)\b")  # what differs from one moment to the next


@pytest.fixture(scope="module")
def cold_apps(tmp_path_factory, cache):
    """Gives apps that nobody has visited, each on a database with one ended run; the next one starts meanwhile."""
    file = tmp_path_factory.mktemp("measured") / "paceline.duckdb"
    run = measure_into(file)
    started: deque[RunningApp] = deque()

    def start() -> None:
        folder = tmp_path_factory.mktemp("cold")
        shutil.copy(file, folder)
        started.append(RunningApp(folder, PACELINE_CACHE=str(cache)))

    def take() -> tuple[RunningApp, str]:
        start()
        return started.popleft(), run

    start()
    yield take
    for left in started:
        left.kill()


def sidebar(page: Page) -> str:
    """The words of the sidebar."""
    expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(len(PAGES))
    return page.get_by_test_id("stSidebarNav").inner_text()


def shown(page: Page) -> str:
    """All that the page says, its tables that are drawn on a canvas too."""
    settled(page)
    main = page.get_by_test_id("stMainBlockContainer")
    cells = main.locator("canvas td").all_text_contents()
    return PASSING.sub("a while ago", " ".join([*main.inner_text().split(), *cells]))


def click_to(page: Page, path: str) -> None:
    """Reach a page as a person does who has no link."""
    if path in HIDDEN:
        go(page, "Runs")
        name = page.get_by_test_id("stDataFrame").locator(".dvn-scroller")
        until(url_is(page, "**/run?run=*"), lambda: name.click(position={"x": 130, "y": 55}, timeout=LOOK_MS))
        return
    go(page, "Overview" if path else "Glossary")
    go(page, PAGES[path])


# All go by the same code: half of them are walked by hand.
BY_HAND = {"endpoints", "workloads", "runs", "glossary"}


@pytest.mark.parametrize(
    "path", [pytest.param(path, marks=[pytest.mark.long] * (path in BY_HAND)) for path in PAGES | HIDDEN]
)
def test_a_cold_deep_link_shows_our_sections_and_what_clicking_shows(cold_apps, visitors, path):
    starting, run = cold_apps()
    with starting as cold:
        page = visitors().goto(f"{cold.address}/{path}" + (f"?run={run}" if path in HIDDEN else ""))
        expect(page).to_have_title((PAGES | HIDDEN)[path])
        words = sidebar(page)

        clicking = visitors().goto(cold.address + ("" if path else "/glossary"))
        click_to(clicking, path)
        expect(clicking).to_have_title((PAGES | HIDDEN)[path])

        def same() -> None:
            linked, clicked = shown(page), shown(clicking)
            assert len(linked) > 100
            assert clicked == linked

        until(same, lambda: None)  # tables on a canvas tell a little later what they show
    assert [section for section in SECTIONS if section not in words] == []
