"""What a run is called, and which states are its last."""

from core.run import ENDED_STATES, LIVE_STATES, RunState, is_renamed, usual_name


def test_a_run_that_nobody_named_is_called_by_its_label_and_level():
    assert usual_name("Q4_0", "4 in flight") == "Q4_0 at 4 in flight"
    assert not is_renamed("Q4_0 at 4 in flight", label="Q4_0", level="4 in flight")


def test_any_other_name_is_somebodys_own():
    assert is_renamed("before the upgrade", label="Q4_0", level="4 in flight")
    assert is_renamed("Q4_0 at 4 in flight", label="Q8_0", level="4 in flight")


def test_a_run_is_either_live_or_ended():
    assert (*LIVE_STATES, *ENDED_STATES) == tuple(RunState)
