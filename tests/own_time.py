"""How long something took by itself: by the clock, without what its processes waited for a processor.

Of each process it is the thread that waited longest: a sum over all of them would forgive any delay on a busy machine.
Knows nothing of what is timed. Where the system does not tell what was waited, it is the time by the clock.
"""

import contextlib
import os
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Self

LOOK_S = 0.02  # a process that has ended tells no more: what it waited until then was seen at most so long before
PROC = Path("/proc")

Waits = dict[tuple[int, int], int]  # (process, thread) to nanoseconds


def of_tree(root: int) -> list[int]:
    """A process and all that it started, as far as they live."""
    found = [root]
    for pid in found:
        for told in PROC.glob(f"{pid}/task/*/children"):
            with contextlib.suppress(OSError):  # some end meanwhile
                found += [int(child) for child in told.read_text().split()]
    return found


def of_group(group: int) -> list[int]:
    """The processes of a group."""
    found = []
    for told in PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.getpgid(int(told.name)) == group:
                found.append(int(told.name))
    return found


def waits(processes: Iterable[int]) -> Waits:
    """How long each of their threads has waited for a processor, which is no delay of its own."""
    found = {}
    for pid in processes:
        for told in PROC.glob(f"{pid}/task/*/schedstat"):
            with contextlib.suppress(OSError):
                found[pid, int(told.parts[4])] = int(told.read_text().split()[1])
    return found


def held_s(before: Waits, after: Waits) -> float:
    """What processes were held up in between: of each the thread that waited longest."""
    longest: dict[int, int] = {}
    for (pid, thread), ns in after.items():
        longest[pid] = max(longest.get(pid, 0), ns - before.get((pid, thread), 0))
    return sum(longest.values()) / 1e9


class OwnTime:
    """Times what runs within `with`, or from `begin` to `end`; processes and threads that it starts may come and go."""

    def __init__(self) -> None:
        self.wall_s = self.own_s = 0.0
        self._over = threading.Event()
        self._seen: Waits = {}
        self._looking = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def begin(self) -> None:
        """From here on it counts."""
        self._before = waits(of_tree(os.getpid()))
        self._began = time.monotonic()
        self._looking.start()

    def end(self) -> None:
        """Up to here; now it can be told."""
        self.wall_s = time.monotonic() - self._began
        self._over.set()
        self._looking.join()
        self.own_s = max(0.0, self.wall_s - held_s(self._before, self._seen))

    def _look(self) -> None:
        mine = (os.getpid(), threading.get_native_id())  # it waits, too, and holds nothing up
        while True:
            ending = self._over.is_set()
            self._seen |= {one: ns for one, ns in waits(of_tree(os.getpid())).items() if one != mine}
            if ending:
                return
            self._over.wait(LOOK_S)
