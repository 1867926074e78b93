"""A stored run leaves as a file, from the database or from the app that holds it."""

import http.server
import threading
from typing import ClassVar

import pytest

from core import runfile
from core.run import RunState
from storage.database import Database
from storage.exporting import export
from storage.opening import address_file
from storage.runs import RunStore
from tests.core.example_runs import run, steady


@pytest.fixture
def database(tmp_path, monkeypatch):
    path = tmp_path / "paceline.duckdb"
    monkeypatch.setenv("PACELINE_DB", str(path))
    return path


def store(path) -> str:
    finished = run(steady(5), id="abc123", state=RunState.COMPLETED)
    with Database.open(path) as opened:
        RunStore(opened).add(finished)
    return finished.id


def test_a_run_is_written_from_the_database(database, tmp_path):
    out = tmp_path / "run.json"
    assert export(store(database), out) == 0

    (read,) = runfile.read(out)
    assert read.id == "abc123"
    assert len(read.requests) == 5


def test_without_a_file_it_goes_to_standard_output(database, capfdbinary):
    assert export(store(database), None) == 0

    assert len(runfile.from_bytes(capfdbinary.readouterr().out)) == 1


def test_an_unknown_run_is_one_sentence(database, tmp_path, capsys):
    store(database)

    assert export("nobody", tmp_path / "out.json") == 1
    assert "nobody" in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()


def test_no_database_yet_is_one_sentence_and_makes_none(database, capsys):
    assert export("x", None) == 1

    assert str(database) in capsys.readouterr().err
    assert not database.exists()


def test_a_place_that_cannot_be_written_is_one_sentence(database, tmp_path, capsys):
    assert export(store(database), tmp_path / "none" / "out.json") == 1

    assert "cannot be written" in capsys.readouterr().err


class App(http.server.BaseHTTPRequestHandler):
    """What the running app answers."""

    asked: ClassVar[list[str]] = []

    def do_GET(self):
        self.asked.append(self.headers.get("Authorization", ""))
        found = self.path == "/export/abc-1"
        body = b"the file" if found else b"There is no run x."
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def app(database):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address_file(database).write_text(f"http://127.0.0.1:{server.server_port}")
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_while_an_app_holds_the_database_it_is_asked(database, app, tmp_path, monkeypatch):
    assert app
    monkeypatch.setenv("PACELINE_PASSWORD", "open sesame")
    with Database.open(database):
        assert export("abc-1", tmp_path / "out.json") == 0

    assert (tmp_path / "out.json").read_bytes() == b"the file"
    assert App.asked[-1].startswith("Basic ")


def test_what_the_app_refuses_is_told_in_its_words(database, app, capsys):
    assert app
    with Database.open(database):
        assert export("x", None) == 1

    assert "There is no run x." in capsys.readouterr().err


def test_an_owner_that_does_not_answer_is_named(database, capsys):
    with Database.open(database):
        assert export("x", None) == 1
        assert "already running" in capsys.readouterr().err
        address_file(database).write_text("http://127.0.0.1:9")
        assert export("x", None) == 1

    assert "127.0.0.1:9" in capsys.readouterr().err


@pytest.mark.parametrize("run_id", ["", "../../etc/passwd", "a b", "x" * 200])
def test_what_is_no_run_id_is_refused_before_anybody_is_asked(database, app, run_id, capsys):
    assert app
    with Database.open(database):
        assert export(run_id, None) == 1

    assert "no run's id" in capsys.readouterr().err


def test_the_password_goes_to_no_proxy(database, app, tmp_path, monkeypatch):
    assert app
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("PACELINE_PASSWORD", "open sesame")
    with Database.open(database):
        assert export("abc-1", tmp_path / "out.json") == 0
