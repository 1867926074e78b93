"""The built-in comparison from one click to the compare page, watched, reloaded and left alone on the way."""

import pytest
from playwright.sync_api import expect

from core.summary import summarise
from tests.browser.conftest import Visitor
from tests.browser.hands import press, url_is
from tests.browser.steps import card, compared_values, exported, go, wait_for_state
from tests.running_app import RunningApp

VARIANTS = ("Q4_0", "Q8_0", "F16")


@pytest.fixture(scope="module")
def app(tmp_path_factory, cache):
    """The app with the comparison of half a minute."""
    folder = tmp_path_factory.mktemp("app")
    with RunningApp(folder, PACELINE_CACHE=str(cache), PACELINE_BUILTIN="short") as running:
        yield running


@pytest.fixture(scope="module")
def live(app, chromium):
    """The address of the comparison under way, started with the one button; its browser is closed at once."""
    visitor = Visitor(chromium)
    page = visitor.goto(app.address)
    press(page.get_by_role("button", name="Run built-in comparison").first, url_is(page, "**/benchmark?*view=live*"))
    address = page.url
    visitor.context.close()
    assert visitor.complaints == []
    return address


def test_a_reload_in_mid_run_shows_the_run_going_on(live, visitor):
    page = visitor.goto(live)
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()

    page.reload()

    expect(page.get_by_text("Built-in comparison").first).to_be_visible()
    expect(page.get_by_test_id("stHeading").first).to_contain_text("running")
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()


def test_two_browsers_watch_the_same_run(live, visitors):
    first, second = visitors().goto(live), visitors(width=900).goto(live)

    for page in (first, second):
        expect(card(page, "Runs")).to_contain_text("/ 6")
        for variant in VARIANTS:
            expect(page.get_by_text(f"SmolLM2-135M {variant}").first).to_be_visible()


@pytest.mark.usefixtures("live")
def test_a_page_change_does_not_disturb_the_run(app, visitor):
    page = visitor.goto(f"{app.address}/glossary")
    go(page, "Benchmark")
    press(page.get_by_role("button", name="Watch live"), url_is(page, "**/benchmark?*view=live*"))

    expect(page.get_by_text("Built-in comparison").first).to_be_visible()
    expect(page.get_by_text("failed", exact=True)).to_have_count(0)


def test_the_compare_page_shows_the_numbers_that_were_measured(live, visitor):
    page = visitor.goto(live)
    wait_for_state(page, "completed")
    expect(card(page, "Runs")).to_contain_text("6 / 6")

    press(page.get_by_role("button", name="Compare"), url_is(page, "**/compare?*runs=*"))

    expect(page).to_have_title("Compare")
    shown = compared_values(page, "TTFT p50")
    measured = {run.plan.configuration.variant: run for run in exported(page) if run.plan.load.concurrency == 4}
    assert set(measured) == set(VARIANTS)
    for variant, value in zip(VARIANTS, shown, strict=True):
        ttft = summarise(measured[variant].requests).distributions["ttft_s"]
        assert value == pytest.approx(ttft.p50 * 1000, rel=0.01)
