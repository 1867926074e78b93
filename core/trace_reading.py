"""Files of recorded loads, CSV or JSON lines, read into rows. Trusts no row: what cannot be read is counted and told.

Which columns hold what is known to `core.trace_columns`.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import orjson

from core.base_url import PlanError, require
from core.plain_file import first_bytes
from core.plan_checks import MOST_DEPTH, is_deeper
from core.trace import LONGEST_S, MOST_ROWS, Rows
from core.trace_columns import Columns, RowError, columns_of, plain_name, row_of
from core.words import say

MOST_MB = 64
MOST_BYTES = MOST_MB * 1024 * 1024
MOST_LINE = 1_000_000  # characters; the block hashes of a long prompt are some thousands
MOST_COLUMNS = 200
NAMES_TOLD = say(
    "It needs a time (timestamp), a prompt length (input_length, Request tokens) and an answer length (output_length, "
    "Response tokens)."
)


Parse = Callable[[str], tuple[dict[str, Any], Columns]]  # a line; raises RowError


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A file that was read.

    Attributes:
        faults: Why rows were left out, and how many, the most frequent first.
        beyond: Lines after the most rows that are taken.
        unordered: Whether rows had to be put into time's order.
        unit: How it is known what a time counts.
    """

    name: str
    rows: Rows
    faults: tuple[tuple[str, int], ...]
    beyond: int
    unordered: bool
    unit: str

    @property
    def left_out(self) -> int:
        """Rows that could not be understood."""
        return sum(count for _, count in self.faults)

    def notes(self) -> list[str]:
        """What people have to know of it, a sentence each."""
        told = [self.unit]
        if self.left_out:
            why = "; ".join(say("{n:,}: {why}", n=count, why=why) for why, count in self.faults[:4])
            one, more = say("1 row was left out ({why}).", why=why), say("{n:,} rows were left out ({why}).",
                                                                        n=self.left_out, why=why)  # fmt: skip
            told.append(one if self.left_out == 1 else more)
        if self.beyond:
            told.append(
                say("Only the first {most:,} rows are taken; {n:,} lines follow.", most=MOST_ROWS, n=self.beyond)
            )
        if self.unordered:
            told.append(say("Rows were put into the order of their times."))
        return told


def read_file(path: Path) -> Read:
    """The trace at `path`. Raises PlanError, which names the file."""
    try:
        data = first_bytes(path, MOST_BYTES)
    except OSError as fault:
        raise PlanError(say("The trace {path} cannot be read: {reason}.", path=path, reason=fault)) from None
    try:
        return read(data, path.name)
    except PlanError as fault:
        raise PlanError(f"{path}: {fault}") from None


def read(data: bytes, name: str) -> Read:
    """The rows in a file's bytes. Raises PlanError if it is no trace, or none of its rows can be understood."""
    require(len(data) <= MOST_BYTES, "The trace is larger than {most} MB: cut it.", most=MOST_MB)
    lines = iter(data.decode("utf-8-sig", "replace").splitlines())
    first = next((line.strip() for line in lines if line.strip()), "")
    require(bool(first), "The trace is empty.")
    if first.startswith("{"):
        return _gathered(chain([first], lines), _json_rows(), name)
    return _gathered(lines, _table_rows(first), name)


def _gathered(lines: Iterable[str], parse: Parse, name: str) -> Read:
    """Take what each line says."""
    found: list[tuple[float, int, int]] = []
    faults: Counter[str] = Counter()
    beyond, unit = 0, ""
    for line in lines:
        if not line.strip():
            continue
        if len(found) >= MOST_ROWS:
            beyond += 1
            continue
        try:
            row, columns = parse(line)
            found.append(row_of(row, columns))
            unit = columns.why
        except RowError as fault:
            faults[str(fault)] += 1
    if not found:
        why = "; ".join(reason for reason, _ in faults.most_common(3)) or say("it has no rows")
        raise PlanError(say("The trace has no row that can be understood: {why}. {names}", why=why, names=NAMES_TOLD))
    return Read(
        name=name, rows=_checked(found), faults=tuple(faults.most_common()), beyond=beyond, unit=unit,
        unordered=any(later[0] < before[0] for before, later in pairwise(found)),
    )  # fmt: skip


def _checked(found: list[tuple[float, int, int]]) -> Rows:
    rows = Rows.of(found)
    require(
        rows.at_us[-1] <= LONGEST_S * 1e6,
        "The trace lasts longer than a year, from {first:g} to {last:g} s: are its times of one kind?",
        first=min(found)[0], last=max(found)[0],
    )  # fmt: skip
    return rows


# -- lines ------------------------------------------------------------------------------------------------------------


def _json_rows() -> Parse:
    known: dict[tuple[str, ...], Columns | None] = {}

    def parse(line: str) -> tuple[dict[str, Any], Columns]:
        row = _json_row(line)
        names = tuple(row)
        if names not in known and len(known) < MOST_COLUMNS:
            known[names] = columns_of(names)
        columns = known.get(names)
        if columns is None:
            raise RowError(say("no time or no lengths in it"))
        return row, columns

    return parse


def _json_row(line: str) -> dict[str, Any]:
    if len(line) > MOST_LINE:
        raise RowError(say("longer than {most:,} characters", most=MOST_LINE))
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise RowError(say("no JSON")) from None
    if not isinstance(row, dict) or len(row) > MOST_COLUMNS:
        raise RowError(say("no JSON object"))
    if is_deeper(row, MOST_DEPTH):
        raise RowError(say("nested more than {most} deep", most=MOST_DEPTH))
    return {plain_name(name): value for name, value in row.items()}


def _table_rows(head: str) -> Parse:
    require(len(head) <= MOST_LINE, "The trace's first line is too long to name columns.")
    sign = max(",;\t", key=head.count)
    names = [plain_name(name) for name in _cells(head, sign)]
    columns = columns_of(names) if len(names) <= MOST_COLUMNS else None
    if columns is None:
        raise PlanError(
            say("The trace's first line does not name the columns needed: it has {names}. {needed}",
                names=", ".join(names)[:200], needed=NAMES_TOLD)
        )  # fmt: skip

    def parse(line: str) -> tuple[dict[str, Any], Columns]:
        cells = _cells(line, sign) if len(line) <= MOST_LINE else []
        if len(cells) != len(names):
            raise RowError(say("not as many cells as columns"))
        return dict(zip(names, cells, strict=True)), columns

    return parse


def _cells(line: str, sign: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=sign), [])
    except csv.Error:
        return []
