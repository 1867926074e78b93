"""The dialog that adds or changes a saved workload: what is typed is what is kept, or a sentence says why not."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.plan import Workload
from core.workload import LengthPair, Spread
from tests.pages.seen import button, words

CHAT = Workload(
    input_tokens=90, output_tokens=40, input_spread=Spread(shape="uniform", low=60, high=120),
    output_spread=Spread(shape="lognormal", low=5, high=400, stdev=20.5), system_prompt="You answer\nbriefly.",
    stop=("\n\n", "a\\b"), language="chinese", extra_body={"top_p": 0.9}, seed=4, temperature=None, stream=False,
    nonce=False, ignore_eos=True, keep_text=False,
)  # fmt: skip


def form(name=""):
    import streamlit as st

    from core.plan import Workload
    from pages.parts import state, workload_form

    if "opened" not in st.session_state:
        known = state.services().library.workloads.versions(name)[0].workload if name else Workload()
        st.session_state["opened"] = workload_form.Opened(known=known, name=name, replaces=name or None)
    workload_form._form(lambda name: f"t_{name}", st.session_state["opened"])


def drawn(name=""):
    page = AppTest.from_function(form, kwargs={"name": name}, default_timeout=60).run()
    assert not page.exception
    return page


@pytest.fixture
def saved(services):
    return services.library.workloads


def typed(page, label, kind="text_input"):
    """A field by its label."""
    return next(found for found in getattr(page, kind) if found.label == label)


def pressed(page, label):
    button(page, label).click()
    page.run()
    assert not page.exception
    return page


def test_one_is_added_in_the_dialog(saved):
    page = drawn()
    typed(page, "Name").set_value("short chat")
    typed(page, "Prompt", "selectbox").set_value("normal")
    page.run()
    typed(page, "Mean", "number_input").set_value(200)
    typed(page, "Shortest", "number_input").set_value(50)
    typed(page, "Longest", "number_input").set_value(400)
    typed(page, "Standard deviation", "number_input").set_value(40.0)
    typed(page, "System prompt", "text_area").set_value("Be brief.")
    typed(page, "Stop texts", "text_area").set_value("END\n\\n\\n")
    typed(page, "Extra body", "text_area").set_value('{"top_k": 3}')
    typed(page, "Temperature", "number_input").set_value(0.7)
    page.run()
    assert "Asks for 200 ± 40 \\(normal\\, 50 to 400\\) → 128 tokens" in words(page)
    pressed(page, "Save")

    (one,) = saved.newest()
    assert (one.name, one.version) == ("short chat", 1)
    assert one.workload == Workload(
        input_tokens=200, input_spread=Spread(shape="normal", low=50, high=400, stdev=40.0), system_prompt="Be brief.",
        stop=("END", "\n\n"), extra_body={"top_k": 3}, temperature=0.7,
    )  # fmt: skip


def test_pairs_are_typed_a_line_each(saved):
    page = drawn()
    typed(page, "Name").set_value("agents")
    next(found for found in page.get("button_group") if found.label == "Lengths, tokens").set_value("pairs")
    page.run()
    typed(page, "Pairs", "text_area").set_value("128:64*3\n\n1024:256")
    page.run()
    pressed(page, "Save")

    pairs = (LengthPair(input_tokens=128, output_tokens=64, weight=3), LengthPair(input_tokens=1024, output_tokens=256))
    assert saved.newest()[0].workload.pairs == pairs


@pytest.mark.parametrize(
    ("label", "kind", "value", "sentence"),
    [
        ("Extra body", "text_area", '{"top_p": ', "Extra body is not JSON"),
        ("Extra body", "text_area", "[1]", "Extra body is not a JSON object"),
        ("Extra body", "text_area", '{"model": "x"}', "which Paceline sets itself"),
    ],
)
@pytest.mark.usefixtures("services")
def test_what_cannot_be_sent_is_said_in_a_sentence_and_not_saved(label, kind, value, sentence):
    page = drawn()
    typed(page, label, kind).set_value(value)
    page.run()

    assert sentence in words(page).replace("\\", "")
    assert button(page, "Save").disabled


def test_a_change_is_a_new_version(saved):
    saved.save("support", CHAT)
    page = drawn("support")
    typed(page, "Seed", "number_input").set_value(9)
    page.run()
    pressed(page, "Save")

    assert [(one.version, one.workload) for one in saved.versions("support")] == [(2, replace(CHAT, seed=9)), (1, CHAT)]


def test_saving_what_was_not_changed_makes_no_version(saved):
    saved.save("support", CHAT)
    pressed(drawn("support"), "Save")

    assert [one.version for one in saved.versions("support")] == [1]


def test_a_taken_name_is_refused_and_what_was_typed_stays(saved):
    saved.save("support", CHAT)
    page = drawn()
    typed(page, "Name").set_value("Support")
    page.run()
    pressed(page, "Save")

    assert "A workload is named Support already" in words(page)
    assert typed(page, "Name").value == "Support"
    assert len(saved.newest()) == 1


@pytest.mark.parametrize(
    "asked",
    [CHAT, Workload(input_tokens=7, output_tokens=2, pairs=(LengthPair(input_tokens=7, output_tokens=2, weight=0.5),))],
)
def test_what_the_fields_begin_with_is_what_is_saved(saved, asked):
    saved.save("support", asked)
    page = drawn("support")
    typed(page, "Name").set_value("copy")
    page.run()
    pressed(page, "Save")

    (one,) = saved.newest()
    assert (one.name, one.version, one.workload) == ("copy", 1, asked)


@pytest.mark.usefixtures("services")
def test_bounds_the_wrong_way_round_are_said():
    page = drawn()
    typed(page, "Answer", "selectbox").set_value("uniform")
    page.run()
    typed(page, "Shortest", "number_input").set_value(900)
    page.run()

    assert "The shortest length, 900, is above the longest, 256" in words(page).replace("\\", "")
