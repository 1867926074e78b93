"""How far an experiment is, from snapshots alone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.fleet.live import LiveExperiment, LiveRun
from core.plan import Experiment
from core.run import RunState
from tests.core.loadgen.scripted import plan_for

PLAN = plan_for(80, requests=10)
DONE = LiveRun(run_id="a", plan=PLAN, state=RunState.COMPLETED)
HALF = LiveRun(run_id="b", plan=PLAN, state=RunState.RUNNING, requests_planned=10, ended=5)


def experiment(*runs, **more):
    return LiveExperiment(id="e", name="e", state=RunState.RUNNING, queued_at=datetime.now(UTC), runs=runs, **more)


def test_an_experiment_is_as_far_as_its_runs():
    found = experiment(DONE, HALF)

    assert found.share == 0.75
    assert found.finished_runs == 1
    assert found.current is HALF
    assert found.eta_s is None


def test_runs_that_are_still_to_come_count_as_not_begun():
    assert experiment(DONE, HALF, expected_runs=6).share == pytest.approx(0.25)


def to_come(**load):
    return LiveRun(run_id="q", plan=plan_for(80, **load), state=RunState.QUEUED)


def left(*runs, ago_s, **more):
    """Seconds to go of what began so long ago; the clock goes on meanwhile, so only about."""
    found = experiment(*runs, started_at=datetime.now(UTC) - timedelta(seconds=ago_s), **more).eta_s
    return found and pytest.approx(found, abs=0.5)


def test_what_is_left_is_told_by_the_rounds_of_each_level_and_not_by_counting_runs():
    half = replace(HALF, elapsed_s=50.0)  # ten requests one after the other take 100 s

    assert left(half, ago_s=50) == 50
    assert left(half, to_come(requests=10, concurrency=10), ago_s=50) == 50 + 10
    assert left(half, to_come(duration_s=30.0), ago_s=50) == 50 + 30


def test_what_goes_by_between_runs_counts_for_those_to_come_and_so_does_a_rest():
    half, more = replace(HALF, elapsed_s=50.0), to_come(requests=10)

    assert left(half, more, ago_s=53) == 50 + 3 + 100
    resting = Experiment(id="e", name="e", plans=(PLAN, PLAN), cooldown_s=20)
    assert left(half, more, ago_s=53, experiment=resting) == 50 + 3 + 20 + 100
    done = replace(DONE, elapsed_s=100.0)
    assert left(done, half, more, ago_s=100 + 20 + 50 + 6, experiment=resting) == 50 + 3 + 20 + 100


def test_a_run_that_has_just_begun_is_told_by_the_one_before_it():
    done, begun = replace(DONE, elapsed_s=100.0), LiveRun(run_id="b", plan=PLAN, state=RunState.RUNNING)

    assert left(done, begun, ago_s=100) == 100
    assert left(begun, ago_s=1) is None
    skipped = replace(DONE, run_id="s", state=RunState.CANCELLED, plan=plan_for(80, requests=10_000))
    assert left(done, skipped, begun, ago_s=100) == 100


def test_where_levels_are_found_on_the_way_runs_count_alike():
    half = replace(HALF, elapsed_s=50.0)

    assert left(half, ago_s=50, expected_runs=5) == 450
    assert left(replace(HALF, ended=0, elapsed_s=5.0), ago_s=50, expected_runs=5) is None


def test_of_a_launch_that_is_being_cancelled_no_time_is_left_to_tell():
    half = replace(HALF, elapsed_s=50.0)

    assert left(half, ago_s=50, cancelling=True) is None
