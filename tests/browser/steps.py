"""What a person does on the pages, in their words: adds an endpoint, plans a benchmark, waits for an end."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, expect

from core import runfile
from core.run import Run
from tests.browser.conftest import Visitor, settled
from tests.browser.hands import LOOK_MS, choose, press, set_pill, until, url_is, write

RUN_MS = 300_000  # how long a short run may take on a loaded machine
LEVELS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def add_endpoint(visitor: Visitor, address: str, name: str, base_url: str) -> Page:
    """Add an endpoint on its page, which probes it, and wait for the outcome."""
    page = visitor.goto(f"{address}/endpoints")
    dialog = page.get_by_role("dialog")
    press(page.get_by_role("button", name="Add endpoint"), lambda: expect(dialog).to_be_visible(timeout=LOOK_MS))
    write(dialog.get_by_role("textbox", name="Name", exact=True), name)
    write(dialog.get_by_role("textbox", name="Base URL"), base_url)
    expect(dialog.get_by_text(f"{base_url}/chat/completions")).to_be_visible()  # the app has read it
    press(dialog.get_by_role("button", name="Save and probe"), lambda: expect(dialog).to_have_count(0, timeout=LOOK_MS))
    probed = re.compile(re.escape(urlsplit(base_url).netloc) + ".*· probed ")
    expect(page.get_by_text(probed).first).to_be_visible()
    return page


def add_configuration(page: Page, endpoint: str, model: str, label: str) -> None:
    """Add a configuration on the benchmark page, which ticks it."""
    dialog = page.get_by_role("dialog")
    press(page.get_by_role("button", name="Add configuration"), lambda: expect(dialog).to_be_visible(timeout=LOOK_MS))
    wanted = (
        (choose, dialog.get_by_role("combobox", name="Endpoint"), endpoint),
        (choose, dialog.get_by_role("combobox", name="Model"), model),
        (write, dialog.get_by_role("textbox", name="Label"), label),
    )

    def fill_in() -> None:
        for put, box, value in wanted:
            put(box, value)

    def filled_in() -> None:
        settled(page)  # the choice of an endpoint puts its own model into the next box
        for _, box, value in wanted:
            expect(box).to_have_value(value, timeout=LOOK_MS)

    until(filled_in, fill_in)
    press(dialog.get_by_role("button", name="Save"), lambda: expect(dialog).to_have_count(0, timeout=LOOK_MS))
    expect(page.get_by_text(label, exact=True).first).to_be_attached()  # a cell of a table that is drawn on a canvas
    expect(page.get_by_text(model, exact=True).first).to_be_attached()


def launch(page: Page, *, requests: int, level: str) -> str:
    """Ask for one level with so many requests, launch, and give back the address of the live view."""
    warm_up = int(page.get_by_role("spinbutton", name="Warm-up requests").input_value())
    forecast = page.get_by_test_id("stMetric").filter(has_text="Requests").get_by_test_id("stMetricValue")

    def plan() -> None:
        write(page.get_by_role("spinbutton", name="Requests a level"), str(requests))
        for one in LEVELS:
            set_pill(page.get_by_role("button", name=str(one), exact=True), str(one) == level)

    until(lambda: expect(forecast).to_have_text(f"{requests + warm_up:,}", timeout=LOOK_MS), plan)
    press(page.get_by_role("button", name="Launch"), url_is(page, "**/benchmark?*view=live*"))
    return page.url


def wait_for_state(page: Page, state: str) -> None:
    """Wait until the live view's head says how it ended; it is drawn with the whole page, for the last time."""
    expect(page.get_by_test_id("stHeading").first).to_contain_text(state, timeout=RUN_MS)
    settled(page)


def card(page: Page, title: str) -> Locator:
    """The metric card of exactly this title; other cards may hold the same words in their notes."""
    label = page.get_by_test_id("stMetricLabel").get_by_text(title, exact=True)
    return page.get_by_test_id("stMetric").filter(has=label)


def go(page: Page, title: str) -> None:
    """Open a page from the sidebar."""
    link = page.get_by_test_id("stSidebarNavLink").filter(has_text=title).first
    until(lambda: expect(page).to_have_title(title, timeout=LOOK_MS), lambda: link.click(timeout=LOOK_MS))


def compared_values(page: Page, metric: str) -> list[float]:
    """The row of a metric in the compare page's table: one value a configuration, the baseline first."""
    row = page.get_by_role("row").filter(has_text=metric).first
    expect(row).to_be_visible()
    cells = [cell.replace(",", "").strip() for cell in row.get_by_role("cell").all_inner_texts()[1:]]
    return [float(cell) for cell in cells if re.fullmatch(r"[\d.]+", cell)]


def exported(page: Page) -> list[Run]:
    """The runs behind the compare page, from the file that its export gives."""
    file = page.get_by_role("button", name="Run file of all runs")
    press(page.get_by_role("button", name="Export"), lambda: expect(file).to_be_visible(timeout=LOOK_MS))
    got: list[Path] = []

    def download() -> None:
        with page.expect_download(timeout=LOOK_MS) as given:
            file.click(timeout=LOOK_MS)
        got.append(given.value.path())

    def arrived() -> None:
        assert got, "No file came."

    until(arrived, download)
    return runfile.read(got[0])
