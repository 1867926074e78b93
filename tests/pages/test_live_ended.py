"""The sentence on a launch that has ended: what was measured, or what failed and why."""

from datetime import UTC, datetime

import pytest

from core.fleet.live import LiveExperiment, LiveRun
from core.plan import RunPlan
from core.run import RunState
from core.servers import builtin
from pages.parts.live_ended import outcome

PLAN = RunPlan(configuration=builtin.simulated_configuration(0))
DONE, FELL, CUT = RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED


def told(state, *runs, message=None):
    """What is said of a launch that ended so, with runs of these states, answers and failed requests."""
    made = tuple(
        LiveRun(run_id=str(place), plan=PLAN, state=its, ok=ok, failed=failed, message=words)
        for place, (its, ok, failed, words) in enumerate(runs)
    )
    found = outcome(
        LiveExperiment(id="e", name="e", state=state, queued_at=datetime.now(UTC), message=message, runs=made)
    )
    return found.level, f"{found.what} {found.reason}".strip()


@pytest.mark.parametrize(
    ("state", "runs", "level", "sentence"),
    [
        (DONE, [(DONE, 20, 0, None)], "ok", "1 run measured, 20 requests, each of them answered."),
        (DONE, [(DONE, 1_999, 1, None)], "act", "1 run measured, but 1 of 2,000 requests had no usable answer."),
        (DONE, [(DONE, 9, 0, None), (FELL, 0, 0, "No such model.")], "act",
         "1 of 2 runs measured, 1 failed. No such model."),
        (FELL, [(FELL, 0, 0, "Refused."), (FELL, 0, 0, "Refused.")], "stop", "Nothing was measured. Refused."),
        (FELL, [(FELL, 0, 3, "Refused."), (FELL, 0, 0, "Lost.")], "stop",
         "Nothing was measured. Refused. Others failed in other ways."),
        (DONE, [(DONE, 0, 5, None)], "stop", "Nothing was measured. No request succeeded."),
        (CUT, [(CUT, 0, 0, None), (CUT, 0, 0, None)], "note", "Cancelled before anything was measured."),
        (CUT, [(DONE, 20, 0, None), (CUT, 1, 0, None)], "note", "Cancelled after 1 of 2 runs: 21 answers are kept."),
    ],
)  # fmt: skip
def test_an_end_is_told_in_one_sentence(state, runs, level, sentence):
    assert told(state, *runs) == (level, sentence)


def test_a_fault_of_the_launch_itself_is_its_reason():
    assert told(FELL, (DONE, 20, 0, None), (FELL, 0, 0, "Lost."), message="The disk is full.") == (
        "act",
        "1 of 2 runs measured, 1 failed. The disk is full.",
    )


@pytest.mark.parametrize(
    ("state", "last", "sentence"),
    [
        (DONE, DONE, "2 runs measured, but the end could not be stored at once. The disk is full."),
        (FELL, CUT, "1 of 2 runs measured, then it stopped. The disk is full."),
    ],
)
def test_what_was_measured_but_could_not_be_stored_at_once_is_not_told_as_failed(state, last, sentence):
    assert told(state, (DONE, 20, 0, None), (last, 0, 0, None), message="The disk is full.") == ("act", sentence)
