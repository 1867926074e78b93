"""Two measured runs never overlap on one machine, whichever process starts them. Knows one lock file, no run."""

import fcntl
import os
import tempfile
from pathlib import Path
from typing import Self


def lock_path() -> Path:
    """The machine's one lock; PACELINE_LOCK names another (tests)."""
    return Path(os.environ.get("PACELINE_LOCK") or Path(tempfile.gettempdir()) / "paceline-measuring.lock")


class MachineLock:
    """Held by the measuring child itself, so it goes with the child however that ends."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or lock_path()
        self._fd: int | None = None

    def try_acquire(self) -> bool:
        """Take the lock if it is free. Raises OSError if the file cannot be opened at all."""
        if self._fd is None:
            # Reading is enough to lock, and another user's file in a shared folder may not be writable.
            self._fd = os.open(self.path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        """Let the next run begin."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
