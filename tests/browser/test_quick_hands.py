"""Hands that do not wait for the page: nothing typed into the dialog of a configuration is lost to a redraw."""

import pytest
from playwright.sync_api import expect

from core.plan import Endpoint
from storage.database import Database
from storage.library import Library
from tests.pages.probes import probed
from tests.running_app import RunningApp

LATE_MS, PER_KEY_MS = 600, 60  # so that the redraw comes in the midst of the typing
# As if the server were far or busy: what it sends arrives later, in its order.
LATE = """
const listen = WebSocket.prototype.addEventListener;
WebSocket.prototype.addEventListener = function (kind, hear, ...rest) {
  const late = (event) => setTimeout(() => hear(event), window.lateMs ?? 0);
  return listen.call(this, kind, kind === "message" ? late : hear, ...rest);
};
"""


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """The app with two endpoints that were probed."""
    folder = tmp_path_factory.mktemp("app")
    database = Database.open(folder / "paceline.duckdb")
    library = Library(database)
    for name, models in (("farm", ("apple", "pear")), ("lab", ("qwen", "other"))):
        library.save_endpoint(Endpoint(name=name, base_url="http://127.0.0.1:1/v1"))
        library.save_probe(name, probed(endpoint_name=name, model=models[0], models=models).to_dict())
    database.close()
    with RunningApp(folder) as running:
        yield running


def test_what_is_typed_while_another_field_is_redrawn_is_kept(app, visitor):
    visitor.page.add_init_script(LATE)
    page = visitor.goto(f"{app.address}/benchmark")
    page.get_by_role("button", name="Add configuration").click()
    dialog = page.get_by_role("dialog")
    endpoint, model, label = (
        dialog.get_by_role(kind, name=name)
        for kind, name in (("combobox", "Endpoint"), ("combobox", "Model"), ("textbox", "Label"))
    )
    expect(label).to_be_visible()

    page.evaluate(f"window.lateMs = {LATE_MS}")
    endpoint.click()
    endpoint.fill("lab")
    endpoint.press("Enter")
    model.click()
    model.press_sequentially("a-model-of-my-own", delay=PER_KEY_MS)
    model.press("Enter")
    label.click()
    label.press_sequentially("written at once", delay=PER_KEY_MS)
    dialog.get_by_role("button", name="Save").click()

    expect(dialog).to_have_count(0)
    for written in ("a-model-of-my-own", "written at once", "lab"):
        expect(page.get_by_text(written, exact=True).first).to_be_attached()  # in a table that is drawn on a canvas
