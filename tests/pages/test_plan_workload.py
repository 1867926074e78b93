"""What a benchmark asks: the quick fields, a saved workload, or all that a loaded plan holds."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core import reproduce
from core.estimate import interleaved
from core.plan import Configuration, Endpoint, Load, Workload
from core.workload import LengthPair, Spread
from tests.pages.seen import button, words

LAB = Endpoint(name="lab", base_url="http://127.0.0.1:1/v1")
FULL = Workload(
    input_tokens=90, output_tokens=40, input_spread=Spread(shape="uniform", low=60, high=120),
    output_spread=Spread(shape="lognormal", low=5, high=400, stdev=20.0), system_prompt="You answer briefly.",
    stop=("\n\n",), language="chinese", extra_body={"top_p": 0.9}, seed=4, stream=False, temperature=None,
)  # fmt: skip


def form():
    """The card of the workload and the folded one, after a plan was loaded; what they then ask for."""
    import streamlit as st

    from core import pasted
    from pages.parts import plan_again, plan_fields, plan_form, plan_workload

    plan_fields.prepare()
    if "plan" in st.session_state:
        plan_again.fill(pasted.experiment(st.session_state.pop("plan"), experiment_id="e"))
        st.session_state["note"] = st.session_state[plan_again.NOTE]
    plan_workload.card()
    plan_form.limits()
    st.session_state["asked"] = plan_fields.workload()


def loaded(workload):
    """The form with a plan of this workload in it."""
    page = AppTest.from_function(form, default_timeout=60)
    configuration = Configuration(id="a", label="FP16", endpoint=LAB, model="m")
    page.session_state["plan"] = reproduce.plan_file(interleaved([configuration], workload, [Load(concurrency=1)]))
    page.run()
    assert not page.exception
    return page


def choice(page):
    return next(found for found in page.selectbox if found.label == "What is asked")


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize(
    "workload",
    [
        FULL, replace(FULL, nonce=False, keep_text=False), Workload(language="code"), Workload(stop=("END",)),
        Workload(input_tokens=64, output_tokens=64, pairs=(LengthPair(input_tokens=64, output_tokens=64),)),
        Workload(saved_name="gone", saved_version=7), Workload(seed=2**53), Workload(system_prompt=""),
    ],
)  # fmt: skip
def test_a_loaded_plan_loses_nothing_of_its_workload(workload):
    page = loaded(workload)

    asked = page.session_state["asked"]
    assert asked == workload
    assert (asked.saved_name, asked.saved_version) == (workload.saved_name, workload.saved_version)
    assert not page.session_state["note"].startswith("The plan's runs differ")


@pytest.mark.usefixtures("services")
def test_it_shows_what_such_a_plan_holds_and_no_fields_that_do_not_count():
    page = loaded(FULL)

    told = words(page).replace("\\", "")
    assert "60 to 120 → 40 ± 20 (lognormal, 5 to 400) tokens · Chinese" in told
    assert "System prompt: “You answer briefly.”" in told
    assert choice(page).options == ["as typed below", "of the loaded plan"]
    assert not any(found.label in ("Prompt length, tokens", "Temperature", "Seed") for found in page.number_input)
    assert "are those of the workload" in told


@pytest.mark.usefixtures("services")
def test_a_plan_that_the_fields_can_hold_is_in_the_fields():
    page = loaded(Workload(input_tokens=500, ignore_eos=True, seed=3))

    assert not any(found.label == "What is asked" for found in page.selectbox)
    assert next(found for found in page.number_input if found.label == "Prompt length, tokens").value == 500


def test_a_saved_workload_is_taken_and_given_back(services):
    kept = services.library.workloads.save("support", FULL).workload
    page = AppTest.from_function(form, default_timeout=60).run()
    assert choice(page).options == ["as typed below", "support · 60 to 120 → 40 ± 20 (lognormal, 5 to 400)"]
    choice(page).set_value(" support")
    page.run()

    assert page.session_state["asked"] == kept
    assert page.session_state["asked"].saved_version == 1
    next(found for found in page.toggle if found.label == "Keep answer texts").set_value(False)
    page.run()
    assert page.session_state["asked"] == replace(kept, keep_text=False)
    choice(page).set_value("")
    page.run()
    assert page.session_state["asked"] == Workload(keep_text=False)


def test_an_older_version_of_a_loaded_plan_is_named_as_such(services):
    first = services.library.workloads.save("support", FULL).workload
    services.library.workloads.save("support", replace(FULL, seed=9), replaces="support")

    page = loaded(first)

    assert page.session_state["asked"] == first
    assert choice(page).value == "held"
    assert choice(page).options[-1] == "support, version 1"


@pytest.mark.usefixtures("services")
def test_new_prompts_make_it_another_workload():
    page = loaded(replace(FULL, nonce=False, saved_name="support", saved_version=1))
    button(page, "Ask new prompts").click()
    page.run()

    assert page.session_state["asked"] == FULL
    assert page.session_state["asked"].saved_name is None
