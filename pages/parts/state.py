"""The one set of handles of this process: database, library, runs, registry, built-in servers. Draws nothing.

Every page takes its handles from `services()`, so that each stands alone, whichever is opened first.
"""

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.background import Background
from core.fleet.builtin_host import BuiltinHost
from core.fleet.registry import Registry
from core.keys import SessionKeys, header_for
from core.plan import Configuration, Experiment
from core.probe import known_server
from core.servers.demo import DemoServers
from storage.database import Database
from storage.library import Library
from storage.problems import StorageProblem
from storage.runs import RunStore

CANNOT_OPEN = StorageProblem
SESSION_KEYS = "session_keys"


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What lives as long as the process."""

    database: Database
    runs: RunStore
    library: Library
    registry: Registry
    demo: DemoServers
    background: Background

    def close(self) -> None:
        """End everything that was started: runs first, since they write, then the servers, the database last."""
        self.registry.close()
        self.demo.stop_all()
        self.database.close()


@st.cache_resource(show_spinner=False, on_release=Services.close)
def services() -> Services:
    """The handles, opened at the first call. Raises CANNOT_OPEN."""
    database = Database.open()
    with ExitStack() as on_failure:
        on_failure.callback(database.close)
        made = _made(database)
        on_failure.pop_all()
    return made


def _made(database: Database) -> Services:
    runs, library, demo = RunStore(database), Library(database), DemoServers()
    runs.recover()

    def identify(one: Configuration) -> dict[str, Any]:
        """What the last probe told of the server, kept with a run of it."""
        probe = library.probe(one.endpoint.name)
        return {} if probe is None else known_server(probe.values, one.model)

    return Services(
        database=database,
        runs=runs,
        library=library,
        registry=Registry(
            runs, key_header=header_for, hosts=lambda: BuiltinHost(demo), identify=identify, expected=(StorageProblem,)
        ),
        demo=demo,
        background=Background(),
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


def session_keys() -> SessionKeys:
    """The keys typed into this browser session."""
    keys: SessionKeys = st.session_state.setdefault(SESSION_KEYS, SessionKeys())
    return keys


def launch(experiment: Experiment) -> str:
    """Queue an experiment with the keys that this session knows; its id. Raises PlanError."""
    keys = session_keys()
    return services().registry.launch(experiment, key_header=lambda endpoint: header_for(endpoint, session=keys))
