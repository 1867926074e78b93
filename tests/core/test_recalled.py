"""An experiment read back from what its runs keep of it, whatever kind it was and whoever wrote the runs."""

from dataclasses import replace

import orjson
import pytest

from core import runfile
from core.course import searched
from core.plan import Experiment
from core.recalled import found_before, recalled, searched_before
from core.run import RunState, StoppedBy
from tests.core.experiments import EXPERIMENTS, made, same

SEARCHES = [name for name, one in EXPERIMENTS.items() if one.search is not None]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_kind_comes_back_from_its_runs_in_whichever_order_they_are_read(name):
    experiment = EXPERIMENTS[name]
    runs = [one.run for one in made(experiment)]

    found = recalled(list(reversed(runs)))

    assert same(found, experiment)
    assert found.name == "An experiment"
    assert recalled(runs, "e").id == "e"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_kind_comes_back_from_a_run_file(name):
    content = runfile.to_bytes([one.run for one in made(EXPERIMENTS[name])])

    assert same(recalled(runfile.from_bytes(content)), EXPERIMENTS[name])


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_is_drawn_from_its_runs_as_it_was_while_it_went_on(name):
    experiment = EXPERIMENTS[name]
    done = made(experiment)

    found = searched_before(list(reversed(done)))

    assert found == searched(experiment, done)
    assert all(one.ended and not one.cut_short for one in found)
    assert [probe.run_id for one in found for probe in one.tried]


def test_what_a_search_found_is_told_with_its_probes():
    experiment = EXPERIMENTS["a search of a rate"]
    done = made(experiment)

    found = found_before(done)

    assert found["variable"] == "rate"
    assert found["probes"] == [one.run.id for one in done]
    assert found["edge"] == pytest.approx(9, rel=0.06)
    assert found["slo"] == ["ttft_s.p95 < 0.123457", "success_rate > 0.995"]
    orjson.dumps(found)


def test_a_search_whose_app_went_away_is_called_cut_short():
    done = made(EXPERIMENTS["a search"])[:5]

    found = searched_before(done)

    assert [one.ended for one in found] == [True, True]
    assert all(one.sentence().startswith("The search was cut short.") for one in found)


def test_an_interrupted_probe_is_no_probe():
    done = made(EXPERIMENTS["a search of a rate"])[:3]
    last = replace(done[-1].run, state=RunState.INTERRUPTED, stopped_by=StoppedBy.FAILURE)

    (found,) = searched_before([*done[:-1], replace(done[-1], run=last)])

    assert len(found.tried) == 2
    assert found.cut_short


def test_runs_of_before_keep_the_limits_in_their_plan_only():
    experiment = EXPERIMENTS["a search"]
    done = made(experiment)
    runs = []
    for one in done:
        told = one.run.experiment
        search = {key: value for key, value in told["search"].items() if key != "slo"}
        runs.append(replace(one.run, experiment=told | {"search": search}))

    assert same(recalled(runs), experiment)


def test_runs_of_two_experiments_or_of_none_that_searched_made_no_search():
    done = made(EXPERIMENTS["a search"])
    other = replace(done[0], run=replace(done[0].run, experiment=done[0].run.experiment | {"id": "f"}))

    assert searched_before([*done, other]) == ()
    assert searched_before(made(EXPERIMENTS["levels in turns"])) == ()
    assert found_before(made(EXPERIMENTS["levels found"])) is None
    assert searched_before([]) == ()
    assert found_before([]) is None


@pytest.mark.parametrize(
    "told",
    [
        None,
        {},
        {"id": ["e"], "name": 7},
        {"id": "e", "search": True},
        {"id": "e", "search": {"variable": "luck", "low": 1, "high": 4}},
        {"id": "e", "search": {"variable": "concurrency", "low": "x", "high": None}},
        {"id": "e", "search": {"variable": "concurrency", "low": 1, "high": 64, "slo": {"limits": 3}}},
        {"id": "e", "sweep": {"high": -1}},
        {"id": "e", "sweep": [1]},
        {"id": "e", "cooldown_s": "long", "skip_saturated": 3},
    ],
)
def test_what_does_not_fit_together_leaves_plain_runs(told):
    done = [replace(one, run=replace(one.run, experiment=told)) for one in made(EXPERIMENTS["a search"])[:4]]

    found = recalled([one.run for one in done])

    assert isinstance(found, Experiment)
    assert not found.is_adaptive
    assert [plan.load.value for plan in found.plans] == [one.level for one in done]
    assert searched_before(done) == ()
    assert found_before(done) is None
