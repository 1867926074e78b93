"""The one thread that writes. Knows order and time, never what is written.

Every job runs in it, one after the other, on the database's own connection. A caller waits for its job and gets the
job's result or its error; a job that nobody waits for hands its error to `report`.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
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
    try:
        yield connection
    except BaseException:
        connection.rollback()
        raise
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
        self._queue: queue.Queue[tuple[Job, Future[Any]] | None] = queue.Queue(WAITING_JOBS)
        self._due: dict[Job, float] = {}
        self._lock = threading.Lock()
        self._gate = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="paceline-writer", daemon=True)
        self._thread.start()

    def call(self, job: Job) -> Any:
        """Run `job(connection)` in the writer and wait: its result, or its error raised here."""
        if threading.current_thread() is self._thread:
            return job(self._connection)
        future: Future[Any] = Future()
        self._put(job, future)
        return future.result()

    def soon(self, job: Job, within_s: float) -> None:
        """Run `job` at most `within_s` from now, once however often it was asked for until then."""
        with self._lock:
            asleep = not self._due
            self._due.setdefault(job, time.monotonic() + within_s)
        if asleep and threading.current_thread() is not self._thread:
            self._put(_nothing, Future())

    def close(self) -> None:
        """Run what is waiting, then end the thread. A second call does nothing."""
        with self._gate:
            if self._closed:
                return
            self._closed = True
            self._queue.put(None)
        self._thread.join()

    def _put(self, job: Job, future: Future[Any]) -> None:
        with self._gate:  # nothing is put behind the None of `close`, where nobody would run it
            if self._closed:
                raise DatabaseClosed(say("The database is closed: start Paceline again."))
            self._queue.put((job, future))

    def _run(self) -> None:
        while True:
            try:
                task = self._queue.get(timeout=self._pause_s())
            except queue.Empty:
                task = (_nothing, Future())
            if task is None:
                self._run_due(everything=True)
                return
            self._try(*task)
            self._run_due(everything=False)

    def _pause_s(self) -> float | None:
        with self._lock:
            if not self._due:
                return None
            return max(0.0, min(self._due.values()) - time.monotonic())

    def _run_due(self, *, everything: bool) -> None:
        now = time.monotonic()
        with self._lock:
            jobs = [job for job, at in self._due.items() if everything or at <= now]
            for job in jobs:
                del self._due[job]
        for job in jobs:
            future: Future[Any] = Future()
            self._try(job, future)
            fault = future.exception()
            if fault is not None:
                self._report(fault)

    def _try(self, job: Job, future: Future[Any]) -> None:
        try:
            result = job(self._connection)
        except duckdb.Error as fault:
            problem = self._translate(fault)
            problem.__cause__ = fault
            future.set_exception(problem)
        except BaseException as fault:  # noqa: BLE001 -- it is raised where the job was asked for
            future.set_exception(fault)
        else:
            future.set_result(result)


def _nothing(_connection: duckdb.DuckDBPyConnection) -> None:
    """Wake the thread, so that it looks at the clock."""
