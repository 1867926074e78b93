"""What is wrong with an endpoint is said in a sentence with the next step, and hostile words stay words."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.house_servers import refusing
from tests.browser.steps import add_configuration, add_endpoint, launch, wait_for_state
from tests.running_app import free_port


def test_a_refused_connection_is_explained(app, visitor):
    port = free_port()

    page = add_endpoint(visitor, app.address, "nobody home", f"http://127.0.0.1:{port}/v1")

    expect(page.get_by_text("refused").first).to_be_visible()
    expect(page.get_by_text("Next:").first).to_be_visible()


def test_a_refused_key_is_a_sign_in_problem_with_the_servers_sentence(app, visitor):
    with refusing(401, "Incorrect API key provided.", open_list=False) as server:
        page = add_endpoint(visitor, app.address, "locked", server.base_url)

    expect(page.get_by_text("401: the server wants a key").first).to_be_visible()
    expect(page.get_by_text("Incorrect API key provided").first).to_be_visible()
    expect(page.get_by_text("secrets.toml").first).to_be_visible()


def test_a_wrong_model_is_explained_with_the_models_that_exist(app, visitor):
    with refusing(404, "The model `gone` does not exist.") as server:
        add_endpoint(visitor, app.address, "other models", server.base_url)
        page = visitor.goto(f"{app.address}/benchmark")
        add_configuration(page, "other models", "gone", "a wrong name")
        launch(page, requests=1, level="1")
        wait_for_state(page, "failed")

        expect(page.get_by_text("does not exist").first).to_be_visible()
        expect(page.get_by_text("house-model").first).to_be_visible()


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1)) **bold** :material/bug_report: $x^2$",
    "<script>alert(1)</script>",
]


# All in one name first; by hand each alone, too, where none can hide behind another.
@pytest.mark.parametrize("name", [" ".join(HOSTILE), *(pytest.param(one, marks=pytest.mark.long) for one in HOSTILE)])
def test_a_hostile_name_and_a_hostile_error_stay_words(app, visitor, name):
    page = visitor.page
    page.on("dialog", lambda dialog: pytest.fail(f"A script ran: {dialog.message}"))
    with refusing(400, name, model=name) as server:
        add_endpoint(visitor, app.address, name, server.base_url)

    # The joiner keeps icons and links from forming.
    as_words = re.compile("\N{WORD JOINER}?".join(map(re.escape, name)))
    main = page.get_by_test_id("stMainBlockContainer")
    expect(main.get_by_test_id("stMarkdownContainer").filter(has_text=as_words).first).to_be_visible()
    assert main.locator("img[src=x], a[href^='javascript']").count() == 0
    assert [words for words in main.locator("script").all_text_contents() if "alert" in words] == []
    visitor.goto(f"{app.address}/benchmark")
    assert page.locator("img[src=x], a[href^='javascript']").count() == 0
