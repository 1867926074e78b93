"""A database of its own for each page test, and runs to put into it."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from core.run import RunState
from pages.parts import state
from tests.pages.seen import made

ROOT = Path(__file__).parents[2]
NAVIGATION = ROOT / "pages" / "parts" / "navigation.py"


@pytest.fixture(autouse=True, scope="session")
def scanned():
    """Which installed packages bring components is looked up once, not at each run of a page."""
    found = manifest_scanner.scan_component_manifests()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
        yield


@pytest.fixture
def services(tmp_path, monkeypatch):
    """The handles of the pages on an empty database."""
    monkeypatch.setenv("PACELINE_DB", str(tmp_path / "paceline.duckdb"))
    state.close()
    st.cache_resource.clear()  # pages keep ended runs by their ids, which other tests use too
    yield state.services()
    state.close()
    st.cache_resource.clear()


@pytest.fixture
def put(services):
    """Record a run as a benchmark would."""

    def record(run_id, **options):
        run, records = made(run_id, **options)
        services.runs.run_started(run)
        services.runs.requests(run_id, records)
        if options.get("state", RunState.COMPLETED) is not RunState.RUNNING:
            services.runs.run_ended(run)
        else:
            services.database.flush(services.runs._flush)  # a live run's requests are committed in a moment: now
        return run

    return record


@pytest.fixture
def opened():
    """A page drawn alone, or through the navigation script as in the app."""

    def draw(stem, *, alone=True, **query):
        path = ROOT / "pages" / f"{stem}.py"
        page = AppTest.from_file(str(path if alone else NAVIGATION), default_timeout=60)
        if not alone:
            page.run()
            page.switch_page(str(path))
        for name, value in query.items():
            page.query_params[name] = value
        page.run()
        assert not page.exception, page.exception
        return page

    return draw
