"""Try it: one prompt to several endpoints, its answers side by side."""

from core.plan import Endpoint
from pages.parts.trying import Attempt
from tests.pages.probes import probed
from tests.pages.seen import HOSTILE, button, words

PATIENCE_S = 120  # a loaded machine


def choose(page, *names):
    next(found for found in page.multiselect if found.key == "try_endpoints").set_value(list(names))
    page.run()
    assert not page.exception
    return page


def ask(page, services):
    button(page, "Ask").click()
    page.run()
    assert services.background.wait(PATIENCE_S)
    page.run()
    assert not page.exception
    return words(page).replace("\\", "")


def keep(services, name):
    services.library.save_endpoint(Endpoint(name=name, base_url="http://127.0.0.1:1/v1"))
    services.library.save_probe(name, probed(endpoint_name=name).to_dict())


def test_a_simulator_and_an_endpoint_that_is_not_there_are_shown_side_by_side(services, opened):
    keep(services, "nobody")
    page = choose(opened("endpoints"), "Simulated", "nobody")
    page.number_input(key="try_tokens").set_value(8)

    shown = ask(page, services)

    assert "**Simulated: gt-ttft50000-itl10000**" in shown
    assert "8 tokens" in shown
    assert "**nobody: qwen**" in shown
    assert "refused" in shown
    assert "Stop" not in [found.label for found in page.button]


def test_nothing_can_be_asked_without_a_model(services, opened):
    services.library.save_endpoint(Endpoint(name="lab", base_url="http://127.0.0.1:1/v1"))

    page = choose(opened("endpoints"), "lab")

    assert button(page, "Ask").disabled
    assert "a model for each" in button(page, "Ask").help


def test_it_begins_with_an_endpoint_that_answered_its_probe(services, opened):
    keep(services, "lab")

    chosen = next(found for found in opened("endpoints").multiselect if found.key == "try_endpoints")

    assert chosen.value == ["lab"]


def test_a_hostile_name_stays_words(services, opened):
    keep(services, HOSTILE)

    page = choose(opened("endpoints"), HOSTILE)
    ask(page, services)

    assert not [box.label for box in page.selectbox if HOSTILE in box.label]
    assert not [text.value for text in page.markdown if HOSTILE in text.value and "`" not in text.value]


def test_an_attempt_whose_server_is_not_up_yet_shows_nothing(services):
    attempt = Attempt(labels=("a",), job_name="try nobody")

    assert services.background.find("try nobody") is None
    assert (attempt.job, attempt.trial, attempt.going) == (None, None, False)
