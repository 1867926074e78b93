"""`cli.py export`: stored runs as a run file, from the database or, while the app holds it, from the app itself.

Knows where a running app answers (a file beside the database), never what is in a run.
"""

import base64
import os
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote

from core.words import say
from storage.database import Database, default_path
from storage.opening import address_file
from storage.problems import DatabaseOwned, StorageProblem
from storage.runs import RunStore
from storage.transfer import Transfer

ASK_S = 60.0
ROUTE = "/export/{run_id}"
RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """The password goes to the app itself and nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        """Follow none."""


# No proxy either: it would be given the password.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirect)


def export(run_id: str, out: Path | None) -> int:
    """Write the file of a run or of an experiment to `out` or to standard output; the exit status."""
    try:
        content = _content(run_id)
        if out is None:
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
        else:
            out.write_bytes(content)
    except StorageProblem as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    except OSError as fault:
        sys.stderr.write(say("{path} cannot be written: {fault}.", path=out, fault=fault.strerror or fault) + "\n")
        return 1
    return 0


def _content(run_id: str) -> bytes:
    if not RUN_ID.fullmatch(run_id):
        words = "{id!r} is no run's id and no experiment's: a run's page shows the one, a launch's address the other."
        raise StorageProblem(say(words, id=run_id[:100]))
    path = default_path()
    if not path.exists():
        raise StorageProblem(say("There is no database at {path}: run something first, or set PACELINE_DB.", path=path))
    try:
        with Database.open(path) as database:
            return Transfer(RunStore(database)).file_of(run_id)
    except DatabaseOwned:
        address = address_file(path)
        if not address.exists():
            raise
        return _ask(address.read_text(encoding="utf-8").strip(), run_id)


def _ask(address: str, run_id: str) -> bytes:
    """The file as the running app gives it. Raises StorageProblem."""
    request = urllib.request.Request(address + ROUTE.format(run_id=quote(run_id, safe="")))  # noqa: S310 -- our own app
    password = os.environ.get("PACELINE_PASSWORD")
    if password:
        request.add_header("Authorization", "Basic " + base64.b64encode(f":{password}".encode()).decode())
    try:
        with OPENER.open(request, timeout=ASK_S) as answer:
            content: bytes = answer.read()
            return content
    except urllib.error.HTTPError as fault:
        sentence = fault.read(2000).decode("utf-8", "replace").strip() or str(fault)
        raise StorageProblem(say("The running app says: {sentence}", sentence=sentence)) from None
    except OSError as fault:
        raise StorageProblem(
            say("The app that holds the database does not answer at {address}: {fault}.", address=address, fault=fault)
        ) from None
