"""One owner, one writer, any number of readers, and one plain sentence for everything that prevents it."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from storage import opening
from storage.database import Database, default_path
from storage.problems import DatabaseClosed, DatabaseOwned, WriteFailed

ROOT = Path(__file__).parents[2]
HOLD = """
import sys
from pathlib import Path
from storage.database import Database
database = Database.open(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
database.close()
"""


def test_the_file_is_made_where_nothing_was(tmp_path):
    path = tmp_path / "new" / "folder" / "paceline.duckdb"

    Database.open(path).close()

    assert path.exists()
    assert not path.with_name(path.name + ".wal").exists()


def test_the_place_comes_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("PACELINE_DB", str(tmp_path / "x.duckdb"))
    assert default_path() == tmp_path / "x.duckdb"

    monkeypatch.delenv("PACELINE_DB")
    assert default_path() == ROOT / "data" / "paceline.duckdb"


def test_a_second_process_gets_one_sentence_with_the_owners_pid(tmp_path):
    path = tmp_path / "paceline.duckdb"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "open\n"

        with pytest.raises(DatabaseOwned) as refused:
            Database.open(path)
        owner.communicate("")

    assert refused.value.pid == owner.pid
    assert str(refused.value) == (
        f"Paceline is already running on {path} as process {owner.pid}: use that one, stop it, or set PACELINE_DB to "
        "another file."
    )
    Database.open(path).close()


def test_a_second_opener_in_this_process_is_refused_too(tmp_path):
    path = tmp_path / "paceline.duckdb"
    link = tmp_path / "link.duckdb"
    with Database.open(path):
        link.symlink_to(path)
        for name in (path, link):
            with pytest.raises(DatabaseOwned, match="already running"):
                Database.open(name)

    Database.open(path).close()


def test_a_second_opener_is_told_where_the_first_one_answers(tmp_path):
    path = tmp_path / "paceline.duckdb"
    with Database.open(path):
        opening.address_file(path).write_text("http://127.0.0.1:8501")

        with pytest.raises(DatabaseOwned, match=rf"as process {os.getpid()} at http://127\.0\.0\.1:8501: use that one"):
            Database.open(path)


def test_the_file_held_by_another_program_names_that_one(tmp_path):
    path = tmp_path / "paceline.duckdb"
    Database.open(path).close()
    hold = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"

        with pytest.raises(DatabaseOwned, match=f"as process {other.pid}"):
            Database.open(path)
        other.communicate("")


def test_a_reader_in_each_thread_reads_while_the_writer_writes(database):
    database.write(lambda connection: connection.execute("CREATE TABLE t (a INTEGER)"))
    faults, seen = [], []

    def read():
        for _ in range(50):
            with database.cursor() as cursor:
                seen.append(cursor.execute("SELECT count(*) FROM t").fetchall()[0][0])

    threads = [threading.Thread(target=read) for _ in range(4)]
    threading.excepthook, hook = faults.append, threading.excepthook
    try:
        for thread in threads:
            thread.start()
        for number in range(50):
            database.write(lambda connection, number=number: connection.execute("INSERT INTO t VALUES (?)", [number]))
        for thread in threads:
            thread.join()
    finally:
        threading.excepthook = hook

    assert faults == []
    assert len(seen) == 200


def test_a_snapshot_sees_one_moment_and_does_not_stop_a_checkpoint(database):
    database.write(lambda connection: connection.execute("CREATE TABLE t (a INTEGER)"))
    with database.snapshot() as cursor:
        before = cursor.execute("SELECT count(*) FROM t").fetchall()
        database.write(lambda connection: connection.execute("INSERT INTO t VALUES (1)"))
        database.checkpoint()

        assert cursor.execute("SELECT count(*) FROM t").fetchall() == before


def test_a_write_is_all_or_nothing(database):
    def half(connection):
        connection.execute("CREATE TABLE half (a INTEGER)")
        connection.execute("INSERT INTO nowhere VALUES (1)")

    with pytest.raises(WriteFailed, match=r"could not be written \(Catalog Error"):
        database.write(half)

    with database.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'half'").fetchall() == [(0,)]


def test_what_could_not_be_written_is_told_until_it_is(database):
    done = threading.Event()

    def fail(connection):
        done.set()
        connection.execute("INSERT INTO nowhere VALUES (1)")

    database.soon(fail, 0.0)
    assert done.wait(10)
    database.write(lambda _: None)
    assert any("could not be written" in message for message in database.messages)
    assert database.trouble in database.messages

    database.well()

    assert database.messages == ()
    assert database.trouble is None


def test_after_closing_every_use_says_so(tmp_path):
    database = Database.open(tmp_path / "paceline.duckdb")
    database.close()
    database.close()

    with pytest.raises(DatabaseClosed, match="closed"):
        database.cursor()
    with pytest.raises(DatabaseClosed, match="closed"):
        database.write(lambda _: None)


def test_queries_reach_no_file_and_load_no_extension(database, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    with database.cursor() as cursor:
        settings = dict(
            cursor.execute(
                "SELECT name, value FROM duckdb_settings() WHERE name IN "
                "('enable_external_access', 'autoinstall_known_extensions', 'autoload_known_extensions')"
            ).fetchall()
        )
    assert settings == dict.fromkeys(settings, "false")
    assert len(settings) == 3
    attempts = (
        "SELECT * FROM read_csv('%s')", "COPY (SELECT 1) TO '%s.out'", "ATTACH '%s.duckdb' AS other",
        "SET enable_external_access = true",
    )  # fmt: skip
    for attempt in attempts:
        with pytest.raises(WriteFailed):
            database.write(lambda connection, attempt=attempt: connection.execute(attempt.replace("%s", str(secret))))
