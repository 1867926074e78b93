"""Whether this process was awake while an answer came, and how busy its machine was. Knows no request.

What a late reader reads together need not have come together: how a stream arrived is judged with this in hand.
"""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from core.processor_time import busy_share, machine_times

PERIOD_S = 0.005


class Attention:
    """A thread that sleeps a little again and again, and keeps how late it woke. Use as a context manager.

    It shares the interpreter with whoever reads the answer: what holds one up holds up the other.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="probe-attention", daemon=True)
        self._due = 0.0
        self.late_s = 0.0
        self.busy_share: float | None = None

    def __enter__(self) -> Self:
        self._before = machine_times()
        self._due = self._clock() + PERIOD_S
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _fault: BaseException | None, _at: TracebackType | None
    ) -> None:
        self._look()  # the thread may still be held up
        self._over.set()
        self._thread.join()
        self.busy_share = busy_share(self._before, machine_times())

    def anew(self) -> None:
        """What was late until now is forgotten: only what comes from here on is judged."""
        self._due = self._clock() + PERIOD_S
        self.late_s = 0.0

    def _watch(self) -> None:
        while not self._over.wait(PERIOD_S):
            self._look()
            self._due = self._clock() + PERIOD_S

    def _look(self) -> None:
        self.late_s = max(self.late_s, self._clock() - self._due)
