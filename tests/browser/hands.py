"""What hands do to one widget: act, look whether the page shows what was meant, and act again where it does not.

A redraw may close a list, take a press or put a value back at any moment, so no act is believed before its outcome
is seen, and none depends on the moment at which the page looked still. Knows no page.
"""

from collections.abc import Callable

from playwright.sync_api import Error, Locator, Page, expect

from tests.browser.conftest import settled

TRIES = 8
LOOK_MS = 5_000  # how long the outcome of one act may take to show before the act is repeated
FAULTS = (AssertionError, Error)


def until(seen: Callable[[], object], act: Callable[[], object]) -> None:
    """Act until the outcome is seen. What was missing at the last look is the error, the last act's fault its cause."""
    fault: Exception | None = None
    for left in reversed(range(TRIES)):
        try:
            act()
        except FAULTS as caught:
            fault = caught
        try:
            seen()
        except FAULTS as missing:
            if not left:
                raise missing from fault
        else:
            return


def press(button: Locator, seen: Callable[[], object]) -> None:
    """Press a button, again only while the page is at rest and the outcome cannot be seen: nothing is done twice."""

    def act() -> None:
        settled(button.page)
        button.click(timeout=LOOK_MS)

    until(seen, act)


def unfold(title: Locator, inside: Locator) -> None:
    """Open what is folded under a title; while it is open no press is made, which would fold it again."""

    def act() -> None:
        settled(title.page)
        if not inside.is_visible():
            title.click(timeout=LOOK_MS)

    until(lambda: expect(inside).to_be_visible(timeout=LOOK_MS), act)


def write(box: Locator, text: str) -> None:
    """Write into a text or number box and leave it; what it shows then is what was taken."""

    def act() -> None:
        if box.input_value(timeout=LOOK_MS) == text:
            return
        box.fill(text, timeout=LOOK_MS)
        box.press("Tab", timeout=LOOK_MS)

    until(lambda: expect(box).to_have_value(text, timeout=LOOK_MS), act)


def choose(box: Locator, wanted: str) -> None:
    """Write into a select box and take what it offers; a box that is left without a choice shows its old value."""
    offered = box.page.get_by_role("option").filter(has_text=wanted).first

    def act() -> None:
        if box.input_value(timeout=LOOK_MS) == wanted:
            return
        box.click(timeout=LOOK_MS)
        box.fill(wanted, timeout=LOOK_MS)
        expect(offered).to_be_visible(timeout=LOOK_MS)
        box.press("Enter", timeout=LOOK_MS)
        box.press("Tab", timeout=LOOK_MS)

    until(lambda: expect(box).to_have_value(wanted, timeout=LOOK_MS), act)


def set_pill(pill: Locator, chosen: bool) -> None:
    """Have a pill chosen or not."""
    wanted = "true" if chosen else "false"

    def act() -> None:
        if pill.get_attribute("aria-pressed", timeout=LOOK_MS) != wanted:
            pill.click(timeout=LOOK_MS)

    until(lambda: expect(pill).to_have_attribute("aria-pressed", wanted, timeout=LOOK_MS), act)


def tick_row(page: Page, row: int) -> None:
    """Tick a row of the first table. It is drawn on a canvas; what it shows stands beside it for screen readers."""
    table = page.get_by_test_id("stDataFrame").first
    drawn = table.locator(f"tr[aria-rowindex='{row + 2}']")

    def act() -> None:
        if drawn.get_attribute("aria-selected", timeout=LOOK_MS) != "true":
            table.locator(".dvn-scroller").click(position={"x": 15, "y": 55 + 31 * row}, timeout=LOOK_MS)

    until(lambda: expect(drawn).to_have_attribute("aria-selected", "true", timeout=LOOK_MS), act)


def url_is(page: Page, pattern: str) -> Callable[[], None]:
    """An outcome: the page has this address, written with `*` for what varies."""
    return lambda: page.wait_for_url(pattern, timeout=LOOK_MS)
