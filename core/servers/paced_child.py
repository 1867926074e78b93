"""The paced simulator as a child process, and what its log says. Knows where it listens, never how it paces."""

import json
import shutil
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from core.servers.child import Child, StartError
from core.servers.pace import MODELS

START_S = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What the simulator did for one request; times in seconds of the monotonic clock.

    Attributes:
        received_s: When the kernel had the request, where the system tells.
        max_late_s: The longest that a token left after it was due: the simulator's own error.
    """

    request_id: str
    received_s: float
    first_s: float
    last_s: float
    ended_s: float
    tokens: int
    max_late_s: float


class PacedServer:
    """A running simulator. `with PacedServer() as server:` stops it at the end, whatever happens."""

    model = MODELS[0]

    def __init__(self, log: Path | None = None) -> None:
        """Start it and wait for its address. Raises StartError."""
        self._folder = None if log else Path(tempfile.mkdtemp(prefix="paceline-paced-"))
        self.log = (log or Path(str(self._folder), "truth.jsonl")).resolve()
        self._child = Child("core.servers.paced", ["--port", "0", "--log", str(self.log)])
        try:
            self.base_url = self._child.line(START_S)
        except StartError:
            self.stop()
            raise
        self.pid = self._child.pid

    def __enter__(self) -> Self:
        """Already running."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it."""
        self.stop()

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._child.alive

    def stop(self) -> None:
        """End it and remove its log, unless the caller chose the file."""
        self._child.stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def rows(self) -> list[dict[str, Any]]:
        """The log's lines so far, `aborted` ones too; it is at most 0.2 s behind."""
        text = self.log.read_text() if self.log.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def aborted(self) -> list[dict[str, Any]]:
        """The lines of requests whose client went away."""
        return [row for row in self.rows() if row.get("aborted")]

    def truths(self, wanted: Iterable[str] = (), timeout_s: float = 2.0) -> dict[str, Truth]:
        """Finished requests by their X-Request-Id, once those of `wanted` are there or the time is over."""
        until, missing = time.monotonic() + timeout_s, set(wanted)
        while True:
            found = {row["id"]: _truth(row) for row in self.rows() if "recv_ns" in row}
            if missing <= found.keys() or time.monotonic() > until:
                return found
            time.sleep(0.05)


def _truth(row: dict[str, Any]) -> Truth:
    return Truth(
        request_id=row["id"],
        received_s=row["recv_ns"] / 1e9,
        first_s=row["first_ns"] / 1e9,
        last_s=row["last_ns"] / 1e9,
        ended_s=row["end_ns"] / 1e9,
        tokens=row["n"],
        max_late_s=row["max_late_us"] / 1e6,
    )
