"""How far an experiment is, from snapshots alone."""

from datetime import UTC, datetime

import pytest

from core.fleet.live import LiveExperiment, LiveRun
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
