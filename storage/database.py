"""The one DuckDB file: opened, owned, written by one thread, read through cursors. Knows no run and no endpoint."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import duckdb

from core.words import say
from storage import opening, schema
from storage.opening import Ownership
from storage.problems import (
    DatabaseClosed,
    StorageProblem,
    first_line,
    from_opening,
    from_writing,
)
from storage.writer import Writer, transaction

Result = TypeVar("Result")


def default_path() -> Path:
    """Where the database lies: PACELINE_DB, or data/paceline.duckdb beside the program."""
    chosen = os.environ.get("PACELINE_DB")
    return Path(chosen) if chosen else Path(__file__).parents[1] / "data" / "paceline.duckdb"


class Database:
    """The open file. One for the whole process; every method may be called from any thread."""

    def __init__(
        self, path: Path, connection: duckdb.DuckDBPyConnection, ownership: Ownership, messages: list[str]
    ) -> None:
        self.path = path
        self._root = connection
        self._ownership = ownership
        self._messages = tuple(messages)
        self._trouble: str | None = None
        self._cursors = threading.Lock()
        self._open = True
        self._writer = Writer(connection.cursor(), self._report, lambda fault: from_writing(fault, path))

    @classmethod
    def open(cls, path: Path | None = None) -> Self:
        """Own, open and bring up to date the file at `path`. Raises a StorageProblem, one plain sentence."""
        real = (path or default_path()).resolve()
        with ExitStack() as undo:
            ownership = opening.own(real)
            undo.callback(ownership.release)
            connection, messages = opening.connect(real)
            undo.callback(connection.close)
            try:
                schema.migrate(connection, real)
                connection.execute("CHECKPOINT")
                connection.execute("SET enable_external_access = false")
                connection.execute("SET lock_configuration = true")
            except duckdb.Error as fault:
                raise from_opening(fault, real) from fault
            undo.pop_all()
        return cls(real, connection, ownership, messages)

    @property
    def messages(self) -> tuple[str, ...]:
        """Sentences that the user should see: what was set aside at the start, what cannot be written now."""
        trouble = self._trouble
        return (*self._messages, trouble) if trouble else self._messages

    @property
    def trouble(self) -> str | None:
        """Of these, what is not over: why nothing can be written now."""
        return self._trouble

    def well(self) -> None:
        """What could not be written has been written after all."""
        self._trouble = None

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A reader of its own for one thread: close it, or use it in a `with`."""
        with self._cursors:
            if not self._open:
                raise DatabaseClosed(say("The database is closed: start Paceline again."))
            return self._root.cursor()

    @contextmanager
    def snapshot(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor that sees one moment of all tables, whatever is written meanwhile."""
        with self.cursor() as cursor, transaction(cursor):
            yield cursor

    def write(self, job: Callable[[duckdb.DuckDBPyConnection], Result]) -> Result:
        """Run `job(connection)` in the writer thread, all or nothing, and wait. Raises what the job raised."""

        def whole(connection: duckdb.DuckDBPyConnection) -> Result:
            with transaction(connection):
                return job(connection)

        result: Result = self._writer.call(whole)
        return result

    def soon(self, job: Callable[[duckdb.DuckDBPyConnection], Any], within_s: float) -> None:
        """Run `job` in the writer at most `within_s` from now, once however often asked; it makes its transactions.

        Nobody waits: an error becomes one of `messages`, until `well`.
        """
        self._writer.soon(job, within_s)

    def flush(self, job: Callable[[duckdb.DuckDBPyConnection], Result]) -> Result:
        """Like `write`, for a job that makes its own transactions."""
        result: Result = self._writer.call(job)
        return result

    def checkpoint(self) -> None:
        """Move the log into the file now."""
        self._writer.call(lambda connection: connection.execute("CHECKPOINT"))

    def close(self) -> None:
        """Write what is waiting, checkpoint, and give the file free. A second call does nothing."""
        with self._cursors:
            if not self._open:
                return
            self._open = False
        self._writer.close()
        try:
            self._root.execute("CHECKPOINT")
        except duckdb.Error as fault:  # the log keeps what the checkpoint could not move: nothing is lost
            self._report(fault)
        finally:
            self._root.close()
            self._ownership.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _report(self, fault: BaseException) -> None:
        known = isinstance(fault, StorageProblem)
        self._trouble = str(fault) if known else say("Saving failed: {fault}.", fault=first_line(fault) or repr(fault))
