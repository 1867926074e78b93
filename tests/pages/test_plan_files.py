"""Saved plans: the menu that loads them, whatever their names, and their deletion after a question."""

import pytest
from streamlit.testing.v1 import AppTest

from core.plan import Configuration, Endpoint, Experiment, Load, RunPlan, Workload
from pages.parts import configuration_form, plan_files
from tests.pages.seen import HOSTILE, button, field, words

LAB = Endpoint(name="lab", base_url="http://127.0.0.1:1/v1")
AWQ = Configuration(id="b", label="AWQ", endpoint=LAB, model="m")
PLAN = RunPlan(configuration=AWQ, workload=Workload(input_tokens=77), load=Load(concurrency=4, requests=7))
ONE = Experiment(id="e", name="e", plans=(PLAN,))
AWKWARD = ["paste", "delete", "Paste or upload …", ":material/content_paste: Paste or upload …", "a b", "a  b", HOSTILE]


@pytest.mark.parametrize("name", AWKWARD)
def test_a_saved_plan_may_have_any_name(services, opened, name):
    services.library.save_plan(name, ONE)

    page = opened("benchmark")
    page.menu_button[0].click(0).run()

    assert not page.exception
    assert field(page, "input") == 77
    assert page.session_state[configuration_form.CHOSEN] == ["b"]


def test_no_two_choices_of_the_menu_read_alike_to_it():
    labels = list(plan_files.menu_labels(AWKWARD).values())

    assert len(set(labels)) == len(labels) == len(AWKWARD) + 2
    assert HOSTILE not in labels


def test_without_a_saved_plan_there_is_nothing_to_delete():
    assert list(plan_files.menu_labels([])) == [plan_files.PASTE]


def delete():
    """The body of the dialog that deletes."""
    from pages.parts import plan_files

    plan_files._delete(lambda name: f"t_{name}")


@pytest.mark.parametrize(("pressed", "left"), [("Delete", ["other"]), ("Keep", ["other", "paste"])])
def test_deleting_a_saved_plan_asks_first(services, pressed, left):
    services.library.save_plan("paste", ONE)
    services.library.save_plan("other", ONE)
    page = AppTest.from_function(delete, default_timeout=30).run()
    assert not page.button

    page.selectbox(key="t_name").set_value("paste").run()
    assert "gone for good" in words(page)
    button(page, pressed).click()
    page.run()

    assert not page.exception
    assert sorted(one.name for one in services.library.plans()) == left
