"""The app as `make run` starts it, on a free port with a database of its own. Ends only what it started."""

import base64
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[1]
COUNTING = ("COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START")  # what tells a child to count what it runs
START_S = 60.0  # a loaded machine may be slow; nothing here measures time


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def signed_in(password: str) -> str:
    """What a browser sends once its reader has typed the password."""
    return "Basic " + base64.b64encode(f"anybody:{password}".encode()).decode()


class RunningApp:
    """One started app in its own process group; use it as a context."""

    def __init__(self, folder: Path, **environment: str) -> None:
        """Start it; everything it keeps lies in `folder`, unless `environment` says otherwise."""
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.database = folder / "paceline.duckdb"
        self.log = folder / f"app-{self.port}.log"
        self.password = environment.get("PACELINE_PASSWORD")
        inherited = {name: value for name, value in os.environ.items() if name not in COUNTING}
        own = {
            "PACELINE_DB": str(self.database),
            "PACELINE_LOCK": str(folder / "measuring.lock"),
            "PACELINE_SECRETS": str(folder / "secrets.toml"),
        }
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(ROOT / ".ci" / "start.py"), "--port", str(self.port)],
                env=inherited | own | environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        """Wait until it answers."""
        until = time.monotonic() + START_S
        while not self.answers():
            assert self.process.poll() is None, f"The app ended: {self.said()}"
            assert time.monotonic() < until, f"The app does not answer: {self.said()}"
            time.sleep(0.1)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it as Ctrl-C would; whatever of its group is left after ten seconds is ended."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGINT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End the app alone at once, as a crash does; its children must see to themselves."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait(10)

    def answers(self) -> bool:
        """Whether the server is up."""
        try:
            return self.get("/_stcore/health")[0] == 200
        except OSError:
            return False

    def get(self, path: str, *, password: str | None = None) -> tuple[int, bytes]:
        """The status and body at one of its addresses; the password is its own unless told, "" is none."""
        request = urllib.request.Request(self.address + path)
        given = self.password if password is None else password
        if given:
            request.add_header("Authorization", signed_in(given))
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read()

    def said(self) -> str:
        """What it wrote to its terminal."""
        return self.log.read_text(errors="replace")[-4000:]
