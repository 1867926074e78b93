"""How much processor time this machine and its processes have used so far, where the system tells. Judges nothing."""

import os
from pathlib import Path

PROC = Path("/proc")


def machine_times(stat: Path = PROC / "stat") -> tuple[float, float] | None:
    """(busy, all) processor time of this machine so far, in the system's ticks; None where it does not tell."""
    try:
        with stat.open() as lines:
            name, *fields = lines.readline().split()
        ticks = [float(field) for field in fields[:8]]
    except (OSError, ValueError):
        return None
    if name != "cpu" or len(ticks) < 5:
        return None
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)  # idle, and waiting for disks


def busy_share(before: tuple[float, float] | None, now: tuple[float, float] | None) -> float | None:
    """How busy all cores were between two looks at `machine_times`: 1.0 left nothing idle; None if not known."""
    if before is None or now is None or now[1] <= before[1]:
        return None
    return min(1.0, max(0.0, (now[0] - before[0]) / (now[1] - before[1])))


def process_seconds(pid: int, proc: Path = PROC) -> float | None:
    """Processor seconds that a living process has used so far; None where the system does not tell."""
    try:
        text = (proc / str(pid) / "stat").read_text(encoding="ascii", errors="replace")
        fields = text.rpartition(")")[2].split()  # the name before it may hold anything
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None
