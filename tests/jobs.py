"""Waits for background jobs to end, as pages do that look again. Knows no job."""

import time

from core.background import Background


def all_ended(background: Background, within_s: float) -> bool:
    """Whether every job begun so far has ended in time."""
    until_s = time.monotonic() + within_s
    while any(job.running for job in tuple(background._jobs.values())):
        if time.monotonic() > until_s:
            return False
        time.sleep(0.01)
    return True
