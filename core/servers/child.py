"""A child process that prints its address and ends when its stdin closes. Never knows what it serves."""

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from core.exit_status import how_it_ended
from core.words import say

ROOT = Path(__file__).resolve().parents[2]
TICK_S = 0.1
TAIL_LINES, LAST_LINES, LAST_CHARACTERS = 40, 5, 600


class StartError(RuntimeError):
    """A child process that did not start. The message is one sentence with the last of its stderr."""


class Child:
    """`python -m MODULE ARGUMENTS...` in the project's root, with this interpreter."""

    def __init__(self, module: str, arguments: Sequence[str] = (), environ: dict[str, str] | None = None) -> None:
        """Start it; `environ` is added to this process's environment."""
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._tail: deque[str] = deque(maxlen=TAIL_LINES)
        self._stopping = threading.Lock()
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=ROOT, env={**os.environ, **(environ or {})}, text=True, errors="replace",
        )  # fmt: skip
        self._readers = [
            threading.Thread(target=self._read_stdout, name=f"{module} stdout", daemon=True),
            threading.Thread(target=self._read_stderr, name=f"{module} stderr", daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    @property
    def pid(self) -> int:
        """The process's number."""
        return self.process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self.process.poll() is None

    def line(self, timeout_s: float, *, tick: Callable[[], None] = lambda: None) -> str:
        """The next line of its stdout. Raises StartError when it ends or the time is over before one comes.

        `tick` is called a few times a second meanwhile, and may raise to give up.
        """
        until = time.monotonic() + timeout_s
        found: str | None = None
        while (left_s := until - time.monotonic()) > 0:
            tick()
            with contextlib.suppress(queue.Empty):
                found = self._lines.get(timeout=min(left_s, TICK_S))
                break
        if found is not None:
            return found.strip()
        if self._ends_within(1.0):
            raise StartError(self.sentence(say("The process {how}.", how=how_it_ended(self.process.poll() or 0))))
        raise StartError(self.sentence(say("The process said nothing for {seconds:g} s.", seconds=timeout_s)))

    def last_words(self) -> str:
        """The last of its stderr, as one line that fits into a sentence."""
        lines = [line.strip() for line in tuple(self._tail)[-LAST_LINES:]]
        return " / ".join(line for line in lines if line)[-LAST_CHARACTERS:]

    def sentence(self, what: str) -> str:
        """`what`, followed by the last of its stderr if there is any."""
        words = self.last_words()
        return say("{what} Its last words: {words}", what=what, words=words) if words else what

    def stop(self, grace_s: float = 3.0) -> None:
        """End it: close its stdin, ask, then insist. Returns when it is gone and its pipes are closed."""
        with self._stopping:
            _close(self.process.stdin)
            if not self._ends_within(grace_s):
                self.process.terminate()
                if not self._ends_within(grace_s):
                    self.process.kill()
                    self.process.wait()
            for reader in self._readers:
                reader.join()
            _close(self.process.stdout)
            _close(self.process.stderr)

    def _ends_within(self, seconds: float) -> bool:
        try:
            self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return False
        for reader in self._readers:  # its last words are read before anyone quotes them
            reader.join(timeout=1.0)
        return True

    def _read_stdout(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        for line in stream:
            self._lines.put(line)
        self._lines.put(None)

    def _read_stderr(self) -> None:
        stream = self.process.stderr
        assert stream is not None
        for line in stream:
            self._tail.append(line.rstrip())


def _close(stream: IO[str] | None) -> None:
    if stream is not None:
        with contextlib.suppress(OSError):  # a broken pipe has nothing left to say
            stream.close()
