"""The frame around every page: the list of pages, what prevents them, and the ways between them."""

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

from pages.parts import links, navigation, state
from tests.pages.conftest import NAVIGATION
from tests.pages.seen import words


def test_every_page_file_is_in_a_section_and_is_there():
    listed = {stem for rows in navigation.SECTIONS.values() for stem, _, _ in rows}

    assert listed == {file.stem for file in navigation.PAGES.glob("*.py")}


@pytest.mark.usefixtures("services")
def test_the_overview_comes_first():
    page = AppTest.from_file(str(NAVIGATION), default_timeout=60).run()

    assert not page.exception
    assert page.title[0].value == "Overview"


def test_a_file_that_another_process_owns_gives_one_sentence_and_no_page(tmp_path, monkeypatch):
    path = tmp_path / "foreign.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE somebody_elses (id INTEGER)")
    monkeypatch.setenv("PACELINE_DB", str(path))
    state.close()

    page = AppTest.from_file(str(NAVIGATION), default_timeout=60).run()

    assert not page.exception
    assert page.title[0].value == "Paceline"
    assert "holds other tables than Paceline" in words(page)
    assert not page.button


def test_what_prevents_the_start_is_told_early_and_leaves_nothing_open(tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_DB", str(tmp_path / "no.duckdb"))
    (tmp_path / "no.duckdb").write_bytes(b"this is no database" * 1000)
    state.close()

    assert "not a Paceline database" in state.open_early()

    (tmp_path / "no.duckdb").unlink()
    assert state.open_early() is None
    state.close()


def test_addresses_of_pages():
    assert links.address("overview", {}) == "/"
    assert links.address("compare", {"runs": "a,b"}) == "/compare?runs=a%2Cb"
