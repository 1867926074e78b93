"""Which runs no longer change, so that what was read of them may be kept. Reads nothing but a run's state."""

from collections.abc import Callable
from typing import TypeVar

from core.run import ENDED_STATES
from pages.parts.state import services

T = TypeVar("T")


def as_of_now(run_id: str, read: Callable[[str], T], kept: Callable[[str], T]) -> T:
    """What `kept` holds of a run that has ended, else a fresh `read`. Raises RunNotFound."""
    state = services().runs.run(run_id, requests=False).state
    return kept(run_id) if state in ENDED_STATES else read(run_id)
