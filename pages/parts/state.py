"""The one set of handles of this process: database, library, runs, registry, demo servers. Draws nothing.

Every page takes its handles from `services()`, so that each stands alone, whichever is opened first.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.fleet.registry import Registry
from core.servers.demo import DemoServers
from storage.database import Database, DatabaseOwned, SchemaTooNew
from storage.library import Library
from storage.runs import RunStore

ROOT = Path(__file__).parents[2]
DATABASE_VARIABLE = "PACELINE_DB"
CANNOT_OPEN = (DatabaseOwned, SchemaTooNew)


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What lives as long as the process."""

    database: Database
    runs: RunStore
    library: Library
    registry: Registry
    demo: DemoServers

    def close(self) -> None:
        """End everything that was started: runs first, since they write, then the servers, the database last."""
        self.registry.close()
        self.demo.stop_all()
        self.database.close()


@st.cache_resource(show_spinner=False, on_release=Services.close)
def services() -> Services:
    """The handles, opened at the first call. Raises one of CANNOT_OPEN."""
    database = Database.open(Path(os.environ.get(DATABASE_VARIABLE) or ROOT / "data" / "paceline.duckdb"))
    runs = RunStore(database)
    runs.recover()
    demo = DemoServers()
    return Services(
        database=database,
        runs=runs,
        library=Library(database),
        registry=Registry(runs, keys=None, demo=demo),
        demo=demo,
    )


def open_early() -> str | None:
    """Open before the first page; the sentence of what prevents it, None if all is well."""
    try:
        services()
    except CANNOT_OPEN as fault:
        return str(fault)
    return None


def close() -> None:
    """End everything, if it was opened."""
    services.clear()
