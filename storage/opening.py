"""How the file is taken and opened: its folder, its owner, its write-ahead log, its limits. Knows no table."""

import fcntl
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from core.environment import memory_bytes
from core.plain_file import kind_fault
from core.words import say
from storage.log_end import breaks_off
from storage.problems import DatabaseOwned, NotADatabase, PlaceNotWritable, disk_full, from_opening

MEMORY_SHARE = 0.25  # of what this process group may have: pages, servers and the measuring child need the rest
LEAST_MEMORY = 256 << 20
MOST_MEMORY = 4 << 30
LOG_ENDINGS = (".wal", ".wal.checkpoint", ".wal.recovery")
NO_ROOM = (28, 122)  # ENOSPC, EDQUOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Ownership:
    """The right to open the file, held until `release` or until the process dies.

    A lock file of our own beside DuckDB's lock: it covers the moments when a broken log is moved and the file is
    opened again, it refuses a second opener in this process too, and it names the owner. Never open the database
    file itself here: closing any descriptor of it drops the POSIX lock that DuckDB holds.
    """

    descriptor: int

    def release(self) -> None:
        """Give the file free. The lock file stays: removing it would race with the next owner."""
        os.close(self.descriptor)


def own(path: Path) -> Ownership:
    """Take the file for this process. Raises DatabaseOwned, NotADatabase, PlaceNotWritable, DiskFull."""
    _require_files(path)
    lock = path.with_name(path.name + ".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as fault:
        raise _cannot_write(path, fault) from fault
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        owner = os.pread(descriptor, 32, 0).split(b"\n")[0]
        os.close(descriptor)
        raise DatabaseOwned(path, int(owner) if owner.isdigit() else None, _address(path)) from None
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
    except OSError as fault:
        os.close(descriptor)
        raise _cannot_write(path, fault) from fault
    return Ownership(descriptor=descriptor)


def _require_files(path: Path) -> None:
    """Refuse what is there and is no file, before anything opens it: a pipe would wait for its other end for ever."""
    for one in (path, *(path.with_name(path.name + ending) for ending in (*LOG_ENDINGS, ".lock")), address_file(path)):
        try:
            fault = kind_fault(one.stat().st_mode)
        except (OSError, ValueError):  # not there, or not to be seen: opening it says why
            continue
        if fault and one == path:
            raise NotADatabase(say("{path} cannot be the database, {fault}: set PACELINE_DB to a file.",
                                   path=path, fault=fault))  # fmt: skip
        if fault:
            raise NotADatabase(say("{path} belongs to the database, but {fault}: move it away, or set PACELINE_DB to "
                                   "another file.", path=one, fault=fault))  # fmt: skip


def address_file(path: Path) -> Path:
    """Where a running app writes the address at which it answers."""
    real = path.resolve()
    return real.with_name(real.name + ".address")


def _address(path: Path) -> str:
    try:
        return address_file(path).read_text(encoding="utf-8").strip()[:200]
    except (OSError, UnicodeDecodeError):
        return ""


def connect(path: Path) -> tuple[duckdb.DuckDBPyConnection, list[str]]:
    """Open the owned file, and say in sentences what was set aside to do so. Raises a StorageProblem."""
    broke_off = breaks_off(path.with_name(path.name + ".wal"))
    try:
        connection = _connect(path)
    except duckdb.Error as fault:
        problem = from_opening(fault, path)
        if isinstance(problem, DatabaseOwned | NotADatabase | PlaceNotWritable) or not _logs(path):
            raise problem from fault
        return _connect_without_log(path, fault)
    if not _ignored_log(connection, path):
        return connection, [_told_break()] if broke_off else []
    connection.close()
    aside = _set_aside(path)
    return _connect(path), [_told(aside)]


def _connect_without_log(path: Path, fault: duckdb.Error) -> tuple[duckdb.DuckDBPyConnection, list[str]]:
    aside = _set_aside(path)
    try:
        return _connect(path), [_told(aside)]
    except duckdb.Error:
        for moved, log in aside:  # the log was not to blame: leave everything as it was found
            moved.rename(log)
        raise from_opening(fault, path) from fault


def _connect(path: Path) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(
        str(path),
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "memory_limit": f"{memory_limit(memory_bytes()) >> 20}MiB",
            # a query of a page must leave a core to the measuring child
            "threads": str(max(1, min(4, (os.cpu_count() or 2) - 1))),
        },
    )


def memory_limit(memory: int | None) -> int:
    """Bytes that DuckDB may use: a share of what this process may have; the least where that is not told."""
    return int(min(max((memory or 0) * MEMORY_SHARE, LEAST_MEMORY), MOST_MEMORY))


def _logs(path: Path) -> list[Path]:
    found = [path.with_name(path.name + ending) for ending in LOG_ENDINGS]
    return [log for log in found if log.exists()]


def _ignored_log(connection: duckdb.DuckDBPyConnection, path: Path) -> bool:
    """Whether DuckDB passed over a log that it took for no log at all, and would overwrite."""
    log = path.with_name(path.name + ".wal")
    if not log.exists() or log.stat().st_size == 0:
        return False
    rows = connection.execute("SELECT wal_size FROM pragma_database_size()").fetchall()
    return bool(rows) and re.fullmatch(r"0 bytes", str(rows[0][0])) is not None


def _set_aside(path: Path) -> list[tuple[Path, Path]]:
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    moved = []
    for log in _logs(path):
        aside = log.with_name(f"{log.name}.unreadable-{stamp}")
        log.rename(aside)
        moved.append((aside, log))
    return moved


def _told(aside: list[tuple[Path, Path]]) -> str:
    return say(
        "The log of the last changes could not be read and was set aside as {names}. Everything saved before it is "
        "here; what was measured in the last moments before Paceline stopped may be missing.",
        names=", ".join(moved.name for moved, _ in aside),
    )


def _told_break() -> str:
    return say(
        "The log of the last changes breaks off in the middle of one. Everything saved before that is here; what was "
        "measured in the last moments before Paceline stopped may be missing."
    )


def _cannot_write(path: Path, fault: OSError) -> Exception:
    if fault.errno in NO_ROOM:
        return disk_full(path)
    return PlaceNotWritable(
        say(
            "The folder {folder} cannot be written ({fault}): change its rights, or set PACELINE_DB to another file.",
            folder=path.parent,
            fault=fault.strerror or fault,
        )
    )
