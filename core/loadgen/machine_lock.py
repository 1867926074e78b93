"""Two measured runs never overlap on one machine, whichever process starts them. Knows one lock file, no run."""

import fcntl
import os
from pathlib import Path
from typing import Self

from core.words import say


def lock_path() -> Path:
    """The machine's one lock, the same for every user and every TMPDIR; PACELINE_LOCK names another (tests)."""
    return Path(os.environ.get("PACELINE_LOCK") or "/tmp/paceline-measuring.lock")  # noqa: S108 -- shared on purpose


class LockUnusable(OSError):  # noqa: N818 -- a noun for one situation
    """The lock's file cannot be opened; the message is a sentence."""


class MachineLock:
    """Held by the measuring child itself, so it goes with the child however that ends."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or lock_path()
        self._fd: int | None = None

    def try_acquire(self) -> bool:
        """Take the lock if it is free. Raises LockUnusable."""
        if self._fd is None:
            self._fd = self._open()
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _open(self) -> int:
        """Reading is enough to lock: another user's file in a shared folder may not be writable, nor made anew.

        Whatever has that name, a pipe too, is opened at once.
        """
        try:
            try:
                return os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            except FileNotFoundError:
                fd = os.open(self.path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
                os.fchmod(fd, 0o666)  # whatever the umask: others measure here, too
                return fd
        except OSError as fault:
            raise LockUnusable(
                say(
                    "The lock {path}, by which measured runs keep out of each other's way, cannot be used: {reason}. "
                    "Remove the file, or name another in PACELINE_LOCK.",
                    path=self.path,
                    reason=fault.strerror or fault,
                )
            ) from None

    def release(self) -> None:
        """Let the next run begin."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
