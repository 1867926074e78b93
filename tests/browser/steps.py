"""What a person does on the pages, in their words: adds an endpoint, plans a benchmark, waits for an end."""

import re

from playwright.sync_api import Locator, Page, expect

from core import runfile
from core.run import Run
from tests.browser.conftest import Visitor, settled

RUN_MS = 300_000  # how long a short run may take on a loaded machine


def add_endpoint(visitor: Visitor, address: str, name: str, base_url: str) -> Page:
    """Add an endpoint on its page, which probes it, and wait for the outcome."""
    page = visitor.goto(f"{address}/endpoints")
    page.get_by_role("button", name="Add endpoint").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name", exact=True).fill(name)
    dialog.get_by_role("textbox", name="Base URL").fill(base_url)
    dialog.get_by_role("textbox", name="Base URL").press("Tab")
    dialog.get_by_role("button", name="Save and probe").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text(re.compile("· probed "))).to_be_visible()
    return page


def add_configuration(page: Page, endpoint: str, model: str, label: str) -> None:
    """Add a configuration on the benchmark page, which ticks it."""
    page.get_by_role("button", name="Add configuration").click()
    dialog = page.get_by_role("dialog")
    choose(page, dialog.get_by_role("combobox", name="Endpoint"), endpoint)
    choose(page, dialog.get_by_role("combobox", name="Model"), model)
    dialog.get_by_role("textbox", name="Label").fill(label)
    dialog.get_by_role("textbox", name="Label").press("Tab")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)


def choose(page: Page, box: Locator, wanted: str) -> None:
    """Type into a select box and take what it offers, while nothing is drawn: a redraw closes the box."""
    settled(page)
    box.click()
    box.fill(wanted)
    expect(page.get_by_role("option").filter(has_text=wanted).first).to_be_visible()
    box.press("Enter")
    settled(page)


def launch(page: Page, *, requests: int, level: str) -> str:
    """Ask for one level with so many requests, launch, and give back the address of the live view."""
    page.get_by_role("spinbutton", name="Requests a level").fill(str(requests))
    page.get_by_role("spinbutton", name="Requests a level").press("Tab")
    for pill in ("1", "4", "16"):
        chosen = page.get_by_role("button", name=pill, exact=True)
        if (chosen.get_attribute("aria-pressed") == "true") != (pill == level):
            chosen.click()
    page.get_by_role("button", name="Launch").click()
    page.wait_for_url("**/benchmark?*view=live*")
    return page.url


def wait_for_state(page: Page, state: str) -> None:
    """Wait until the live view's badge says how it ended, and the view stands still."""
    badge = page.get_by_test_id("stMainBlockContainer").get_by_text(state, exact=True).first
    expect(badge).to_be_visible(timeout=RUN_MS)
    page.wait_for_timeout(1500)  # longer than the view's tick: what is drawn from here on stays
    settled(page)


def compared_values(page: Page, metric: str) -> list[float]:
    """The row of a metric in the compare page's table: one value a configuration, the baseline first."""
    row = page.get_by_role("row").filter(has_text=metric).first
    expect(row).to_be_visible()
    cells = [cell.replace(",", "").strip() for cell in row.get_by_role("cell").all_inner_texts()[1:]]
    return [float(cell) for cell in cells if re.fullmatch(r"[\d.]+", cell)]


def exported(page: Page) -> list[Run]:
    """The runs behind the compare page, from the file that its export gives."""
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Run file of all runs").click()
    return runfile.read(download.value.path())


def tick_row(page: Page, row: int) -> None:
    """Tick a row of the first table, which is drawn on a canvas."""
    settled(page)
    page.get_by_test_id("stDataFrame").first.locator(".dvn-scroller").click(position={"x": 15, "y": 55 + 31 * row})
    settled(page)
