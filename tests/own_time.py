"""How long something took by itself: by the clock, without what its processes waited for a processor.

Knows nothing of what is timed. Where the system does not tell what was waited, it is the time by the clock.
"""

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import Self

LOOK_S = 0.02  # a process that has ended tells no more: what it waited until then was seen at most so long before


def waits_ns(group: int) -> dict[str, int]:
    """How long each thread of a process group has waited for a processor, which is no delay of its own."""
    found = {}
    for told in Path("/proc").glob("[0-9]*/task/*/schedstat"):
        with contextlib.suppress(OSError):  # some end meanwhile
            if os.getpgid(int(told.parts[2])) == group:
                found[str(told)] = int(told.read_text().split()[1])
    return found


def waited_s(group: int) -> float:
    """That of all its threads that live."""
    return sum(waits_ns(group).values()) / 1e9


class OwnTime:
    """Times what runs within `with`, or from `begin` to `end`; threads of this process group may come and go."""

    def __init__(self) -> None:
        self.wall_s = self.own_s = 0.0
        self._group = os.getpgid(0)
        self._over = threading.Event()
        self._seen: dict[str, int] = {}
        self._looking = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def begin(self) -> None:
        """From here on it counts."""
        self._before = waits_ns(self._group)
        self._began = time.monotonic()
        self._looking.start()

    def end(self) -> None:
        """Up to here; now it can be told."""
        self.wall_s = time.monotonic() - self._began
        self._over.set()
        self._looking.join()
        waited_ns = sum(max(0, seen - self._before.get(thread, 0)) for thread, seen in self._seen.items())
        self.own_s = max(0.0, self.wall_s - waited_ns / 1e9)

    def _look(self) -> None:
        mine = f"/{threading.get_native_id()}/schedstat"  # it waits, too, and holds nothing up
        while True:
            ending = self._over.is_set()
            self._seen |= {thread: ns for thread, ns in waits_ns(self._group).items() if not thread.endswith(mine)}
            if ending:
                return
            self._over.wait(LOOK_S)
