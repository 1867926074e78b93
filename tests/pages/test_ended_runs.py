"""What is kept of a run: only what can no longer change."""

import pytest

from core.run import RunState
from pages.parts.ended_runs import as_of_now


@pytest.mark.parametrize(
    ("state", "taken"), [(RunState.COMPLETED, "kept"), (RunState.FAILED, "kept"), (RunState.RUNNING, "read")]
)
def test_a_run_is_kept_once_it_has_ended(put, state, taken):
    put("r1", state=state)

    assert as_of_now("r1", lambda _: "read", lambda _: "kept") == taken
