"""What the user keeps besides runs: endpoints, configurations, workloads, plans, settings. Never holds a key.

Names are unique whatever their capital letters. An endpoint's changes reach the configurations that use it.
"""

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import duckdb
import orjson

from core import redaction
from core.plan import Configuration, Endpoint, Experiment
from core.words import say
from storage.database import Database
from storage.library_values import (
    Dated,
    SavedPlan,
    asked_elsewhere,
    endpoint_values,
    named,
    plan_values,
    read_configuration,
    read_endpoint,
    read_plan,
    refuse_secrets,
    same,
)
from storage.problems import (
    ConfigurationNotFound,
    EndpointChanged,
    EndpointNotFound,
    NameEmpty,
    NameTaken,
)
from storage.run_values import dumps, readable, utc
from storage.workloads import Workloads

Connection = duckdb.DuckDBPyConnection


class Library:
    """The kept things of one database; every method may be called from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.workloads = Workloads(database)

    def endpoints(self) -> list[Endpoint]:
        """All of them, by name."""
        found = [read_endpoint(text) for _, text in self._rows("SELECT name, endpoint FROM endpoints")]
        return sorted((one for one in found if one is not None), key=lambda one: same(one.name))

    def endpoint(self, name: str) -> Endpoint:
        """One by its name. Raises EndpointNotFound."""
        for one in self.endpoints():
            if same(one.name) == same(name):
                return one
        raise EndpointNotFound(say("There is no endpoint {name}: it may have been deleted.", name=name))

    def save_endpoint(self, endpoint: Endpoint, *, replaces: str | None = None, was: Endpoint | None = None) -> None:
        """Add an endpoint, or put it in the place of the one named `replaces`.

        Raises NameTaken, SecretInHeader, and EndpointChanged if what it replaces is no longer as it `was`.
        """
        refuse_secrets(endpoint)
        text = dumps(endpoint_values(endpoint))
        name = readable(endpoint.name)

        def save(connection: Connection) -> None:
            rows = connection.execute("SELECT name, endpoint FROM endpoints").fetchall()
            old = named(rows, replaces) if replaces is not None else None
            if was is not None and (old is None or read_endpoint(old[1]) != was):
                words = (
                    "{name} was changed by somebody else meanwhile."
                    if old
                    else "{name} is no longer there under this name."
                )
                raise EndpointChanged(say(words, name=replaces))
            taken = named(rows, name)
            if taken is not None and taken != old:
                raise NameTaken(say("An endpoint is named {name} already: choose another name.", name=name))
            if old is None:
                connection.execute(
                    "INSERT INTO endpoints (name, saved_at, endpoint) VALUES (?, ?, ?)", [name, datetime.now(UTC), text]
                )
                return
            connection.execute(
                "UPDATE endpoints SET name = ?, saved_at = ?, endpoint = ? WHERE name = ?",
                [name, datetime.now(UTC), text, old[0]],
            )
            # What the old address answered says nothing about the new.
            if asked_elsewhere(read_endpoint(old[1]), endpoint):
                connection.execute("UPDATE endpoints SET probe = NULL, probed_at = NULL WHERE name = ?", [name])
            _rename_in_configurations(connection, old[0], name)

        self._database.write(save)

    def delete_endpoint(self, name: str) -> None:
        """Forget an endpoint; its configurations and runs keep what they were made with."""

        def delete(connection: Connection) -> None:
            found = named(connection.execute("SELECT name FROM endpoints").fetchall(), name)
            if found is not None:
                connection.execute("DELETE FROM endpoints WHERE name = ?", [found[0]])

        self._database.write(delete)

    def save_probe(self, name: str, result: dict[str, Any]) -> None:
        """Keep what the last probe of an endpoint found. Raises EndpointNotFound."""
        text = dumps(redaction.body(result))

        def save(connection: Connection) -> None:
            found = named(connection.execute("SELECT name FROM endpoints").fetchall(), name)
            if found is None:
                raise EndpointNotFound(say("There is no endpoint {name}: it may have been deleted.", name=name))
            connection.execute(
                "UPDATE endpoints SET probe = ?, probed_at = ? WHERE name = ?", [text, datetime.now(UTC), found[0]]
            )

        self._database.write(save)

    def probe(self, name: str) -> Dated | None:
        """What the last probe of an endpoint found, None if it was never probed as it is now."""
        rows = self._rows("SELECT name, probe, probed_at FROM endpoints WHERE probe IS NOT NULL")
        found = named(rows, name)
        return Dated(at=utc(found[2]), values=orjson.loads(found[1])) if found else None

    def configurations(self) -> list[Configuration]:
        """All of them in the order of their slots, each with its endpoint as it is today."""
        known = {same(one.name): one for one in self.endpoints()}
        rows = self._rows("SELECT configuration FROM configurations ORDER BY slot, saved_at")
        found = [read_configuration(text) for (text,) in rows]
        return [
            dataclasses.replace(one, endpoint=known.get(same(one.endpoint.name), one.endpoint))
            for one in found
            if one is not None
        ]

    def configuration(self, configuration_id: str) -> Configuration:
        """One by its id. Raises ConfigurationNotFound."""
        for one in self.configurations():
            if one.id == configuration_id:
                return one
        raise ConfigurationNotFound(say("There is no such configuration: it may have been deleted."))

    def save_configuration(self, configuration: Configuration) -> None:
        """Add a configuration, or put it in the place of the one with its id, which keeps its slot.

        Raises NameTaken, SecretInHeader.
        """
        refuse_secrets(configuration.endpoint)

        def save(connection: Connection) -> None:
            rows = connection.execute("SELECT label, id, slot FROM configurations").fetchall()
            taken = named([row for row in rows if row[1] != configuration.id], configuration.label)
            if taken is not None:
                raise NameTaken(
                    say("A configuration is labelled {name} already: choose another label.", name=configuration.label)
                )
            slot = next((row[2] for row in rows if row[1] == configuration.id), configuration.slot)
            kept = dataclasses.replace(configuration, slot=slot)
            values = dataclasses.asdict(kept) | {"endpoint": endpoint_values(kept.endpoint)}
            connection.execute("DELETE FROM configurations WHERE id = ?", [kept.id])
            connection.execute(
                "INSERT INTO configurations (id, slot, label, saved_at, configuration) VALUES (?, ?, ?, ?, ?)",
                [kept.id, slot, readable(kept.label), datetime.now(UTC), dumps(values)],
            )

        self._database.write(save)

    def delete_configuration(self, configuration_id: str) -> None:
        """Forget a configuration; its runs keep what they were made with, and its slot stays theirs."""
        self._database.write(
            lambda connection: connection.execute("DELETE FROM configurations WHERE id = ?", [configuration_id])
        )

    def next_slot(self) -> int:
        """The least slot that no configuration has, kept or seen in a run: colours are for life."""
        rows = self._rows("SELECT slot FROM configurations UNION SELECT slot FROM runs")
        taken = {slot for (slot,) in rows}
        return next(slot for slot in range(len(taken) + 1) if slot not in taken)

    def plans(self) -> list[SavedPlan]:
        """All saved plans, the newest first."""
        rows = self._rows("SELECT name, saved_at, plans FROM plans ORDER BY saved_at DESC")
        return [saved for row in rows if (saved := read_plan(*row)) is not None]

    def save_plan(self, name: str, experiment: Experiment, *, replace: bool = False) -> None:
        """Keep what is to be launched; keys in it are hidden. Raises NameEmpty, NameTaken unless `replace`."""
        plain = readable(name.strip())
        if not plain:
            raise NameEmpty(say("A plan needs a name: write one."))
        text = dumps(plan_values(experiment))

        def save(connection: Connection) -> None:
            taken = named(connection.execute("SELECT name FROM plans").fetchall(), plain)
            if taken is not None and not replace:
                raise NameTaken(say("A plan is named {name} already: choose another name.", name=plain))
            if taken is not None:
                connection.execute("DELETE FROM plans WHERE name = ?", [taken[0]])
            connection.execute("INSERT INTO plans VALUES (?, ?, ?)", [plain, datetime.now(UTC), text])

        self._database.write(save)

    def delete_plan(self, name: str) -> None:
        """Forget a plan."""

        def delete(connection: Connection) -> None:
            found = named(connection.execute("SELECT name FROM plans").fetchall(), name)
            if found is not None:
                connection.execute("DELETE FROM plans WHERE name = ?", [found[0]])

        self._database.write(delete)

    def save_calibration(self, values: dict[str, Any]) -> None:
        """Keep a calibration of this machine."""
        row = [datetime.now(UTC), dumps(values)]
        self._database.write(lambda connection: connection.execute("INSERT INTO calibrations VALUES (?, ?)", row))

    def last_calibration(self) -> Dated | None:
        """The newest calibration, None if there is none."""
        rows = self._rows("SELECT taken_at, calibration FROM calibrations ORDER BY taken_at DESC LIMIT 1")
        return Dated(at=utc(rows[0][0]), values=orjson.loads(rows[0][1])) if rows else None

    def setting(self, key: str, default: Any = None) -> Any:
        """A JSON value kept under `key`."""
        rows = self._rows("SELECT value FROM settings WHERE key = ?", [key])
        return orjson.loads(rows[0][0]) if rows else default

    def set_setting(self, key: str, value: Any) -> None:
        """Keep a JSON value under `key`; what looks like a secret in it is hidden."""
        row = [key, dumps(redaction.body(value))]

        def save(connection: Connection) -> None:
            connection.execute("DELETE FROM settings WHERE key = ?", [key])
            connection.execute("INSERT INTO settings VALUES (?, ?)", row)

        self._database.write(save)

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._database.cursor() as cursor:
            return cursor.execute(query, list(values)).fetchall()


def _rename_in_configurations(connection: Connection, old: str, new: str) -> None:
    if old == new:
        return
    for configuration_id, text in connection.execute("SELECT id, configuration FROM configurations").fetchall():
        values = orjson.loads(text)
        if same(values["endpoint"]["name"]) == same(old):
            values["endpoint"]["name"] = new
            connection.execute(
                "UPDATE configurations SET configuration = ? WHERE id = ?", [dumps(values), configuration_id]
            )
