"""The line of launches: who waits for whom, in words."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from core.fleet.live import LiveExperiment, LiveRun
from core.plan import RunPlan
from core.run import RunState
from core.servers import builtin
from pages.parts import live_line

PLAN = RunPlan(configuration=replace(builtin.simulated_configuration(0), endpoint=builtin.engine_endpoint()))


def launch(name, state=RunState.QUEUED, **rest):
    """A launch of one run."""
    begun = {"ended": 50, "elapsed_s": 590.0} if state is RunState.RUNNING else {}
    run = LiveRun(run_id=name, plan=PLAN, state=state, requests_planned=100, **begun)
    return LiveExperiment(id=name, name=name, state=state, queued_at=datetime.now(UTC), runs=(run,), **rest)


RUNNING = launch("now", RunState.RUNNING, started_at=datetime.now(UTC) - timedelta(minutes=10))
DONE = launch("done", RunState.COMPLETED)
FIRST, SECOND, THIRD, FOURTH = (launch(name) for name in ("first", "second", "third", "fourth"))
LINE = (DONE, RUNNING, FIRST, SECOND, THIRD, FOURTH)


def test_what_has_ended_is_in_no_line_and_what_runs_is_its_head():
    assert [one.id for one in live_line.under_way((FIRST, DONE, RUNNING))] == ["now", "first"]


def test_the_next_one_names_what_it_waits_for_and_for_how_long():
    told = re.sub(r"about \d+ min", "about some min", live_line.place_of(LINE, FIRST))

    assert told == "Next in line: it begins when **now** (about some min left) has ended."


def test_a_later_one_tells_its_number_and_who_is_before_it():
    told = re.sub(r"about \d+ min", "about some min", live_line.place_of(LINE, THIRD))

    assert told == (
        "Number 3 in line: before it **now**, **first**, **second**; the first of them runs (about some min left)."
    )
    assert "**second** and 1 more" in live_line.place_of(LINE, FOURTH)


def test_one_that_nobody_is_before_begins_in_a_moment():
    assert live_line.place_of((DONE, FIRST), FIRST) == "It begins in a moment."
