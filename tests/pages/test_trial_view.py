"""Try it: one prompt to several endpoints, its answers side by side."""

import re
import threading
import time
from contextlib import contextmanager

import pytest
from streamlit.testing.v1 import AppTest

from core.plan import Endpoint
from core.servers.demo import DemoError, DemoServers
from core.tryit import TrialState, TrialView
from pages.parts import endpoint_form, trial_view
from pages.parts.trying import Attempt
from tests.jobs import all_ended
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
    assert all_ended(services.background, PATIENCE_S)
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


def picked(page):
    return next(found for found in page.multiselect if found.key == trial_view.PICKED).value


def test_it_begins_with_the_endpoint_that_is_ticked_until_somebody_chooses_otherwise(services, opened):
    keep(services, "lab")
    keep(services, "gpu")
    page = opened("endpoints")
    ticked = page.dataframe[0].value["Endpoint"][0]
    assert picked(page) == [ticked]

    other = "gpu" if ticked == "lab" else "lab"
    page.session_state[endpoint_form.SELECTED] = other
    page.run()
    assert picked(page) == [other]

    choose(page, "Simulated")
    page.session_state[endpoint_form.SELECTED] = ticked
    page.run()
    assert picked(page) == ["Simulated"]


def test_nothing_can_be_asked_without_a_model(services, opened):
    services.library.save_endpoint(Endpoint(name="lab", base_url="http://127.0.0.1:1/v1"))

    page = choose(opened("endpoints"), "lab")

    assert button(page, "Ask").disabled
    assert "a model for each" in button(page, "Ask").help


def test_models_that_a_probe_listed_are_offered_to_a_page_that_is_open(services, opened):
    services.library.save_endpoint(Endpoint(name="lab", base_url="http://127.0.0.1:1/v1"))
    page = choose(opened("endpoints"), "lab")
    assert button(page, "Ask").disabled

    services.library.save_probe("lab", probed(endpoint_name="lab").to_dict())
    page.run()

    assert not page.exception
    assert next(found for found in page.selectbox if found.key == "try_model_lab").value == "qwen"
    assert not button(page, "Ask").disabled


def test_a_model_that_was_chosen_stays_when_the_endpoint_is_probed_again(services, opened):
    services.library.save_endpoint(Endpoint(name="lab", base_url="http://127.0.0.1:1/v1"))
    both = probed(endpoint_name="lab", models=("qwen", "other"))
    services.library.save_probe("lab", both.to_dict())
    page = choose(opened("endpoints"), "lab")
    next(found for found in page.selectbox if found.key == "try_model_lab").set_value("other").run()

    services.library.save_probe("lab", both.to_dict())
    page.run()

    assert next(found for found in page.selectbox if found.key == "try_model_lab").value == "other"


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


@pytest.fixture
def slow_start(monkeypatch):
    """A built-in server that is being started until `go_on` is set, and then is said not to start."""
    started, go_on = threading.Event(), threading.Event()

    @contextmanager
    def running(_servers, name, *, progress):
        while not go_on.is_set():
            progress(0.5, f"Starting {name}")
            started.set()
            time.sleep(0.01)
        raise DemoError("The built-in server did not start.")
        yield

    monkeypatch.setattr(DemoServers, "running", running)
    yield started, go_on
    go_on.set()


def test_while_the_built_in_server_starts_this_is_said_with_the_time_so_far(services, opened, slow_start):
    started, go_on = slow_start
    page = opened("endpoints")

    button(page, "Ask").click()
    page.run()
    assert started.wait(20)
    page.run()

    assert re.search(r"shimmer\[Starting Q4.*\*\*\d+ s\*\*", words(page))
    assert "all are asked at once" in words(page)
    go_on.set()
    assert all_ended(services.background, 20)
    assert "did not start" in words(page.run())


def test_a_start_can_be_stopped(services, opened, slow_start):
    started, _ = slow_start
    page = opened("endpoints")
    button(page, "Ask").click()
    page.run()
    assert started.wait(20)

    button(page, "Stop").click()
    page.run()
    assert all_ended(services.background, 20)

    assert "Stopped before anything was asked" in words(page.run())
    assert "Stop" not in [found.label for found in page.button]


def view(**values):
    known = dict.fromkeys(("ttft_s", "elapsed_s", "tokens_per_s", "chunks_per_s", "output_tokens"))
    texts = dict.fromkeys(("text", "reasoning", "error_sentence", "note"), "")
    return TrialView(**({"label": "a", "state": TrialState.WAITING, "chunks": 0} | known | texts | values))


def test_a_first_token_that_is_waited_for_is_told_with_the_time_so_far():
    assert "Waiting for the first token" in trial_view._waited(view(elapsed_s=7.2), "9 s")
    assert "**7 s**" in trial_view._waited(view(elapsed_s=7.2), "9 s")
    assert "openai SDK" in trial_view._waited(view(), "9 s")
    assert "**9 s**" in trial_view._waited(view(), "9 s")


def test_an_attempt_whose_server_is_not_up_yet_shows_nothing(services):
    attempt = Attempt(labels=("a",), job_name="try nobody")

    assert services.background.find("try nobody") is None
    assert (attempt.job, attempt.trial, attempt.going) == (None, None, False)


def test_a_speed_says_what_it_counts():
    assert "tokens/s**" in trial_view._speed(view(ttft_s=0.1, output_tokens=9, tokens_per_s=8.26))
    assert "chunks/s**" in trial_view._speed(view(ttft_s=0.1, output_tokens=None, chunks=9, chunks_per_s=8.26))


def held_up():
    """An answer that came while the machine was held up."""
    import streamlit as st

    from core.tryit import TrialState
    from pages.parts import trial_view
    from tests.pages.test_trial_view import view

    trial_view._answer(
        st.empty(), view(state=TrialState.DONE, ttft_s=0.27, output_tokens=9, tokens_per_s=8.0, late_s=0.43), ""
    )


def test_numbers_of_a_machine_that_was_held_up_never_stand_without_a_caution():
    shown = words(AppTest.from_function(held_up, default_timeout=30).run())

    assert "430 ms" in shown
    assert "say little of the server" in shown
    assert "held up" not in trial_view._held_up(view(ttft_s=0.2, busy_share=0.95))
