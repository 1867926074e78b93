"""A launch of before a restart: shown from its stored runs as it was shown while the app knew it."""

from dataclasses import replace

import pytest

from core.course import searched
from core.run import RunState
from pages.parts import plan_again, stored_launch
from tests.core.experiments import EXPERIMENTS, made, same
from tests.pages.seen import button, figures, table, titles, words


@pytest.fixture
def stored(services):
    """Keep the runs of an experiment, as a launch would."""

    def keep(name, **options):
        done = made(EXPERIMENTS[name], **options)
        for one in done:
            services.runs.add(one.run)
        return done

    return keep


def plain(page):
    """What is said, without what escapes it."""
    return words(page).replace("\\", "")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_kind_of_experiment_is_planned_again_from_its_runs(stored, name):
    stored(name)

    assert same(plan_again.experiment_of("e"), EXPERIMENTS[name])


def test_a_search_is_drawn_after_a_restart_with_links_to_its_probes(stored, opened):
    done = stored("a search")

    page = opened("benchmark", view="live", experiment="e")

    said = plain(page)
    assert page.title[0].value.startswith("An experiment")
    assert "Up to 9 requests in flight keep" in said
    assert "The way of the search" in titles(page)
    for one in done:
        assert f"/run?run={one.run.id})" in said
    assert button(page, "Compare")
    assert button(page, "Plan again")


def test_the_compare_page_of_a_search_draws_it_too(stored, opened):
    stored("a search of a rate")

    page = opened("compare", experiment="e")

    assert "The way of the search" in titles(page)
    said = plain(page)
    assert "requests/s keep" in said
    assert said.index("requests/s keep") < said.index("Choose a second configuration")


def test_the_compare_page_of_other_runs_draws_no_search(stored, put, opened):
    stored("a search of a rate")
    put("a", rate=2.0, label="Other", experiment="f")

    both = [row.id for row in stored_launch.services().runs.list_runs()]

    assert "The way of the search" not in titles(opened("compare", runs=",".join(both)))
    assert "The way of the search" not in titles(opened("compare", experiment="f"))


def test_what_is_drawn_is_what_was_drawn_while_it_went_on(stored):
    done = stored("a search")

    found = stored_launch.searched_by("e")

    assert [(one.tried, one.edge, one.ended, one.cut_short) for one in found] == [
        (one.tried, one.edge, one.ended, one.cut_short) for one in searched(EXPERIMENTS["a search"], done)
    ]


def test_levels_given_or_found_stand_in_their_table(stored, opened):
    stored("levels found")

    page = opened("benchmark", view="live", experiment="e")

    assert "32 in flight" in table(page)
    assert "each of them answered" in plain(page)


def test_a_launch_that_was_interrupted_says_so(services, opened):
    first, second = (one.run for one in made(EXPERIMENTS["a search of a rate"])[:2])
    services.runs.add(first)
    services.runs.add(replace(second, state=RunState.INTERRUPTED, message="Paceline stopped before this run ended."))

    page = opened("benchmark", view="live", experiment="e")

    said = plain(page)
    assert "Interrupted after 1 of 2 runs" in said
    assert "Paceline stopped before this run ended." in said
    assert "The search was cut short at " in said
    assert "interrupted" in table(page)


def test_a_launch_with_a_live_run_that_nobody_makes_is_left_alone(put):
    put("a", state=RunState.RUNNING)

    assert stored_launch.stored("e1") is None
    assert stored_launch.searched_by("e1") == ()
    assert stored_launch.searched_by("gone") == ()


def test_a_launch_that_failed_everywhere_still_opens(put, opened):
    put("a", failed=40, state=RunState.FAILED, message="Every request failed.")

    page = opened("benchmark", view="live", experiment="e1")

    assert "Nothing was measured." in plain(page)
    assert not figures(page)
