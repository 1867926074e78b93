"""Rows of traces, kept by their digest, so that a plan that names one can be run again. Reads only its own files."""

import contextlib
import os
import tempfile
from pathlib import Path

import orjson

from core.base_url import PlanError
from core.servers.variants import CACHE_VARIABLE, cache_folder
from core.trace import Rows, Trace
from core.words import say

KEPT = 100  # files; the ones that were used longest ago go first
MOST_BYTES = 64 * 1024 * 1024


def keep(rows: Rows, folder: Path | None = None) -> None:
    """Keep them under their digest. Raises PlanError."""
    place = (folder or shelf()) / f"{rows.digest}.json"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place.parent, suffix=".part", delete=False) as file:
            file.write(orjson.dumps(rows.columns()))
        Path(file.name).replace(place)
        _make_room(place.parent)
    except OSError as fault:
        raise PlanError(
            say("The trace cannot be kept in {folder} ({reason}): free some space or set {variable} to another folder.",
                folder=place.parent, reason=fault.strerror or fault, variable=CACHE_VARIABLE)
        ) from None  # fmt: skip


def find(trace: Trace, folder: Path | None = None) -> Rows | None:
    """The rows of this trace; None if they are not here, or are not what they were."""
    place = (folder or shelf()) / f"{trace.digest}.json"
    try:
        if place.stat().st_size > MOST_BYTES:
            return None
        rows = Rows.of_columns(orjson.loads(place.read_bytes()))
        with contextlib.suppress(OSError):
            os.utime(place)
    except (OSError, ValueError, TypeError, KeyError, OverflowError):
        return None
    return rows if rows.digest == trace.digest and len(rows) == trace.rows else None


def has(trace: Trace) -> bool:
    """Whether rows are kept under its digest; they are not read."""
    return (shelf() / f"{trace.digest}.json").is_file()


def needed(trace: Trace) -> Rows:
    """The rows of this trace. Raises PlanError if this machine does not have them."""
    rows = find(trace)
    if rows is None:
        raise PlanError(
            say("The rows of the trace {name} are not on this machine: add the file it was read from (--trace FILE, or "
                "an upload).", name=trace.name)
        )  # fmt: skip
    return rows


def shelf() -> Path:
    """The folder."""
    return cache_folder() / "traces"


def _make_room(folder: Path) -> None:
    files = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files[KEPT:]:
        file.unlink(missing_ok=True)
