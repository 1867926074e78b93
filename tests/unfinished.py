"""Coverage files that a killed process left half written. Combining one with the others would end the whole run."""

import sqlite3
from contextlib import closing
from pathlib import Path

TABLES = ("coverage_schema", "meta", "file", "context", "line_bits", "arc")


def drop_unfinished(folder: Path) -> list[str]:
    """Remove those that cannot be read to their end; their names."""
    found = [path for path in folder.glob(".coverage.*") if not is_whole(path)]
    for path in found:
        path.unlink()
    return sorted(path.name for path in found)


def is_whole(path: Path) -> bool:
    """Whether every page of the file and every table is there: coverage writes without a journal."""
    try:
        with closing(sqlite3.connect(path.resolve().as_uri() + "?mode=ro", uri=True)) as opened:
            for table in TABLES:
                opened.execute(f"SELECT count(*) FROM {table}").fetchall()
            return bool(opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)])
    except sqlite3.DatabaseError:
        return False
