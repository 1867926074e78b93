"""What a popover opens or saves is not hidden behind it, in a narrow window either."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.hands import LOOK_MS, press, tick_row, write


@pytest.fixture(scope="module")
def app(measured_app):
    """The app on a database with one ended run."""
    return measured_app


def popover(page: Page) -> Locator:
    """What is open."""
    return page.get_by_test_id("stPopoverBody")


def seen(what: Locator):
    """That it is there."""
    return lambda: expect(what).to_be_visible(timeout=LOOK_MS)


def test_the_name_that_is_saved_is_seen_at_once(app, visitors):
    page = visitors(width=900).goto(f"{app.address}/run?run={app.run}")
    name = page.get_by_role("textbox", name="Name", exact=True)
    press(page.get_by_role("button", name="Name and notes"), seen(name))
    write(name, "Nightly")

    press(page.get_by_role("button", name="Save"), lambda: expect(popover(page)).to_have_count(0, timeout=LOOK_MS))

    expect(page.get_by_test_id("stHeading").first).to_contain_text("Nightly")


def test_the_question_before_runs_are_deleted_is_not_covered_by_the_menu_that_asks_it(app, visitors):
    page = visitors(width=900).goto(f"{app.address}/runs")
    tick_row(page, 0)
    delete, question = page.get_by_role("button", name="Delete 1"), page.get_by_text("will be gone for good")
    press(page.get_by_role("button", name="More"), seen(delete))
    press(delete, seen(question))

    expect(popover(page)).to_have_count(0)
    go = page.get_by_role("dialog").get_by_role("button", name="Delete")
    press(go, lambda: expect(page.get_by_text("No runs yet")).to_be_visible(timeout=LOOK_MS))
