"""The app around the pages: when it refuses to start, whom it lets in, how it ends, what a page's fault looks like."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.run import RunState
from storage.database import Database
from storage.runs import RunStore
from tests.running_app import RunningApp, free_port, signed_in
from tests.storage.made import ended, record, run

ROOT = Path(__file__).parents[1]


ADDRESS = "0.0.0.0"
NOT_A_DATABASE = b"somebody's notes\n" * 1000


def started(database, *options, command=(str(ROOT / ".ci" / "start.py"),)):
    """A start that is expected to be refused: how it ended, and what it said."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PACELINE_")}
    return subprocess.run(
        [sys.executable, *command, *options],
        cwd=ROOT,
        env=environment | {"PACELINE_DB": str(database)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def refused_start(ended):
    """The one sentence of a refused start: nothing else was said, and it did not end well."""
    assert ended.returncode not in {0, None}
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1, ended.stderr
    return ended.stderr


STREAMLIT = ("-m", "streamlit", "run", "app.py")


@pytest.mark.parametrize(
    ("command", "address"), [((str(ROOT / ".ci" / "start.py"),), "--address"), (STREAMLIT, "--server.address")]
)
def test_on_all_addresses_without_an_access_rule_it_refuses_to_start(tmp_path, command, address):
    port = ("--port" if address == "--address" else "--server.port", str(free_port()))

    sentence = refused_start(started(tmp_path / "x.duckdb", *port, address, ADDRESS, command=command))

    assert f"does not listen on {ADDRESS} without an access rule: set PACELINE_PASSWORD" in sentence
    assert not (tmp_path / "x.duckdb").exists()


@pytest.mark.parametrize("command", [(str(ROOT / ".ci" / "start.py"), "--port"), (*STREAMLIT, "--server.port")])
def test_a_database_that_cannot_be_read_ends_the_start(tmp_path, command):
    path = tmp_path / "x.duckdb"
    path.write_bytes(NOT_A_DATABASE)
    port = free_port()

    sentence = refused_start(started(path, str(port), command=command))

    assert "x.duckdb is not a Paceline database: move it away, or set PACELINE_DB" in sentence
    assert path.read_bytes() == NOT_A_DATABASE


def test_a_database_that_is_a_pipe_ends_the_start_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    sentence = refused_start(started(tmp_path / "pipe", "--port", str(free_port())))

    assert "pipe cannot be the database, it is a pipe or a device, and no file: set PACELINE_DB" in sentence


@pytest.mark.parametrize("port", ["²", "٣", "0", "65536", "-1", "9" * 5000, "", "http"])
def test_a_port_that_is_none_ends_the_start(tmp_path, port):
    sentence = refused_start(started(tmp_path / "x.duckdb", f"--port={port}"))

    assert sentence == f"PORT={port[:20]} is not a port: give a number from 1 to 65535.\n"


def test_a_second_app_on_one_database_is_told_where_the_first_one_is(tmp_path):
    with RunningApp(tmp_path) as first:
        sentence = refused_start(started(first.database, "--port", str(free_port())))

        assert f"already running on {first.database} as process {first.process.pid} at {first.address}:" in sentence
        assert first.answers()


def test_a_taken_port_ends_the_start(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        sentence = refused_start(started(tmp_path / "x.duckdb", "--port", str(port)))

    assert f"Port {port} is taken by another program: choose one with" in sentence
    assert not (tmp_path / "x.duckdb").exists()


def test_ctrl_c_ends_it_quietly(tmp_path):
    with RunningApp(tmp_path) as app:
        app.process.send_signal(signal.SIGINT)

        assert app.process.wait(30) == 0
        assert app.said() == f"Paceline: {app.address} (Ctrl-C ends it)\n\nPaceline has ended.\n"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with RunningApp(tmp_path_factory.mktemp("app")) as running:
        yield running


def handshake(app, origin, host=None, password=None):
    """The status of a websocket handshake, spoken by hand."""
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {host or app.address.removeprefix('http://')}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        *([] if origin is None else [f"Origin: {origin}"]),
        *([] if password is None else [f"Authorization: {signed_in(password)}"]),
    ]
    with socket.create_connection(("127.0.0.1", app.port), timeout=30) as line:
        line.sendall("\r\n".join([*lines, "", ""]).encode())
        return int(line.recv(100).split()[1])


def test_a_page_of_another_port_of_this_machine_opens_no_websocket(app):
    for origin in (f"http://127.0.0.1:{app.port + 1}", f"http://localhost:{app.port}", "https://evil.example", "null"):
        assert handshake(app, origin) == 403
    assert handshake(app, f"http://evil.example:{app.port}", host=f"evil.example:{app.port}") == 403


def test_its_own_page_and_a_program_open_a_websocket(app):
    assert handshake(app, app.address) == 101
    assert handshake(app, f"http://localhost:{app.port}", host=f"localhost:{app.port}") == 101
    assert handshake(app, None) == 101


def test_a_page_may_connect_to_its_own_server_only(app):
    with urllib.request.urlopen(app.address, timeout=30) as answer:
        policy = answer.headers["content-security-policy"]

    own = app.address.removeprefix("http://")
    assert f" connect-src 'self' ws://{own} wss://{own};" in policy


PASSWORD = "correct horse: 42"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    with RunningApp(tmp_path_factory.mktemp("guarded"), PACELINE_PASSWORD=PASSWORD) as running:
        yield running


@pytest.mark.parametrize("path", ["/", "/runs", "/_stcore/health", "/_stcore/host-config", "/export/some-run"])
def test_nothing_is_seen_without_the_password(guarded, path):
    for wrong in ("", "wrong", PASSWORD[:-1], PASSWORD.upper()):
        status, body = guarded.get(path, password=wrong)
        assert (status, body) == (401, b"Sign in with the password that the operator of this Paceline set.")
    assert guarded.get(path)[0] == (404 if path.startswith("/export") else 200)


def test_no_websocket_is_opened_without_the_password(guarded):
    assert handshake(guarded, guarded.address) == 403
    assert handshake(guarded, None) == 403
    assert handshake(guarded, guarded.address, password="wrong") == 403
    assert handshake(guarded, guarded.address, password=PASSWORD) == 101


def test_a_run_that_a_died_app_left_is_interrupted_when_the_next_one_has_started(tmp_path):
    with Database.open(tmp_path / "paceline.duckdb") as database:
        runs = RunStore(database)
        runs.add(ended(run("whole"), requests=(record(0),)))
        runs.run_started(run("cut-off"))
        runs.requests("cut-off", [record(0), record(1)])
        database.flush(runs._flush)

    with RunningApp(tmp_path):
        pass  # no page is opened: the start itself sets it right

    with Database.open(tmp_path / "paceline.duckdb") as database:
        found = {row.id: (row.state, row.ok) for row in RunStore(database).list_runs()}
    assert found == {"cut-off": (RunState.INTERRUPTED, 2), "whole": (RunState.COMPLETED, 1)}


def fault():
    import streamlit as st

    from app import on_script_error

    st.write(on_script_error(ValueError("the secret of the traceback")))


def test_a_fault_of_a_page_is_one_sentence_with_an_id(caplog):
    page = AppTest.from_function(fault, default_timeout=60).run()

    sentence = page.markdown[0].value.replace("\\", "")
    assert page.markdown[1].value == "`True`"
    assert "This page could not be drawn (error " in sentence
    assert "secret" not in sentence
    error_id = sentence.partition("(error ")[2].partition(")")[0]
    assert error_id in caplog.text
