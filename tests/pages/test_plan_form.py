"""The cards of a plan: prompts are new for every request; a loaded plan that wants otherwise says what that does."""

import pytest
from streamlit.testing.v1 import AppTest

from core import reproduce
from core.estimate import interleaved
from core.plan import Configuration, Endpoint, Load, Workload
from pages.parts import plan_state
from tests.pages.seen import button, field, words

LAB = Endpoint(name="lab", base_url="http://127.0.0.1:1/v1")
PLANS = interleaved(
    [Configuration(id="a", label="FP16", endpoint=LAB, model="m")],
    Workload(nonce=False),
    [Load(concurrency=level, requests=7) for level in (1, 4)],
)


def form():
    """The card of the workload, after a plan was loaded into it; what it then asks for."""
    import streamlit as st

    from core import pasted
    from pages.parts import plan_again, plan_fields, plan_workload

    plan_fields.prepare()
    if "plan" in st.session_state:
        plan_again.fill(pasted.experiment(st.session_state.pop("plan"), experiment_id="e"))
    plan_workload.card()
    st.session_state["asked"] = plan_fields.workload()


@pytest.fixture
def loaded(services):
    """The form with a plan whose prompts have no nonce."""
    assert services.library.configurations() == []
    page = AppTest.from_function(form, default_timeout=60)
    page.session_state["plan"] = reproduce.plan_file(PLANS)
    page.run()
    assert not page.exception
    return page


@pytest.mark.usefixtures("services")
def test_prompts_are_new_for_every_request_and_that_is_no_choice():
    page = AppTest.from_function(form, default_timeout=60).run()

    assert page.session_state["asked"].nonce
    assert not any("prefix" in field.label.lower() for field in page.selectbox)
    assert "no prefix cache helps" in words(page)
    assert not page.button


def test_a_loaded_plan_without_a_nonce_is_kept_and_says_what_it_does(loaded):
    assert not loaded.session_state["asked"].nonce
    assert field(loaded, "nonce") is False
    assert "asks the same prompts again" in words(loaded)
    assert "no prefix cache helps" not in words(loaded)


def test_it_can_be_given_new_prompts(loaded):
    button(loaded, "Ask new prompts").click()
    loaded.run()

    assert loaded.session_state["asked"].nonce
    assert "asks the same prompts" not in words(loaded)


def test_its_runs_are_the_ones_of_the_plan(loaded, opened):
    assert loaded.session_state["asked"] == PLANS[0].workload
    page = opened("benchmark")
    page.session_state[plan_state.key("nonce")] = False
    page.run()

    assert not page.exception
    assert "asks the same prompts again" in words(page)
