"""A plan file fills the whole form, whatever the browser tells meanwhile of what the form held before."""

import pytest
from playwright.sync_api import Locator, Page, expect

from core import reproduce
from core.plan import Configuration, Endpoint, Experiment, Load, RunPlan, Workload
from tests.browser.conftest import settled
from tests.browser.hands import LOOK_MS, press
from tests.running_app import RunningApp

FAST = Configuration(id="f", label="fast", endpoint=Endpoint(name="lab", base_url="http://127.0.0.1:1/v1"), model="m")
LOADS = 6
# Every press says once more what the whole form holds. The ticks of a page's repeating parts do it too, but rarely
# in the very moment; so many presses in one go are as good as a tick in each of them.
MANY = "(button) => { for (let n = 0; n < 12; n++) setTimeout(() => button.click(), 15 * n); }"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """The app with nothing in it."""
    with RunningApp(tmp_path_factory.mktemp("app")) as running:
        yield running


def plan_file(requests: int) -> bytes:
    """A plan that differs from the form's first values and from every other one."""
    plan = RunPlan(
        configuration=FAST,
        workload=Workload(input_tokens=requests + 1, output_tokens=requests + 2),
        load=Load(concurrency=2, requests=requests),
    )
    return reproduce.plan_file((plan,), Experiment(id="e", name="e", plans=(plan,)))


def opened(page: Page) -> Locator:
    """The dialog that takes a plan file."""
    offer, dialog = page.get_by_text("Paste or upload"), page.get_by_role("dialog")
    press(page.get_by_role("button", name="Load a plan"), lambda: expect(offer).to_be_visible(timeout=LOOK_MS))
    offer.click()
    expect(dialog.get_by_role("button", name="Load", exact=True)).to_be_visible()
    return dialog


def pick(dialog: Locator, requests: int) -> None:
    """Choose the file, as a person does, without waiting for it to arrive."""
    file = {"name": "plan.json", "mimeType": "application/json", "buffer": plan_file(requests)}
    dialog.locator("input[type=file]").set_input_files(file)


def holds(page: Page, requests: int) -> None:
    """The form shows this plan, and still does when everything has come to rest."""
    for name, value in (
        ("Requests a level", requests),
        ("Prompt length", requests + 1),
        ("Answer length", requests + 2),
    ):
        expect(page.get_by_role("spinbutton", name=name)).to_have_value(str(value))
    settled(page)
    for name, value in (
        ("Requests a level", requests),
        ("Prompt length", requests + 1),
        ("Answer length", requests + 2),
    ):
        expect(page.get_by_role("spinbutton", name=name)).to_have_value(str(value))


def test_each_of_many_plan_files_fills_the_form_whatever_comes_from_the_browser_meanwhile(app, visitor):
    page = visitor.goto(f"{app.address}/benchmark")
    for requests in range(40, 40 + LOADS):
        dialog = opened(page)
        pick(dialog, requests)
        expect(dialog.get_by_text("plan.json")).to_be_visible()
        settled(page)
        dialog.get_by_role("button", name="Load", exact=True).evaluate(MANY)
        expect(dialog).to_have_count(0)
        holds(page, requests)


def test_a_press_before_the_file_has_arrived_loads_it_when_it_has(app, visitor):
    page = visitor.goto(f"{app.address}/benchmark")
    dialog = opened(page)
    dialog.get_by_role("button", name="Load", exact=True).click()
    expect(dialog.get_by_text("No plan is here yet")).to_be_visible()

    pick(dialog, 77)

    expect(dialog).to_have_count(0)
    holds(page, 77)
