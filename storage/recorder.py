"""How a live run comes into the database: its start, what is learnt of it, its requests in batches, its end.

Never reads a summary. Records wait at most FLUSH_S before they are committed, so a kill -9 costs less than a second of
measurement.
"""

import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import duckdb

from core.records import RequestRecord
from core.run import LIVE_STATES, Run, RunState
from core.words import say
from storage import columns, journal, run_values, summaries
from storage.database import Database
from storage.journal import Backlog
from storage.problems import DatabaseClosed, RunExists, RunNotFound
from storage.writer import transaction

FLUSH_S = 0.4
RETRY_S = 2.0
SLICE = 5_000  # records of a whole run that are handed over at once
MOST_WAITING = 20_000  # records; beyond, the caller writes them itself and waits


@dataclass(slots=True, kw_only=True)
class _Live:
    """A run that is being recorded: its number, the next request's place, what waits in the journal.

    `news` and `ending` wait to be stored: columns of its row, the latter those that its end tells.
    """

    no: int
    ordinal: int = 0
    news: dict[str, str | None] | None = None
    ending: dict[str, Any] | None = None
    backlog: Backlog = field(default_factory=Backlog)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    """Records not yet committed."""

    live: _Live
    first_ordinal: int
    records: tuple[RequestRecord, ...]


class Recorder:
    """The writing side of the runs; may be called from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._live: dict[str, _Live] = {}
        self._ended: set[str] = set()
        self._waiting: list[_Waiting] = []
        self._waiting_records = 0
        columns.table(0, ())  # loads what pyarrow loads at its first list, not in a run's first half second

    def run_started(self, run: Run) -> None:
        """Store a run that begins now. Raises RunExists."""
        values = run_values.row(run)

        def insert(connection: duckdb.DuckDBPyConnection) -> int:
            if connection.execute("SELECT 1 FROM runs WHERE id = ?", [run.id]).fetchall():
                raise RunExists(say("A run with the id {id} is stored already.", id=run.id))
            found = connection.execute("SELECT coalesce(max(no), 0) + 1 FROM runs").fetchall()
            no = int(found[0][0])
            names = ", ".join(values)
            places = ", ".join("?" * len(values))
            connection.execute(f"INSERT INTO runs (no, {names}) VALUES (?, {places})", [no, *values.values()])  # noqa: S608 -- names are ours
            return no

        no = self._database.write(insert)
        with self._lock:
            self._live[run.id] = _Live(no=no)

    def run_goes_on(self, run: Run) -> None:
        """Take what is known by now of a run that has not ended: it may never tell its end.

        It is stored with the requests that are committed next, the last of several alone.
        """
        news = run_values.known(run)
        with self._lock:
            live = self._live.get(run.id)
            if live is None:
                raise RunNotFound(say("No run {id} is being recorded.", id=run.id))
            live.news = news
        self._database.soon(self._flush, FLUSH_S)

    def requests(self, run_id: str, records: Sequence[RequestRecord]) -> None:
        """Take ended requests; they are committed within half a second.

        What cannot be committed waits and is tried again, which `Database.messages` tells. Once MOST_WAITING wait, no
        more are taken: raises what the commit failed with.
        """
        if not records:
            return
        with self._lock:
            live = self._live.get(run_id)
            if live is None:
                raise RunNotFound(say("No run {id} is being recorded.", id=run_id))
            crowded = self._waiting_records >= MOST_WAITING
        if crowded:
            self._database.flush(self._flush)
        with self._lock:
            self._waiting.append(_Waiting(live=live, first_ordinal=live.ordinal, records=tuple(records)))
            self._waiting_records += len(records)
            live.ordinal += len(records)
        self._database.soon(self._flush, FLUSH_S)

    def run_ended(self, run: Run) -> None:
        """Commit what waits, store how the run ended, and what its page and its table row need.

        What cannot be stored now is tried again, as requests are, and raises what it failed with. The first end that a
        run is told to have is the one it had.
        """
        with self._lock:
            live = self._live.get(run.id)
            if live is None and run.id not in self._ended:
                raise RunNotFound(say("No run {id} is being recorded.", id=run.id))
            if live is not None and live.ending is None:
                values = run_values.row(run)
                live.ending = {name: values[name] for name in run_values.AT_THE_END}
        self._database.flush(self._flush)

    def recover(self) -> tuple[str, ...]:
        """Mark what was running when the app died as interrupted, and finish what its end would have stored."""

        def interrupt(connection: duckdb.DuckDBPyConnection) -> list[tuple[int, str]]:
            found = connection.execute(
                "SELECT no, id FROM runs WHERE state IN (?, ?) ORDER BY no", LIVE_STATES
            ).fetchall()
            dead = [(int(no), str(run_id)) for no, run_id in found]
            for no, _ in dead:
                connection.execute(
                    "UPDATE runs SET state = ?, message = coalesce(message, ?) WHERE no = ?",
                    [RunState.INTERRUPTED.value, say("Paceline stopped before this run ended."), no],
                )
            for (no,) in connection.execute("SELECT DISTINCT run_no FROM journal").fetchall():
                journal.settle(connection, no)
            return dead

        dead = self._database.write(interrupt)
        for no, _ in dead:
            self._database.write(partial(summaries.derive, run_no=no))
        self._database.soon(self._renew, 0.0)
        return tuple(run_id for _, run_id in dead)

    def _renew(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Derive one run that has no summary of these definitions, then the next: an update may leave thousands."""
        left = summaries.stale(connection)
        if left:
            with transaction(connection):
                summaries.derive(connection, left[0])
            with suppress(DatabaseClosed):
                self._database.soon(self._renew, 0.0)

    def _flush(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Commit what waits; what cannot be committed goes on waiting and is tried again."""
        with self._lock:
            batches, self._waiting = self._waiting, []
            self._waiting_records = 0
            news = [(live, live.news) for live in self._live.values() if live.news is not None]
            for live, _ in news:
                live.news = None
            over = {run_id: live for run_id, live in self._live.items() if live.ending is not None}
        if not batches and not news and not over:
            return
        saved = False
        try:
            with transaction(connection):
                for live, values in news:
                    _update(connection, live.no, values)
                self._append(connection, batches)
                for live in over.values():
                    _update(connection, live.no, live.ending or {})
                    journal.settle(connection, live.no)
            saved = True
        finally:
            self._settle_accounts(batches, news, saved=saved)
        with self._lock:
            for run_id in over:
                del self._live[run_id]
            self._ended |= over.keys()
        for live in over.values():
            with transaction(connection):
                summaries.derive(connection, live.no)

    def _settle_accounts(
        self, batches: list[_Waiting], news: list[tuple[_Live, dict[str, str | None]]], *, saved: bool
    ) -> None:
        if saved:
            self._database.well()
            return
        with self._lock:
            for live, values in news:
                live.news = live.news or values  # what came meanwhile is newer
            self._waiting = batches + self._waiting
            self._waiting_records = sum(len(batch.records) for batch in self._waiting)
        with suppress(DatabaseClosed):  # the last try: its own error is the one to tell
            self._database.soon(self._flush, RETRY_S)

    def _append(self, connection: duckdb.DuckDBPyConnection, batches: Sequence[_Waiting]) -> None:
        for live, records, first in _by_run(batches):
            chunks = journal.append(connection, live.no, first, records)
            backlog = Backlog(
                chunks=live.backlog.chunks + chunks,
                records=live.backlog.records + len(records),
                batches=live.backlog.batches + 1,
            )
            if backlog.full:
                journal.settle(connection, live.no)
                backlog = Backlog()
            live.backlog = backlog


def _update(connection: duckdb.DuckDBPyConnection, run_no: int, values: dict[str, Any]) -> None:
    sets = ", ".join(f"{name} = ?" for name in values)
    connection.execute(f"UPDATE runs SET {sets} WHERE no = ?", [*values.values(), run_no])  # noqa: S608 -- names are ours


def _by_run(batches: Sequence[_Waiting]) -> list[tuple[_Live, list[RequestRecord], int]]:
    """Neighbouring batches of one run as one."""
    joined: list[tuple[_Live, list[RequestRecord], int]] = []
    for waiting in batches:
        if joined and joined[-1][0] is waiting.live:
            joined[-1][1].extend(waiting.records)
        else:
            joined.append((waiting.live, list(waiting.records), waiting.first_ordinal))
    return joined
