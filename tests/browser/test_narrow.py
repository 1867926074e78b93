"""In a window of 900 px no page scrolls sideways, and no control is cut off or out of reach."""

import pytest

WIDTH = 900
PAGES = (
    "", "endpoints", "workloads", "benchmark", "benchmark?view=live", "runs", "run?run={run}", "compare?runs={run}",
    "glossary",
)  # fmt: skip
CONTROLS = "button, input, textarea, a, summary, [role=tab], [role=combobox], [role=slider], [role=switch]"
# What lies outside the window or outside of a box that hides its overflow, and words that do not fit their control.
FAULTS = """(controls) => {
    const found = [];
    const main = document.querySelector("[data-testid=stMain]");
    for (const box of [document.scrollingElement, main, main.querySelector("[data-testid=stMainBlockContainer]")]) {
        if (box.scrollWidth > box.clientWidth) {
            found.push(`${box.dataset.testid ?? "the window"} scrolls: ${box.scrollWidth} > ${box.clientWidth}`);
        }
    }
    const drawn = (one) => {
        const {width, height} = one.getBoundingClientRect();
        return width > 1 && height > 1 && one.checkVisibility({opacityProperty: true, visibilityProperty: true});
    };
    for (const one of document.querySelectorAll(controls)) {
        const control = one.matches("[type=checkbox], [type=radio]") ? one.closest("label") : one; // itself is hidden
        if (!drawn(control) || control.closest("[data-testid=stDataFrame]")) continue;
        const at = control.getBoundingClientRect();
        const name = `${control.tagName} "${control.ariaLabel ?? control.innerText ?? control.value}"`;
        if (at.left < -1 || at.right > innerWidth + 1) found.push(`${name} is outside the window`);
        for (let box = control.parentElement; box && box !== document.body; box = box.parentElement) {
            if (getComputedStyle(box).overflowX === "visible") continue;
            const edge = box.getBoundingClientRect();
            if (at.left < edge.left - 1 || at.right > edge.right + 1) {
                found.push(`${name} is cut off by ${box.dataset.testid ?? box.className}`);
                break;
            }
        }
        const words = control.matches("button, [role=tab]") ? [control, ...control.querySelectorAll("*")] : [];
        for (const one of words) {
            if (getComputedStyle(one).overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1) {
                found.push(`${name} cuts its words off`);
                break;
            }
        }
    }
    return found;
}"""


@pytest.fixture(scope="module")
def app(measured_app):
    """The app on a database with one ended run."""
    return measured_app


def test_nothing_is_cut_off_at_900_px(app, visitors):
    reader, found = visitors(width=WIDTH), {}

    for path in PAGES:
        page = reader.goto(f"{app.address}/{path.format(run=app.run)}")
        assert page.locator(CONTROLS).count() > 5
        found |= {f"{path}: {fault}": path for fault in page.evaluate(FAULTS, CONTROLS)}

    assert not found


def test_what_is_cut_off_is_found(app, visitors):
    page = visitors(width=WIDTH).goto(f"{app.address}/benchmark")
    launch = page.get_by_role("button", name="Launch")
    launch.evaluate("one => { one.style.cssText += '; position: relative; left: 300px; width: 400px' }")
    add = page.get_by_role("button", name="Add configuration")
    add.evaluate("one => { one.style.cssText += '; width: 60px; overflow: hidden; white-space: nowrap' }")

    found = " ".join(page.evaluate(FAULTS, CONTROLS))

    assert "Launch" in found
    assert "Add configuration" in found
    assert "cuts its words off" in found
