"""The page of saved workloads: what it shows, how one is added, changed, cloned, deleted and taken to a benchmark."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.plan import Workload
from core.servers import variants
from core.workload import Spread
from pages.parts import plan_fields, plan_state, workload_form
from tests.pages.seen import HOSTILE, button, figures, table, words

CHAT = Workload(
    input_tokens=90, output_tokens=40, input_spread=Spread(shape="uniform", low=60, high=120),
    system_prompt="You answer briefly.", stop=("\n\n",), language="chinese", extra_body={"top_p": 0.9}, seed=4,
)  # fmt: skip


@pytest.fixture
def saved(services):
    return services.library.workloads


def pressed(page, label):
    button(page, label).click()
    page.run()
    assert not page.exception
    return page


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("alone", [True, False])
def test_without_one_it_says_what_a_workload_is(opened, alone):
    page = opened("workloads", alone=alone)

    assert "No workloads yet" in words(page)
    assert [found.label for found in page.button] == ["Add workload"]


def test_the_table_says_what_each_asks_and_the_first_is_previewed(saved, opened):
    saved.save("support", CHAT)
    saved.save(HOSTILE, Workload())
    page = opened("workloads")

    rows = page.dataframe[0].value.set_index("Workload")
    assert list(rows.loc["support"][["Version", "Lengths", "Language"]]) == [1, "60 to 120 → 40", "Chinese"]
    assert rows.loc["support"]["Asks"] == "system prompt, stops at '\\n\\n', more in the body: top_p, seed 4"
    page.session_state[workload_form.SELECTED] = "support"
    page.run()
    prompts = page.dataframe[1].value
    assert all(len(text) < 2 * 120 and "。" in text for text in prompts["Prompt"])
    assert len(prompts) == 5
    assert list(prompts["Tokens"]) == list(prompts["Asked"])
    assert "counted by the tokenizer of the built\\-in model" in words(page)
    (figure,) = figures(page)
    assert [sum(panel["y"]) for panel in figure["data"]] == [200, 200]


def test_without_the_built_in_model_tokens_are_said_to_be_guessed(saved, opened, monkeypatch):
    monkeypatch.setattr(variants, "PACKAGE", "not_installed")
    saved.save("other", Workload(seed=77))

    page = opened("workloads")

    told = words(page).replace("\\", "")
    assert "about, by words" in told
    assert "counted by" not in told


def test_an_older_version_can_be_looked_at(saved, opened):
    saved.save("support", CHAT)
    saved.save("support", replace(CHAT, seed=9), replaces="support")
    page = opened("workloads")
    versions = next(found for found in page.selectbox if found.label == "Version")
    assert [label.split(" ")[0] for label in versions.options] == ["2", "1"]
    assert "0, 9" in table(page)

    versions.set_value(1)
    page.run()

    assert "0, 4" in table(page)


def test_deleting_asks_first(saved, opened):
    saved.save("support", CHAT)
    page = opened("workloads")
    page.session_state[workload_form.SELECTED] = "support"

    dialog = AppTest.from_function(asked_to_delete, default_timeout=60).run()
    assert [one.name for one in saved.newest()] == ["support"]
    pressed(dialog, "Delete")
    assert saved.newest() == []


def asked_to_delete():
    from pages.parts import dialog, state

    dialog.confirm(lambda name: name, "Delete?", "Delete", lambda: state.services().library.workloads.delete("support"))


def test_it_is_taken_to_a_benchmark_as_it_is(saved, opened):
    kept = saved.save("support", CHAT).workload
    page = opened("workloads")
    pressed(page, "Benchmark with it")

    assert page.session_state[plan_state.key("held")] == kept
    benchmark = opened("benchmark")
    benchmark.session_state[plan_state.key("held")] = kept
    benchmark.run()
    assert not benchmark.exception
    assert "60 to 120 → 40 tokens · Chinese" in words(benchmark).replace("\\", "")
    assert plan_fields.START["held"] is None
