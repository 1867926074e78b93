"""Where links lead: the page, and what its address says after it. Drawn as in the app, where links are Streamlit's."""

from urllib.parse import parse_qs, urlencode

import pytest

from core.plan import Configuration, Endpoint, Experiment, RunPlan
from core.run import RunState
from pages.parts import links
from tests.core.answering_server import AnsweringServer
from tests.pages.seen import words


def led(page):
    """Every link of a page by its label: the page it leads to, and its query."""
    return {
        found.proto.label: (found.proto.page, {k: v[0] for k, v in parse_qs(found.proto.query_string).items()})
        for found in page.get("page_link")
    }


@pytest.fixture
def two(put):
    """A launch that compares two configurations."""
    put("r1", label="F16", level=1, tpot=0.025)
    put("r2", label="Q4_0", level=1, tpot=0.01, slot=1)
    put("r3", label="Q4_0", level=4, tpot=0.02, slot=1)


@pytest.mark.usefixtures("two")
def test_the_last_verdict_leads_to_the_comparison_of_its_runs(opened):
    page, query = led(opened("overview", alone=False))["Open comparison"]

    assert page == "compare"
    assert set(query) == {"runs"}
    assert set(query["runs"].split(",")) == {"r1", "r2", "r3"}


@pytest.mark.usefixtures("two")
def test_a_level_behind_a_comparison_leads_to_its_run(opened):
    found = opened("compare", alone=False, runs="r1,r2,r3").get("page_link")
    led_to = [(one.proto.label, one.proto.page, one.proto.query_string) for one in found]

    assert [one for one in led_to if one[1] == "run"] == [
        ("1 in flight", "run", "run=r1"), ("1 in flight", "run", "run=r2"), ("4 in flight", "run", "run=r3"),
    ]  # fmt: skip


def test_a_run_that_goes_on_leads_to_the_live_view(put, opened):
    put("r1", state=RunState.RUNNING)

    assert led(opened("run", alone=False, run="r1"))["Watch live"] == ("benchmark", {"view": "live"})


def test_what_runs_now_leads_to_its_own_live_view(services, opened):
    with AnsweringServer({"*": lambda _: [60.0]}) as silent:
        endpoint = Endpoint(name="silent", base_url=silent.base_url)
        plan = RunPlan(configuration=Configuration(id="c", label="c", endpoint=endpoint, model="m"))
        launched = services.registry.launch(Experiment(id="now", name="now", plans=(plan,)))

        found = led(opened("overview", alone=False))
        services.registry.cancel(launched)

    assert found["Watch live"] == ("benchmark", {"view": "live", "experiment": launched})


@pytest.mark.usefixtures("services")
def test_the_three_steps_lead_to_their_pages_and_to_nothing_of_them(opened):
    found = led(opened("overview", alone=False))

    assert {label: found[label] for label in ("Endpoints", "Benchmark", "Compare")} == {
        "Endpoints": ("endpoints", {}), "Benchmark": ("benchmark", {}), "Compare": ("compare", {}),
    }  # fmt: skip


def test_where_a_page_is_drawn_alone_its_links_are_addresses(put, opened):
    put("r1", state=RunState.RUNNING)

    assert "[Watch live](/benchmark?view=live)" in words(opened("run", run="r1"))
    assert "[All runs](/runs)" in words(opened("run", run="none"))


def test_what_an_address_says_is_escaped():
    assert links.address("compare", {"runs": "a b&c,d"}) == "/compare?" + urlencode({"runs": "a b&c,d"})
    assert links.address("overview", {}) == "/"
