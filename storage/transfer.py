"""Stored runs as files: the run file, CSV. Writes to memory only, never reads or writes a path."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from core import runfile
from core.course import Done
from core.recalled import found_before
from core.run import Run
from core.summary import Summary
from core.words import say
from storage.problems import RunNotFound
from storage.runs import RunStore

FORMULA = re.compile(r"[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")  # a spreadsheet would run a text that begins so


class Transfer:
    """Files of one store's runs."""

    def __init__(self, runs: RunStore) -> None:
        self._runs = runs

    def run_file(self, run_ids: Sequence[str], *, texts: bool = False) -> bytes:
        """The run file of these runs, in this order; what a search found is told if all of it is there.

        Raises RunNotFound.
        """
        found = [self._runs.run(run_id, texts=texts) for run_id in run_ids]
        known = {run_id: self._runs.summary(run_id) for run_id in run_ids}
        return runfile.to_bytes(found, search=self._search(found, known), summaries=known, texts=texts)

    def file_of(self, run_or_experiment: str) -> bytes:
        """The run file of one run, or of all runs of an experiment in their order. Raises RunNotFound."""
        if self._runs.list_runs(ids=[run_or_experiment]):
            return self.run_file([run_or_experiment])
        rows = self._runs.list_runs(experiment_id=run_or_experiment)
        if not rows:
            words = say("There is no run and no experiment {id}: it may have been deleted.", id=run_or_experiment)
            raise RunNotFound(words)
        return self.run_file([row.id for row in reversed(rows)])

    def _search(self, found: Sequence[Run], known: Mapping[str, Summary]) -> dict[str, Any] | None:
        experiment = (found[0].experiment or {}).get("id") if found else None
        if not isinstance(experiment, str):
            return None
        whole = {row.id for row in self._runs.list_runs(experiment_id=experiment)} <= {run.id for run in found}
        return found_before([Done(run=run, summary=known[run.id]) for run in found]) if whole else None

    def requests_csv(self, run_id: str) -> bytes:
        """One line a request, UTF-8 with a mark so that spreadsheets see it; empty cells are unknown."""
        table = self._runs.request_table(run_id)
        out = io.StringIO(newline="")
        # Quoted, a text stays one cell where semicolons part cells, too.
        writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(table.column_names)
        writer.writerows(_lines(table))
        return b"\xef\xbb\xbf" + out.getvalue().encode()


def _lines(table: pa.Table) -> Iterator[tuple[Any, ...]]:
    return zip(*([_cell(value) for value in column.to_pylist()] for column in table.columns), strict=True)


def _cell(value: Any) -> Any:
    if isinstance(value, str) and FORMULA.match(value):
        return "'" + value
    return value
