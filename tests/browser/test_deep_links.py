"""A link to any page works on a server that nobody has visited yet, and shows the same as by clicking."""

import pytest
from playwright.sync_api import expect

from tests.running_app import RunningApp

# url path -> the page's title in the window
PAGES = {
    "": "Overview",
    "endpoints": "Endpoints",
    "benchmark": "Benchmark",
    "runs": "Runs",
    "compare": "Compare",
    "glossary": "Glossary",
}
SECTIONS = ("Set up", "Measure", "Decide", "Reference")


def sidebar(page):
    """The links of the sidebar, as text."""
    expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(len(PAGES))
    return [text.strip() for text in page.get_by_test_id("stSidebarNav").all_inner_texts()]


HIDDEN = {"run": "Run"}  # reached from a row, not from the sidebar


@pytest.mark.parametrize("path", PAGES | HIDDEN)
def test_a_cold_deep_link_shows_our_sections_and_the_page(tmp_path, cache, visitor, path):
    with RunningApp(tmp_path, PACELINE_CACHE=str(cache)) as cold:
        page = visitor.goto(f"{cold.address}/{path}")

        expect(page).to_have_title((PAGES | HIDDEN)[path])
        words = " ".join(sidebar(page))

    assert [section for section in SECTIONS if section not in words] == []


def test_clicking_and_linking_show_the_same(app, visitor):
    page = visitor.goto(app.address)
    for path, title in PAGES.items():
        page.get_by_test_id("stSidebarNavLink").filter(has_text=title).click()
        expect(page).to_have_title(title)
        clicked = page.get_by_test_id("stHeading").first.inner_text()

        visitor.goto(f"{app.address}/{path}")

        assert page.get_by_test_id("stHeading").first.inner_text() == clicked
