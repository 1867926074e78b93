"""What can go wrong in storage, one noun a situation. Knows DuckDB's words only to turn them into one plain sentence.

StorageProblem
  DatabaseOwned        another process (or another opener in this one) holds the file
  SchemaTooNew         the file was written by a later Paceline
  ForeignDatabase      a DuckDB file, but not one of Paceline's
  NotADatabase         the file is no DuckDB file at all
  DatabaseUnreadable   a DuckDB file that cannot be read
  PlaceNotWritable     the folder or the file cannot be written
  DiskFull             no room for what was to be written
  WriteFailed          a write that failed for another reason
  DatabaseClosed       asked after `close`
  RunNotFound, RunExists, RunNotEnded, UnknownMetric
  EndpointNotFound, EndpointChanged, ConfigurationNotFound, WorkloadNotFound, NameEmpty, NameTaken, SecretInHeader
"""

import re

import duckdb

from core.words import say

FULL = ("No space left on device", "File too large", "Disk quota exceeded", "not enough disk space")
UNWRITABLE = ("Permission denied", "Read-only file system", "Operation not permitted", "in read-only mode")
PID = re.compile(r"\(PID (\d+)\)")


class StorageProblem(Exception):  # noqa: N818 -- nouns for situations, as the house names them
    """Something about the stored data that a person has to know. The message is one sentence for them."""


class DatabaseOwned(StorageProblem):
    """Another opener holds the file; `pid` is None where the system does not tell whose, `address` if it serves."""

    def __init__(self, path: object, pid: int | None, address: str = "") -> None:
        self.pid = pid
        if pid is None:
            text = say(
                "Paceline is already running on {path}: stop it first, or set PACELINE_DB to another file.", path=path
            )
        else:
            text = say(
                "Paceline is already running on {path} as process {pid}{where}: use that one, stop it, or set "
                "PACELINE_DB to another file.",
                path=path,
                pid=pid,
                where=say(" at {address}", address=address) if address else "",
            )
        super().__init__(text)


class SchemaTooNew(StorageProblem):
    """The file was written by a later Paceline."""


class ForeignDatabase(StorageProblem):
    """A DuckDB file with somebody else's tables."""


class NotADatabase(StorageProblem):
    """The file is no DuckDB file."""


class DatabaseUnreadable(StorageProblem):
    """A DuckDB file that cannot be read."""


class PlaceNotWritable(StorageProblem):
    """The folder or the file cannot be written."""


class DiskFull(StorageProblem):
    """No room for what was to be written."""


class WriteFailed(StorageProblem):
    """A write that failed for a reason without its own name."""


class DatabaseClosed(StorageProblem):
    """Asked after `close`."""


class RunNotFound(StorageProblem):
    """No run has this id."""


class RunExists(StorageProblem):
    """A run with this id is stored already."""


class RunNotEnded(StorageProblem):
    """A queued or running run cannot be deleted."""


class UnknownMetric(StorageProblem):
    """No metric has this key."""


class EndpointNotFound(StorageProblem):
    """No endpoint has this name."""


class WorkloadNotFound(StorageProblem):
    """No saved workload has this name."""


class ConfigurationNotFound(StorageProblem):
    """No configuration has this id."""


class NameEmpty(StorageProblem):
    """A name without a visible character."""


class EndpointChanged(StorageProblem):
    """Somebody else changed, renamed or deleted it while it was edited."""


class NameTaken(StorageProblem):
    """Another one has this name; capital letters make no difference."""


class SecretInHeader(StorageProblem):
    """A header that looks like a key; keys are never stored."""


def first_line(fault: BaseException) -> str:
    """DuckDB's own words without its advice and its stack."""
    return str(fault).strip().partition("\n")[0][:300]


def from_opening(fault: Exception, path: object) -> StorageProblem:
    """The noun behind what DuckDB said when the file was opened."""
    text = str(fault)
    if "Could not set lock" in text or "different configuration" in text:
        found = PID.search(text)
        return DatabaseOwned(path, int(found.group(1)) if found else None)
    if "not a valid DuckDB database file" in text:
        return NotADatabase(
            say("{path} is not a Paceline database: move it away, or set PACELINE_DB to another file.", path=path)
        )
    if _has(text, UNWRITABLE):
        return PlaceNotWritable(
            say("{path} cannot be written ({fault}): change its rights, or set PACELINE_DB to another file.",
                path=path, fault=first_line(fault))
        )  # fmt: skip
    if _has(text, FULL):
        return disk_full(path)
    return DatabaseUnreadable(
        say("{path} cannot be read ({fault}): move it away to start afresh, or put a copy of it back.",
            path=path, fault=first_line(fault))
    )  # fmt: skip


def from_writing(fault: Exception, path: object) -> StorageProblem:
    """The noun behind what DuckDB said when something was written."""
    if isinstance(fault, StorageProblem):
        return fault
    if isinstance(fault, duckdb.OutOfMemoryException) and not _has(str(fault), FULL):
        return WriteFailed(say("The database ran out of memory while writing ({fault}).", fault=first_line(fault)))
    if _has(str(fault), FULL):
        return disk_full(path)
    return WriteFailed(say("The database could not be written ({fault}).", fault=first_line(fault)))


def disk_full(path: object) -> DiskFull:
    """The one sentence for a disk without room."""
    return DiskFull(
        say("The disk that holds {path} is full: make room, then go on. Nothing already saved is lost.", path=path)
    )


def _has(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)
