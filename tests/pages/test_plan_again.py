"""The plans of earlier launches: which are offered, and what is taken up of them."""

import pytest

from pages.parts import configuration_form, look, plan_again, plan_files
from pages.parts.text import escape_markdown, when
from tests.pages.seen import STARTED, button, field, words


def test_the_last_launches_are_offered_by_their_names_after_the_saved_plans(put):
    put("a", experiment="e1")

    name = f"Quantizations · {when(STARTED, look.zone())}"
    assert plan_again.launches() == {"e1": name}
    labels = plan_files.menu_labels(["mine"], plan_again.launches())
    assert list(labels.values())[:2] == ["mine", f":material/history: {escape_markdown(name)}"]


def test_a_launch_of_before_a_restart_is_loaded_from_its_runs(put, opened):
    put("a", label="A", level=1, requests=7)
    put("b", label="B", level=4, requests=7)
    page = opened("benchmark")

    page.menu_button[0].click("launch e1").run()

    assert not page.exception
    assert field(page, "levels") == [1, 4]
    assert field(page, "requests") == 7
    assert sorted(page.session_state[configuration_form.CHOSEN]) == ["A", "B"]


@pytest.mark.usefixtures("services")
def test_a_launch_that_has_been_deleted_has_no_plan():
    assert plan_again.experiment_of("gone") is None


def test_a_live_view_of_before_a_restart_leads_to_what_is_kept_of_it(put, opened):
    put("a", label="A", requests=7)
    page = opened("benchmark", view="live", experiment="e1")
    assert "1 run measured, 7 requests, each of them answered" in words(page).replace("\\", "")
    assert button(page, "Open run")

    button(page, "Plan again").click()
    page.run()

    assert page.title[0].value == "Benchmark"
    assert field(page, "requests") == 7
