"""A launch as it was shown while the app knew it, counted anew from its stored runs."""

from dataclasses import replace

import pytest

from core.fleet.replay import replayed, replayed_run
from core.run import ClientHealth, Preflight, RunState
from tests.core.example_runs import answered, failed, plan, run
from tests.core.experiments import EXPERIMENTS, made


def test_a_run_is_counted_from_its_requests():
    records = [answered(0), answered(1, sent=1.0), failed(2, sent=2.0), answered(3, warmup=True), failed(4, sent=None)]
    client = ClientHealth(loop_lag_p99_s=0.001)

    found = replayed_run(run(records, client=client, preflight=Preflight(changes=("no temperature",))))

    assert (found.sent, found.ended, found.ok, found.failed) == (3, 4, 2, 2)
    assert found.errors == {"http_5xx": (2, "upstream is down")}
    assert found.client == client
    assert found.notes == ("Preflight: no temperature",)
    assert (found.state, found.share) == (RunState.COMPLETED, 1.0)


def test_of_an_open_loop_it_tells_what_was_offered_and_what_was_sent():
    load = EXPERIMENTS["at random"].plans[0].load
    records = [answered(place, sent=place + 0.01, scheduled_s=float(place)) for place in range(5)]

    found = replayed_run(run(records, of=replace(plan(), load=load)))

    assert found.offered_rate_per_s == pytest.approx(1.0)
    assert found.achieved_rate_per_s == pytest.approx(1.0)
    assert found.slip_p99_s == pytest.approx(0.01)


def launch(*states):
    runs = [one.run for one in made(EXPERIMENTS["levels in turns"])][: len(states)]
    runs = [replace(one, state=state) for one, state in zip(runs, states, strict=True)]
    return replayed(EXPERIMENTS["levels in turns"], [(one, replayed_run(one)) for one in runs])


def test_a_launch_lasts_from_its_first_run_to_its_last():
    found = launch(RunState.COMPLETED, RunState.COMPLETED)

    assert (found.ended_at - found.started_at).total_seconds() == 100
    assert (found.id, found.name, found.share, found.finished_runs) == ("e", "An experiment", 1.0, 2)


@pytest.mark.parametrize(
    ("states", "end"),
    [
        ((RunState.COMPLETED, RunState.FAILED), RunState.COMPLETED),
        ((RunState.FAILED, RunState.FAILED), RunState.FAILED),
        ((RunState.COMPLETED, RunState.CANCELLED), RunState.CANCELLED),
        ((RunState.COMPLETED, RunState.INTERRUPTED), RunState.INTERRUPTED),
    ],
)
def test_a_launch_ends_as_its_runs_did(states, end):
    assert launch(*states).state is end
