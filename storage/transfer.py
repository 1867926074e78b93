"""Stored runs as files: the run file, CSV. Writes to memory only, never reads or writes a path."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from core import runfile
from storage.runs import RunStore

FORMULA = re.compile(r"[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")  # a spreadsheet would run a text that begins so


class Transfer:
    """Files of one store's runs."""

    def __init__(self, runs: RunStore) -> None:
        self._runs = runs

    def run_file(self, run_ids: Sequence[str], *, texts: bool = False) -> bytes:
        """The run file of these runs, in this order. Raises RunNotFound."""
        found = [self._runs.run(run_id, texts=texts) for run_id in run_ids]
        known = {run_id: self._runs.summary(run_id) for run_id in run_ids}
        return runfile.to_bytes(found, summaries=known, texts=texts)

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
