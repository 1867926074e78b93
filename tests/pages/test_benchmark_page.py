"""The page that plans a benchmark: fields, what a launch takes, what is refused."""

import orjson
import pytest
from streamlit.testing.v1 import AppTest

from core import reproduce
from core.estimate import interleaved
from core.plan import Configuration, Endpoint, Load, Workload
from core.servers import builtin
from pages.parts import configuration_form, launch_card, plan_fields
from tests.pages.probes import probed
from tests.pages.seen import HOSTILE, button, metric, words

LAB = Endpoint(name="lab", base_url="http://127.0.0.1:1/v1")
A = Configuration(id="a", label="FP16", endpoint=LAB, model="qwen", slot=0)
B = Configuration(id="b", label="AWQ", endpoint=LAB, model="qwen-awq", slot=1, settings=(("quantization", "AWQ"),))


@pytest.fixture
def library(services):
    services.library.save_endpoint(LAB)
    services.library.save_configuration(A)
    services.library.save_configuration(B)
    return services.library


@pytest.fixture
def launched(services, monkeypatch):
    """What was handed to the registry, which here starts nothing."""
    seen = []

    def launch(_, experiment, **_keys):
        seen.append(experiment)
        return experiment.id

    monkeypatch.setattr(type(services.registry), "launch", launch)
    return seen


def planned(opened, *ids, alone=True, **fields):
    """The page with these configurations ticked and these fields set."""
    page = opened("benchmark", alone=alone)
    page.session_state[configuration_form.CHOSEN] = list(ids)
    page.session_state[configuration_form.VERSION] = 7
    for name, value in fields.items():
        page.session_state[plan_fields.key(name)] = value
    page.run()
    assert not page.exception
    return page


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("alone", [True, False])
def test_without_configurations_it_says_what_one_is_and_offers_the_built_in_model(opened, alone):
    page = opened("benchmark", alone=alone)

    assert "Nothing to compare yet" in words(page)
    assert button(page, "Launch").disabled
    button(page, "Take the built-in model").click()
    page.run()
    assert list(page.dataframe[0].value["Configuration"]) == [f"SmolLM2-135M {name}" for name in builtin.COMPARED]
    assert metric(page, "Runs").value == "9"


@pytest.mark.usefixtures("library")
def test_the_card_tells_what_a_launch_takes(opened):
    page = planned(opened, "a", "b", input=100, output=50, requests=200, warmup=4, levels=[1, 4], repeats=2)

    assert metric(page, "Runs").value == "8"
    assert metric(page, "Requests").value == f"{8 * 204:,}"
    assert metric(page, "Output").value == f"{8 * 204 * 50:,} tok"
    assert "lab was never probed" in words(page)
    assert "This machine is not calibrated" in words(page)
    assert "200 requests give p99 from 2 samples" in words(page)


@pytest.mark.parametrize(("total", "told"), [(2, True), (5000, False)], ids=["the whole list", "a cut list"])
def test_a_model_that_the_endpoint_does_not_list_is_told_and_can_be_launched(library, opened, total, told):
    library.save_probe("lab", probed(models=("qwen", "other"), models_total=total).to_dict())

    page = planned(opened, "a", "b", levels=[1])

    assert ("lab lists qwen, other; not “qwen-awq”." in words(page).replace("\\", "")) == told
    assert not button(page, "Launch").disabled


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"levels": []}, "choose at least one level"),
        ({"more_levels": "many"}, "many is not a whole number"),
        ({"more_levels": "9000"}, "Concurrency is 9000"),
        ({"extra": "{"}, "Extra body is not JSON"),
        ({"extra": '{"model": "x"}'}, "which Paceline sets itself"),
    ],
)
def test_a_refused_field_gets_its_sentence_keeps_what_was_typed_and_cannot_be_launched(opened, fields, sentence):
    page = planned(opened, "a", **fields)

    assert sentence in words(page).replace("\\", "")
    assert button(page, "Launch").disabled
    for name, value in fields.items():
        assert page.session_state[plan_fields.key(name)] == value


@pytest.mark.usefixtures("library")
def test_launch_interleaves_configurations_level_by_level(opened, launched):
    page = planned(opened, "a", "b", requests=10, warmup=1, levels=[1, 4], error_share=50, most_tokens=1000)
    page.text_input(key="benchmark_name").set_value("sweep")
    button(page, "Launch").click()
    page.run()

    (experiment,) = launched
    order = [(plan.load.concurrency, plan.configuration.label) for plan in experiment.plans]
    assert experiment.name == "sweep"
    assert order == [(1, "FP16"), (1, "AWQ"), (4, "FP16"), (4, "AWQ")]
    assert {plan.limits.error_share for plan in experiment.plans} == {0.5}
    assert {plan.limits.max_output_tokens for plan in experiment.plans} == {1000}


@pytest.mark.usefixtures("library")
def test_a_launch_without_a_name_is_named_after_what_it_compares(opened, launched):
    page = planned(opened, "a", "b", levels=[1, 4], end=plan_fields.BY_SECONDS, seconds=30.0)
    button(page, "Launch").click()
    page.run()

    assert launched[0].name == "FP16, AWQ, up to 4 in flight"
    assert {(plan.load.requests, plan.load.duration_s) for plan in launched[0].plans} == {(None, 30.0)}


def test_a_suggested_name_is_cut_with_an_ellipsis():
    labels = [f"Simulated 50.0 ms, {n} tok/s, a long label of its own" for n in (100, 750)]
    plans = [
        plan
        for place, label in enumerate(labels)
        for plan in interleaved(
            [Configuration(id=str(place), label=label, endpoint=LAB, model="m")], Workload(), [Load(concurrency=16)]
        )
    ]

    name = launch_card.suggested(plans)

    assert name.endswith("…, up to 16 in flight")
    assert ", ," not in name


@pytest.mark.usefixtures("library")
def test_a_plan_shows_itself_as_command_curl_and_file(opened):
    shown = [block.value for block in planned(opened, "a", levels=[4]).code]

    assert any("cli.py run" in text and "--concurrency 4" in text for text in shown)
    assert any(text.startswith("curl") for text in shown)


def take():
    """A page that only loads a pasted plan."""
    import streamlit as st

    from pages.parts import plan_again, plan_fields, plan_files

    plan_fields.prepare()
    if "note" not in st.session_state:
        st.session_state["note"] = True
        plan_files.take(plan_files.pasted.plans(st.session_state["pasted"]))
    st.write(st.session_state.get(plan_again.NOTE, ""))


def taken(plans):
    page = AppTest.from_function(take, default_timeout=30)
    page.session_state["pasted"] = reproduce.plan_file(plans)
    page.run()
    assert not page.exception
    return page


def test_a_pasted_plan_fills_the_fields_and_brings_its_configurations(services):
    workload = Workload(input_tokens=512, output_tokens=64, ignore_eos=True, extra_body={"top_p": 0.5})
    plans = interleaved([A, B], workload, [Load(concurrency=c, requests=7) for c in (4, 6)], repeats=2)

    page = taken(plans)

    field = {name: page.session_state[plan_fields.key(name)] for name in plan_fields.START}
    assert (field["input"], field["output"], field["exact"]) == (512, 64, True)
    assert (field["levels"], field["more_levels"], field["requests"], field["repeats"]) == ([4], "6", 7, 2)
    assert orjson.loads(field["extra"]) == {"top_p": 0.5}
    assert [one.label for one in services.library.configurations()] == ["FP16", "AWQ"]
    assert [one.name for one in services.library.endpoints()] == ["lab"]
    assert page.session_state[configuration_form.CHOSEN] == ["a", "b"]


@pytest.mark.usefixtures("library")
def test_a_plan_that_the_fields_cannot_hold_says_so():
    uneven = (
        *interleaved([A], Workload(), [Load(concurrency=1, requests=5)]),
        *interleaved([A], Workload(), [Load(concurrency=4, requests=50)]),
    )

    assert "those of its first run" in words(taken(uneven))


def test_a_brought_configuration_gets_a_free_label(services, library):
    stranger = Configuration(id="z", label="FP16", endpoint=LAB, model="other")

    taken(interleaved([stranger], Workload(), [Load()]))

    kept = {one.id: one for one in library.configurations()}
    assert kept["z"].label == "FP16 (2)"
    assert kept["z"].slot == 2
    assert services.library.endpoint("lab") == LAB


@pytest.mark.usefixtures("services")
def test_hostile_labels_stay_words(services, opened):
    services.library.save_endpoint(LAB)
    services.library.save_configuration(Configuration(id="h", label=HOSTILE, endpoint=LAB, model=HOSTILE))

    page = planned(opened, "h", levels=[1])

    assert HOSTILE not in words(page)


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("alone", [True, False])
def test_the_live_view_without_a_launch_says_so(opened, alone):
    assert "Nothing is running" in words(opened("benchmark", alone=alone, view="live"))
    assert "This launch is not running" in words(opened("benchmark", alone=alone, view="live", experiment="gone"))
