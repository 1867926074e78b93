"""Over a long line a widget is redrawn while the next one is used already: nothing of what was meant is lost."""

import pytest
from playwright.sync_api import expect

from core.plan import Endpoint
from storage.database import Database
from storage.library import Library
from tests.browser.house_servers import refusing
from tests.browser.steps import add_configuration, add_endpoint, launch
from tests.running_app import RunningApp

LINE_MS = 700  # far longer than it takes to go from one box to the next


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """The app with an endpoint that a new configuration begins with: another one must be chosen."""
    folder = tmp_path_factory.mktemp("app")
    database = Database.open(folder / "paceline.duckdb")
    Library(database).save_endpoint(Endpoint(name="a nearer one", base_url="http://127.0.0.1:9/v1"))
    database.close()
    with RunningApp(folder) as running:
        yield running


def test_a_model_named_while_the_endpoint_s_own_is_on_its_way_is_the_one_that_is_asked(app, visitors):
    visitor = visitors(line_ms=LINE_MS)
    with refusing(404, "no such thing") as server:
        add_endpoint(visitor, app.address, "far away", server.base_url)
        page = visitor.goto(f"{app.address}/benchmark")

        add_configuration(page, "far away", "named by hand", "over a long line")
        expect(page.get_by_text("named by hand", exact=True).first).to_be_attached()
        launch(page, requests=3, level="2")
