"""Priority is asked for, recorded, and never required."""

import os
import subprocess
import sys

from core.loadgen import priority

ASK = "from core.loadgen.priority import raise_priority; print(raise_priority())"


def asked(**environ: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", ASK], env=os.environ | environ, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_what_the_system_grants_is_said():
    assert asked() in {priority.REALTIME, priority.RAISED, priority.NORMAL}


def test_it_can_be_left_alone():
    assert asked(PACELINE_PRIORITY="normal") == priority.NORMAL


def test_a_system_that_permits_nothing_is_no_fault(monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse, raising=False)
    monkeypatch.setattr(os, "setpriority", refuse)

    assert priority.raise_priority() == priority.NORMAL
