"""The saved workloads of one database: under names, in versions that stay readable. Never holds a key.

A run keeps the very workload that it used, with its name and version; the table of runs only points at the name.
"""

from datetime import UTC, datetime

import duckdb
import orjson

from core.plan import Workload
from core.words import say
from storage.database import Database
from storage.library_values import SavedWorkload, named, read_workload, same, workload_values
from storage.problems import NameEmpty, NameTaken, WorkloadNotFound
from storage.run_values import dumps, readable, utc

LONGEST_NAME = 120
Connection = duckdb.DuckDBPyConnection


class Workloads:
    """Every method may be called from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def newest(self) -> list[SavedWorkload]:
        """The last version of each, by name."""
        found: dict[str, SavedWorkload] = {}
        for one in self._read():
            if one.name not in found or found[one.name].version < one.version:
                found[one.name] = one
        return sorted(found.values(), key=lambda one: same(one.name))

    def versions(self, name: str) -> list[SavedWorkload]:
        """All versions of one, the newest first. Raises WorkloadNotFound."""
        found = [one for one in self._read() if same(one.name) == same(name)]
        if not found:
            raise not_found(name)
        return sorted(found, key=lambda one: one.version, reverse=True)

    def save(self, name: str, workload: Workload, *, replaces: str | None = None) -> SavedWorkload:
        """Keep a workload under a new name, or as the next version of the one named `replaces`, renamed if it is.

        What asks the same as its last version is no new one. Raises NameEmpty, NameTaken, WorkloadNotFound.
        """
        plain = readable(name.strip())[:LONGEST_NAME]
        if not plain:
            raise NameEmpty(say("A workload needs a name: write one."))
        text = dumps(workload_values(workload))

        def save(connection: Connection) -> None:
            rows = connection.execute("SELECT name, version, workload FROM workloads ORDER BY version DESC").fetchall()
            old = named(rows, replaces) if replaces is not None else None
            if replaces is not None and old is None:
                raise not_found(replaces)
            taken = named(rows, plain)
            if taken is not None and (old is None or taken[0] != old[0]):
                raise NameTaken(say("A workload is named {name} already: choose another name.", name=plain))
            if old is not None and old[0] != plain:
                connection.execute("UPDATE workloads SET name = ? WHERE name = ?", [plain, old[0]])
                connection.execute("UPDATE runs SET workload = ? WHERE workload = ?", [plain, old[0]])
            if old is None or orjson.loads(old[2]) != orjson.loads(text):
                version = 1 if old is None else old[1] + 1
                connection.execute(
                    "INSERT INTO workloads VALUES (?, ?, ?, ?)", [plain, version, datetime.now(UTC), text]
                )

        self._database.write(save)
        return self.versions(plain)[0]

    def delete(self, name: str) -> None:
        """Forget a workload with all its versions; runs keep what they used, and none points at it any more."""

        def delete(connection: Connection) -> None:
            found = named(connection.execute("SELECT name FROM workloads").fetchall(), name)
            if found is not None:
                connection.execute("DELETE FROM workloads WHERE name = ?", [found[0]])
                connection.execute("UPDATE runs SET workload = NULL WHERE workload = ?", [found[0]])

        self._database.write(delete)

    def last_used(self) -> dict[str, datetime]:
        """When a run began with one, by name; those that no run used are absent."""
        with self._database.cursor() as cursor:
            rows = cursor.execute(
                "SELECT workload, max(started_at) FROM runs WHERE workload IS NOT NULL GROUP BY workload"
            ).fetchall()
        return {name: utc(at) for name, at in rows}

    def _read(self) -> list[SavedWorkload]:
        with self._database.cursor() as cursor:
            rows = cursor.execute("SELECT name, version, saved_at, workload FROM workloads").fetchall()
        return [saved for row in rows if (saved := read_workload(*row)) is not None]


def not_found(name: str) -> WorkloadNotFound:
    """The error to raise."""
    return WorkloadNotFound(say("There is no workload {name}: it may have been deleted.", name=name))
