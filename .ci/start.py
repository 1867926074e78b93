"""Starts the app in this very process (so that a signal reaches it), or says in one sentence why it cannot."""

import argparse
import errno
import os
import re
import runpy
import signal
import socket
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Check the port and become the server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", default="8501")
    parser.add_argument("--address", default="127.0.0.1")
    chosen = parser.parse_args()
    if not re.fullmatch("[0-9]{1,5}", chosen.port) or not 0 < int(chosen.port) < 65536:
        sys.exit(f"PORT={chosen.port[:20]} is not a port: give a number from 1 to 65535.")
    problem = occupied(chosen.address, int(chosen.port))
    if problem:
        sys.exit(problem)
    os.chdir(ROOT)
    sys.path[0] = str(ROOT)  # in place of this folder
    signal.signal(signal.SIGINT, ended)
    options = [f"--server.port={chosen.port}", f"--server.address={chosen.address}", "--server.headless=true"]
    sys.argv = ["streamlit", "run", "app.py", *options]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def ended(_signal: int, _frame: object) -> None:
    """Ctrl-C is how Paceline is ended, so nothing is wrong then. The app has closed everything by now, or not begun."""
    print("\nPaceline has ended.", flush=True)
    sys.exit(0)


def occupied(address: str, port: int) -> str | None:
    """Why the server could not listen there, None if it can."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as fault:
            if fault.errno == errno.EADDRINUSE:
                return f"Port {port} is taken by another program: choose one with make run PORT={port % 65535 + 1}"
            return f"Cannot listen on {address} port {port}: {fault.strerror}."
    return None


if __name__ == "__main__":
    main()
