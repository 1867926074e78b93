"""While a launch goes on it says what its end would say of client and machine: from snapshots, without a run."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from core.fleet.live import LiveExperiment, LiveRun
from core.plan import Endpoint, Load, RunPlan
from core.run import ClientHealth, RunState
from core.servers import builtin
from pages.parts import live_doubts, live_levels, live_names
from tests.pages.seen import metric, words

HERE = RunPlan(configuration=builtin.simulated_configuration(0))
ELSEWHERE = replace(
    HERE, configuration=replace(HERE.configuration, endpoint=Endpoint(name="gpu", base_url="https://gpu.example/v1"))
)


def running(plan=HERE, *, lag=0.0002, busy=0.4, **rest):
    """A run in its middle, its TTFT about 100 ms."""
    values = {"sent": 9, "ended": 5, "ok": 5, "in_flight": 4, "ttft_p50_s": 0.1, "ttft_min_s": 0.09, "elapsed_s": 5.0}
    client = ClientHealth(loop_lag_p99_s=lag, machine_busy_share=busy)
    return LiveRun(run_id="r", plan=plan, state=RunState.RUNNING, client=client, **(values | rest))


def launch(*runs):
    """One that began a minute ago."""
    now = datetime.now(UTC)
    return LiveExperiment(
        id="e", name="sweep", state=RunState.RUNNING, queued_at=now, started_at=now - timedelta(minutes=1), runs=runs
    )


@pytest.mark.parametrize(
    ("run", "word"),
    [
        (running(), "healthy"),
        (running(busy=0.96), "machine busy"),
        (running(busy=0.94), "healthy"),
        (running(ELSEWHERE, busy=0.99), "healthy"),  # the server has a machine of its own
        (running(lag=0.006, busy=0.99), "client-limited"),
        (running(lag=0.004), "healthy"),
        (running(lag=0.004, decode_span_p50_s=0.3, chunks_of_answers=20), "client-limited"),
        (running(lag=None, busy=None), "not known yet"),
        (running(lag=None, busy=0.99), "machine busy"),
    ],
)
def test_the_health_of_a_run_that_goes_on_is_the_finding_of_its_end(run, word):
    assert live_doubts.health(run).word == word
    assert bool(live_doubts.doubts(run)) is (word in {"machine busy", "client-limited"})


def drawn(found):
    """The live view of a launch that goes on."""

    def draw(found):
        from pages.parts import live_numbers, live_view

        live_numbers.show(found)
        live_view._noticed(found, "Noticed so far")

    page = AppTest.from_function(draw, kwargs={"found": found}, default_timeout=60).run()
    assert not page.exception
    return page


def test_a_busy_machine_is_told_while_the_run_goes_on():
    page = drawn(launch(running(busy=0.97)))

    assert metric(page, "Client lag p99").delta == "machine busy"
    assert "This machine was 97 % busy, and the server runs on it, too" in words(page).replace("\\", "")
    assert "Nothing out of the ordinary" not in words(page)
    assert "97 % busy" in metric(page, "Client lag p99").help


def test_a_quiet_machine_is_nothing_out_of_the_ordinary():
    page = drawn(launch(running()))

    assert metric(page, "Client lag p99").delta == "healthy"
    assert "Nothing out of the ordinary" in words(page)


TIMED = replace(HERE, load=Load(concurrency=4, requests=None, duration_s=10.0))


def test_a_run_that_only_waits_for_its_last_answers_says_so_in_place_of_100_percent():
    found = launch(running(TIMED, elapsed_s=10.2, in_flight=3))
    page = drawn(found)

    assert metric(page, "Runs").delta == "finishing, 3 in flight"
    assert metric(page, "Time left").delta == "finishing, 3 in flight"
    assert "finishing, 3 in flight" in live_levels.cell(found.runs[0], {})
    assert "100 %" not in " ".join(str(card.delta) for card in page.metric)


def test_a_launch_that_has_more_to_run_keeps_its_time_left():
    waiting = LiveRun(run_id="w", plan=TIMED, state=RunState.QUEUED)

    assert live_names.finishing(launch(running(TIMED, elapsed_s=10.2), waiting)) == ""
    assert live_names.finishing(launch(running(TIMED, elapsed_s=9.9))) == ""


def test_a_wait_that_was_asked_for_is_told_while_it_lasts():
    (found,) = live_doubts.doubts(running(waiting_s=12.4))

    assert found.what == "Nothing is sent for another 12.4 s: an answer asked to wait."
    assert live_doubts.doubts(running()) == []
    assert live_doubts.doubts(replace(running(waiting_s=12.4), state=RunState.COMPLETED)) == []
