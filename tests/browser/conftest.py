"""A real Chromium and the real app for the tests of this folder. A console error that nobody knows fails the test."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.measured import measure_into
from tests.running_app import RunningApp

ROOT = Path(__file__).parents[2]
WAIT_MS = 30_000  # how long the page may take on a loaded machine
# A deep link makes Streamlit's frontend look for its server below the page's path first.
KNOWN = re.compile(r"404.*/(?:_stcore/health|_stcore/host-config)$")

QUIET_MS = 200
# The app's own word for it comes before the last widgets are fetched and drawn, and an act is sent a moment later.
AT_REST = """(quiet) => {
    const app = document.querySelector("[data-testid=stApp]");
    window.changedAt ??= performance.now();
    if (!window.changes) {
        window.changes = new MutationObserver(() => { window.changedAt = performance.now(); });
        window.changes.observe(document.body, {subtree: true, childList: true, characterData: true});
    }
    const unfinished = document.querySelector("[data-stale=true], [data-testid=stSkeleton]");
    if (app?.dataset.testScriptState !== "notRunning" || unfinished) {
        window.changedAt = performance.now();
    }
    return performance.now() - window.changedAt >= quiet;
}"""
# What the page sends leaves so much later, as over a long line: another act can come before the redraw of the last one.
LONG_LINE = """{
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (data) { setTimeout(() => send.call(this, data), DELAY_MS); };
}"""

expect.set_options(timeout=WAIT_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs Chromium."""
    for item in items:
        if Path(item.path).is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def chromium():
    """Chromium, started once a file. Without one these tests fail and say how to get it.

    It ends with the file: while Playwright lives its event loop is the thread's, and no async test can run.
    """
    path = os.environ.get("PACELINE_BROWSER")
    if not path:
        found = subprocess.run(
            [sys.executable, str(ROOT / ".ci" / "browser.py")], stdout=subprocess.PIPE, text=True, check=False
        )
        assert found.returncode == 0, "No browser: see above."
        path = found.stdout.strip()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def cache(model_cache) -> Path:
    """Where the app makes the demo's model files at their first use; the tests of the engine take them over."""
    return model_cache


@pytest.fixture(scope="module")
def app(tmp_path_factory, cache):
    """The app of one test file."""
    with RunningApp(tmp_path_factory.mktemp("app"), PACELINE_CACHE=str(cache)) as running:
        yield running


@pytest.fixture(scope="module")
def measured_app(tmp_path_factory, cache):
    """The app on a database with one ended run, whose id it carries."""
    folder = tmp_path_factory.mktemp("app")
    run = measure_into(folder / "paceline.duckdb")
    with RunningApp(folder, PACELINE_CACHE=str(cache)) as running:
        running.run = run
        yield running


class Visitor:
    """One browser of one person: pages opened in it, and what its console complained about."""

    def __init__(self, browser: Browser, width: int = 1440, height: int = 900, line_ms: int = 0) -> None:
        """A fresh context: no cookies, no session; `line_ms` is how long what it sends is under way."""
        self.context: BrowserContext = browser.new_context(viewport={"width": width, "height": height})
        self.context.set_default_timeout(WAIT_MS)
        if line_ms:
            self.context.add_init_script(LONG_LINE.replace("DELAY_MS", str(line_ms)))
        self.complaints: list[str] = []
        self.page = self.open_tab()

    def open_tab(self) -> Page:
        """One more tab."""
        page = self.context.new_page()
        page.on("console", lambda message: self.complain(f"{message.type}: {message.text} {message.location['url']}"))
        page.on("pageerror", lambda fault: self.complain(f"error: {fault}"))
        return page

    def complain(self, line: str) -> None:
        """Keep an error, unless it is one of the two known ones."""
        if line.startswith("error") and not KNOWN.search(line):
            self.complaints.append(line)

    def leave(self) -> None:
        """Close the browser; that its server has gone is nothing to complain about."""
        self.context.close()
        self.complaints.clear()

    def goto(self, address: str) -> Page:
        """Open an address and wait until the page has drawn."""
        self.page.goto(address)
        settled(self.page)
        return self.page


def settled(page: Page) -> None:
    """Wait until the page has drawn and stands still for a while; one whose fragment repeats does between two repeats.

    Even so a redraw may come after this has looked: see to outcomes with `hands`.
    """
    expect(page.get_by_test_id("stHeading").first).to_be_visible()
    page.evaluate("window.changedAt = performance.now()")
    page.wait_for_function(AT_REST, arg=QUIET_MS, polling=40, timeout=WAIT_MS)


@pytest.fixture
def visitors(chromium):
    """Makes visitors; at the end none of them may have seen an error in the console."""
    made: list[Visitor] = []

    def make(**kind: int) -> Visitor:
        made.append(Visitor(chromium, **kind))
        return made[-1]

    yield make
    complaints = [line for visitor in made for line in visitor.complaints]
    for visitor in made:
        visitor.context.close()
    assert complaints == []


@pytest.fixture
def visitor(visitors):
    """One visitor."""
    return visitors()
