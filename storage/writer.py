"""The one thread that writes. Knows order and time, never what is written.

Every job runs in it, one after the other, on the database's own connection. A caller waits for its job and gets the
job's result or its error; the error of a job that nobody waits for goes to `report`.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import duckdb

from core.words import say
from storage.problems import DatabaseClosed

WAITING_JOBS = 256  # a caller waits for a free place beyond this
Job = Callable[[duckdb.DuckDBPyConnection], Any]


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """All of the block or nothing of it."""
    connection.begin()
    with ExitStack() as undo:
        undo.callback(connection.rollback)
        yield connection
        undo.pop_all()  # a commit that fails has rolled back by itself
    connection.commit()


class Writer:
    """Runs jobs in order in its own thread until `close`."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        report: Callable[[BaseException], None],
        translate: Callable[[Exception], Exception],
    ) -> None:
        self._connection = connection
        self._report = report
        self._translate = translate
        self._pool = ThreadPoolExecutor(1, "paceline-writer", self._remember_thread)
        self._places = threading.BoundedSemaphore(WAITING_JOBS)
        self._thread: int | None = None
        self._due: dict[Job, threading.Timer] = {}
        self._lock = threading.Lock()
        self._closed = False

    def call(self, job: Job) -> Any:
        """Run `job(connection)` in the writer and wait: its result, or its error raised here."""
        if threading.get_ident() == self._thread:
            return job(self._connection)
        with self._places:
            with self._lock:
                self._refuse_if_closed()
                future = self._pool.submit(job, self._connection)
            try:
                return future.result()
            except duckdb.Error as fault:
                raise self._translate(fault) from fault

    def soon(self, job: Job, within_s: float) -> None:
        """Run `job` in `within_s` from now, once however often it was asked for until then."""
        with self._lock:
            self._refuse_if_closed()
            if job not in self._due:
                timer = threading.Timer(within_s, self._now, [job])
                timer.daemon = True
                self._due[job] = timer
                timer.start()

    def close(self) -> None:
        """Run what is waiting, then end the thread. A second call does nothing."""
        with self._lock:
            self._closed = True
            due, self._due = self._due, {}
            for job, timer in due.items():
                timer.cancel()
                self._pool.submit(job, self._connection).add_done_callback(self._done)
        self._pool.shutdown()

    def _now(self, job: Job) -> None:
        with self._lock:
            if self._due.pop(job, None) is not None:
                self._pool.submit(job, self._connection).add_done_callback(self._done)

    def _done(self, future: Future[Any]) -> None:
        fault = future.exception()
        if fault is not None:
            self._report(self._translate(fault) if isinstance(fault, duckdb.Error) else fault)

    def _remember_thread(self) -> None:
        self._thread = threading.get_ident()

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise DatabaseClosed(say("The database is closed: start Paceline again."))
