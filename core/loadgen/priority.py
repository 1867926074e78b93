"""Asks the system for raised scheduling priority, and says what it got. Recorded with the run, never required."""

import os

REALTIME, RAISED, NORMAL = "realtime", "raised", "normal"
NICE = -10


def raise_priority() -> str:
    """Ask for round-robin real-time scheduling, else for a better nice value; say what was granted.

    PACELINE_PRIORITY=normal leaves the process as it is.
    """
    if os.environ.get("PACELINE_PRIORITY", "") == NORMAL:
        return NORMAL
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except (AttributeError, OSError):  # not on this system, or not permitted
        pass
    else:
        return REALTIME
    try:
        os.setpriority(os.PRIO_PROCESS, 0, NICE)
    except (AttributeError, OSError):
        return NORMAL
    return RAISED
