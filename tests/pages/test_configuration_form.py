"""The dialog that makes a configuration."""

import pytest
from streamlit.testing.v1 import AppTest

from core.plan import Configuration, Endpoint
from core.servers import builtin
from pages.parts import configuration_form
from pages.parts.configuration_form import Typed, pace_words
from tests.pages.probes import probed
from tests.pages.seen import button, words

LAB = Endpoint(name="lab", base_url="http://127.0.0.1:1/v1")
FARM = Endpoint(name="farm", base_url="http://127.0.0.1:2/v1")


def form(known_id=""):
    from core.servers import builtin
    from pages.parts import configuration_form, state

    library = state.services().library
    endpoints = (*library.endpoints(), builtin.engine_endpoint(), builtin.simulated_endpoint())
    known = library.configuration(known_id) if known_id else None
    configuration_form._form(lambda name: f"t_{name}", endpoints, known)


def drawn(known_id=""):
    page = AppTest.from_function(form, kwargs={"known_id": known_id}, default_timeout=30).run()
    assert not page.exception
    return page


def save(page, **values):
    if "endpoint" in values:
        page.selectbox(key="t_endpoint").set_value(values.pop("endpoint"))
        page.run()
    for name, value in values.items():
        fields = (*page.text_input, *page.text_area, *page.selectbox)
        next(field for field in fields if field.key == f"t_{name}").set_value(value)
    button(page, "Save").click()
    page.run()
    assert not page.exception
    return page


@pytest.fixture
def library(services):
    services.library.save_endpoint(FARM)
    services.library.save_endpoint(LAB)
    services.library.save_probe("farm", probed(model="m", models=("m", "of the farm")).to_dict())
    services.library.save_probe("lab", probed().to_dict())
    return services.library


def test_a_model_at_an_endpoint_is_kept_with_the_next_colour_and_ticked(library):
    page = save(drawn(), endpoint="lab", model="qwen", label="AWQ", settings="quantization: AWQ w4a16")

    (kept,) = library.configurations()
    assert (kept.label, kept.model, kept.endpoint, kept.slot) == ("AWQ", "qwen", LAB, 0)
    assert kept.settings == (("quantization", "AWQ w4a16"),)
    assert page.session_state[configuration_form.CHOSEN] == [kept.id]


def test_without_a_label_it_is_named_after_its_model(library):
    save(drawn(), model="m")

    assert library.configurations()[0].label == "m"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"label": "x" * 121}, "Label is empty or longer"),
        ({"model": "m", "settings": "AWQ"}, "Settings, line 1"),
        ({"model": "m", "label": "TAKEN"}, "labelled TAKEN already"),
    ],
)
def test_a_refused_field_gets_its_sentence_and_nothing_is_kept(library, values, sentence):
    library.save_configuration(Configuration(id="t", label="taken", endpoint=LAB, model="m"))

    page = save(drawn(), **values)

    assert sentence in words(page).replace("\\", "")
    assert [one.id for one in library.configurations()] == ["t"]
    for name, value in values.items():
        assert page.session_state[f"t_{name}"] == value


def test_an_endpoint_that_was_never_probed_asks_for_the_name_of_the_model(services):
    services.library.save_endpoint(LAB)

    assert "Model is empty" in words(save(drawn(), label="x"))


def test_a_model_that_is_left_empty_is_the_endpoints_own(library):
    page = save(drawn(), endpoint="lab", label="x")

    assert page.selectbox(key="t_model").placeholder == "qwen, if left empty"
    assert [one.model for one in library.configurations()] == ["qwen"]


@pytest.mark.usefixtures("library")
def test_another_endpoint_leaves_what_was_typed_and_says_that_it_does_not_list_it():
    page = drawn()
    page.selectbox(key="t_model").set_value("of the farm")
    page.run()
    assert "does not list" not in words(page)

    page.selectbox(key="t_endpoint").set_value("lab")
    page.run()

    assert page.selectbox(key="t_model").value == "of the farm"
    assert "lab does not list this model" in words(page)


def test_an_edited_variant_of_the_demo_stays_one(services):
    services.library.save_configuration(builtin.variant_configuration("Q4_0", 5))
    (known,) = services.library.configurations()

    save(drawn(known.id), label="renamed")

    (kept,) = services.library.configurations()
    assert (kept.id, kept.label, kept.variant, kept.slot) == (known.id, "renamed", "Q4_0", 5)
    assert kept.endpoint.demo == "llama.cpp"


def test_an_edit_moves_nothing_when_the_endpoint_was_deleted(library):
    known = Configuration(id="k", label="AWQ", endpoint=LAB, model="qwen", slot=4)
    library.save_configuration(known)
    library.delete_endpoint("lab")

    page = drawn("k")
    assert page.selectbox(key="t_endpoint").value == "lab"
    assert "lab (deleted)" in page.selectbox(key="t_endpoint").options
    save(page, label="renamed")

    (kept,) = library.configurations()
    assert (kept.label, kept.endpoint) == ("renamed", LAB)


def test_variants_and_paces_are_offered_for_what_is_built_in(services):
    page = drawn()
    button(page, "Add").click()
    page.run()
    page.selectbox(key="t_endpoint").set_value("Simulated")
    page.run()
    button(page, "Add").click()
    page.run()

    labels = [one.label for one in services.library.configurations()]
    assert labels == ["SmolLM2-135M Q4_0", "Simulated 50 ms, 100 tok/s"]


def test_a_pace_in_words():
    assert pace_words("gt-ttft50000-itl10000-burst4") == "50 ms, 100 tok/s, 4 at a time"
    assert pace_words("gt-ttft50000-itl10000-serial") == "50 ms, 100 tok/s, one by one"


def test_what_is_typed_becomes_a_configuration_without_blanks():
    made = Typed(label=" a ", model=" m ", settings="").configuration(None, LAB, 3)

    assert (made.label, made.model, made.slot) == ("a", "m", 3)
