"""All runs of this place: recorded, listed, read, changed, deleted. Knows no metric's formula and no page."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa

from core import metrics, summary, timeline
from core.percentile import percentile
from core.run import LIVE_STATES, Run, RunState
from core.steadiness import Stay, stay
from core.summary import Summary
from core.timeline import Series
from core.words import say
from storage import listing, reading, run_values, summaries
from storage.listing import RunRow
from storage.problems import NameEmpty, RunNotEnded, RunNotFound, UnknownMetric
from storage.recorder import SLICE, Recorder

__all__ = ["RunNotFound", "RunRow", "RunStore"]
TABLES = ("requests", "journal", "chunks", "texts", "distributions", "summaries")
LONGEST_NAME = 200


class RunStore(Recorder):
    """The runs of one database; every method may be called from any thread."""

    def list_runs(
        self,
        *,
        text: str = "",
        states: Collection[RunState] = (),
        tags: Collection[str] = (),
        ids: Collection[str] | None = None,
        experiment_id: str | None = None,
        limit: int | None = None,
    ) -> list[RunRow]:
        """The newest first; every word of `text` must be in a row, all of `tags`, one of `states`."""
        with self._database.cursor() as cursor:
            return listing.rows(
                cursor, text=text, states=states, tags=tags, ids=ids, experiment_id=experiment_id, limit=limit
            )

    def tags(self) -> list[str]:
        """Every tag in use, by the alphabet."""
        with self._database.cursor() as cursor:
            found = cursor.execute("SELECT DISTINCT unnest(tags) AS tag FROM runs ORDER BY tag").fetchall()
        return [tag for (tag,) in found]

    def run(self, run_id: str, *, requests: bool = True, texts: bool = True) -> Run:
        """One run; without `requests` quickly. Raises RunNotFound."""
        names = ", ".join(run_values.RUN_COLUMNS)
        with self._database.snapshot() as cursor:
            found = cursor.execute(f"SELECT no, {names} FROM runs WHERE id = ?", [run_id]).fetchall()  # noqa: S608 -- ours
            if not found:
                raise not_found(run_id)
            no, *values = found[0]
            records = reading.records(cursor, no, texts=texts) if requests else ()
        return run_values.run(dict(zip(run_values.RUN_COLUMNS, values, strict=True)), records)

    def request_table(self, run_id: str) -> pa.Table:
        """The requests as columns: everything seen but texts and chunk times, and their metrics."""
        with self._database.snapshot() as cursor:
            no, _ = _find(cursor, run_id)
            return reading.table(cursor, no)

    def text(self, run_id: str, request_id: str) -> tuple[str | None, str | None]:
        """Answer and thinking text of one request; None where none was kept."""
        with self._database.snapshot() as cursor:
            no, _ = _find(cursor, run_id)
            return reading.text(cursor, no, request_id)

    def values(self, run_id: str, metric: str) -> list[float]:
        """Raw values of one metric over the measured, successful requests, in the order in which these ended.

        For the gaps of long runs use `grid`: there may be millions.
        """
        _known(metric)
        with self._database.snapshot() as cursor:
            no, ended = _find(cursor, run_id)
            if metric in metrics.POOLED or not ended:
                return summary.values(reading.records(cursor, no, texts=False), metric)
            found = cursor.execute(
                f"SELECT {metric}::DOUBLE FROM requests WHERE run_no = ? AND NOT warmup AND outcome = 'ok' "  # noqa: S608 -- known
                f"AND abs({metric}) < {summary.SANE} ORDER BY ordinal",
                [no],
            ).fetchall()
        return [value for (value,) in found]

    def stays(self, run_id: str) -> list[Stay]:
        """When each measured request occupied its lane and what it brought. Raises RunNotFound."""
        asked = ["warmup", "outcome", "streamed", "sent_s", "ended_s", "first_token_s", "last_token_s", "output_tokens"]
        rows = self.request_table(run_id).select(asked).to_pylist()
        return [
            _stay(row) for row in rows if not row["warmup"] and row["sent_s"] is not None and row["ended_s"] is not None
        ]

    def summary(self, run_id: str) -> Summary:
        """What the run's requests amount to; of a live run, so far. Raises RunNotFound."""
        with self._database.snapshot() as cursor:
            no, ended = _find(cursor, run_id)
            if not ended:
                return summary.summarise(reading.records(cursor, no), reading.slo(cursor, no))
        with self._derived(no) as cursor:
            found = summaries.stored(cursor, no)
        if found is None:  # deleted in between
            raise not_found(run_id)
        return found

    def grid(self, run_id: str, metric: str) -> tuple[float, ...]:
        """200 quantiles of one metric from its least to its greatest value; empty if no request has it."""
        _known(metric)
        with self._database.snapshot() as cursor:
            no, ended = _find(cursor, run_id)
        if ended:
            with self._derived(no) as cursor:
                return summaries.grid(cursor, no, metric)
        ordered = sorted(self.values(run_id, metric))
        return tuple(percentile(ordered, share * 100) for share in summaries.GRID) if ordered else ()

    def output_over_time(self, run_id: str) -> Series:
        """Output tokens/s of the whole run in 240 steps."""
        with self._database.snapshot() as cursor:
            no, ended = _find(cursor, run_id)
            if not ended:
                return timeline.output_over_time(reading.records(cursor, no, chunk_times=False, texts=False))
        with self._derived(no) as cursor:
            return summaries.output_over_time(cursor, no)

    def add(self, run: Run) -> None:
        """Store a whole run that was measured or exported elsewhere. Raises RunExists."""
        self.run_started(run)
        for first in range(0, len(run.requests), SLICE):
            self.requests(run.id, run.requests[first : first + SLICE])
        self.run_ended(run)

    def rename(self, run_id: str, name: str) -> None:
        """Give a run another name. Raises RunNotFound, NameEmpty."""
        plain = run_values.readable(name.strip())[:LONGEST_NAME]
        if not plain:
            raise NameEmpty(say("A run needs a name: write one."))
        self._set(run_id, "name", plain)

    def tag(self, run_id: str, tags: Sequence[str]) -> None:
        """Give a run these tags in place of what it had; blanks and repetitions are left out."""
        plain = [run_values.readable(tag.strip())[:LONGEST_NAME] for tag in tags]
        self._set(run_id, "tags", list(dict.fromkeys(tag for tag in plain if tag)))

    def note(self, run_id: str, notes: str) -> None:
        """Give a run these notes in place of what it had."""
        self._set(run_id, "notes", run_values.readable(notes))

    def delete(self, run_ids: Collection[str]) -> None:
        """Delete ended runs with all that belongs to them; others are left out. Raises RunNotEnded, then none is."""

        def remove(connection: duckdb.DuckDBPyConnection) -> None:
            found = connection.execute(
                "SELECT no, name, state FROM runs WHERE list_contains(?, id)", [list(run_ids)]
            ).fetchall()
            for _, name, state in found:
                if state in LIVE_STATES:
                    raise RunNotEnded(say("{name} is still {state}: cancel it first.", name=name, state=state))
            numbers = [no for no, _, _ in found]
            for table in TABLES:
                connection.execute(f"DELETE FROM {table} WHERE list_contains(?, run_no)", [numbers])  # noqa: S608 -- ours
            connection.execute("DELETE FROM runs WHERE list_contains(?, no)", [numbers])

        self._database.write(remove)

    def _set(self, run_id: str, column: str, value: object) -> None:
        def change(connection: duckdb.DuckDBPyConnection) -> None:
            no, _ = _find(connection, run_id)
            connection.execute(f"UPDATE runs SET {column} = ? WHERE no = ?", [value, no])  # noqa: S608 -- ours

        self._database.write(change)

    @contextmanager
    def _derived(self, no: int) -> Iterator[duckdb.DuckDBPyConnection]:
        """A snapshot in which an ended run has its summary of today's definitions."""
        with self._database.cursor() as cursor:
            fresh = summaries.is_fresh(cursor, no)
        if not fresh:
            self._database.write(lambda connection: summaries.derive(connection, no))
        with self._database.snapshot() as cursor:
            yield cursor


def not_found(run_id: str) -> RunNotFound:
    """The error to raise."""
    return RunNotFound(say("There is no run {id}: it may have been deleted.", id=run_id))


def _find(cursor: duckdb.DuckDBPyConnection, run_id: str) -> tuple[int, bool]:
    """A run's number, and whether it has ended."""
    found = cursor.execute("SELECT no, state FROM runs WHERE id = ?", [run_id]).fetchall()
    if not found:
        raise not_found(run_id)
    return int(found[0][0]), found[0][1] not in LIVE_STATES


def _known(metric: str) -> None:
    if metric not in metrics.PER_REQUEST and metric not in metrics.POOLED:
        raise UnknownMetric(say("There is no metric {metric} of single requests.", metric=metric))


def _stay(row: dict[str, Any]) -> Stay:
    return stay(
        sent_s=row["sent_s"],
        ended_s=row["ended_s"],
        first_token_s=row["first_token_s"],
        last_token_s=row["last_token_s"],
        streamed=row["streamed"],
        tokens=float(row["output_tokens"] or 0) if row["outcome"] == "ok" else 0.0,
    )
