"""The file opens after a crash, whatever the log looks like, and every reason that it cannot has its sentence."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from core.environment import memory_bytes
from storage import opening
from storage.database import Database
from storage.problems import DatabaseUnreadable, DiskFull, NotADatabase, PlaceNotWritable, StorageProblem

ROOT = Path(__file__).parents[2]
CRASH = """
import os, sys
from pathlib import Path
from storage.database import Database
database = Database.open(Path(sys.argv[1]))
database.write(lambda c: c.execute("CREATE TABLE t (a INTEGER, b VARCHAR)"))
database.write(lambda c: c.execute("INSERT INTO t SELECT i, 'kept' FROM range(10) r(i)"))
database.checkpoint()
for n in range(20):
    database.write(lambda c: c.execute("INSERT INTO t SELECT i, repeat('late', 20) FROM range(10) r(i)"))
os._exit(9)
"""


@pytest.fixture(scope="module")
def crashed(tmp_path_factory) -> tuple[bytes, bytes]:
    """The main file and the log that an app leaves that dies in mid-write."""
    path = tmp_path_factory.mktemp("crash") / "paceline.duckdb"
    died = subprocess.run([sys.executable, "-c", CRASH, str(path)], cwd=ROOT, check=False)
    assert died.returncode == 9
    return path.read_bytes(), path.with_name(path.name + ".wal").read_bytes()


def reopened(folder: Path, main: bytes, log: bytes) -> tuple[int, tuple[str, ...], list[str]]:
    """Rows found, messages, files that were set aside."""
    path = folder / "paceline.duckdb"
    for old in folder.iterdir():
        old.unlink()
    path.write_bytes(main)
    path.with_name(path.name + ".wal").write_bytes(log)
    with Database.open(path) as database, database.cursor() as cursor:
        rows = cursor.execute("SELECT count(*) FROM t").fetchall()[0][0]
        database.write(lambda connection: connection.execute("INSERT INTO t VALUES (1, 'after')"))
        messages = database.messages
    with Database.open(path) as database, database.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM t").fetchall() == [(rows + 1,)]
        assert database.messages == ()
    return rows, messages, [found.name for found in folder.iterdir() if ".unreadable-" in found.name]


def test_a_whole_log_is_replayed_without_a_word(crashed, tmp_path):
    assert reopened(tmp_path, *crashed) == (210, (), [])


def test_a_log_cut_anywhere_keeps_what_came_before(crashed, tmp_path):
    main, log = crashed
    chance = random.Random(1)
    places = sorted(chance.randrange(len(log)) for _ in range(7))

    found = [reopened(tmp_path, main, log[:place]) for place in (0, 1, 7, *places, len(log) - 1)]
    kept = [rows for rows, _, _ in found]

    assert kept == sorted(kept)
    assert [len(messages) for _, messages, _ in found] == [0] + [1] * (len(found) - 1)
    assert all("breaks off in the middle" in messages[0] for _, messages, _ in found[3:])
    assert kept[0] == 10
    assert 10 < kept[-1] <= 210


def test_a_log_with_wrong_bytes_anywhere_is_set_aside_with_a_message(crashed, tmp_path):
    main, log = crashed
    chance = random.Random(2)
    for _ in range(6):
        broken = bytearray(log)
        place = chance.randrange(64, len(log) - 8)
        broken[place : place + 4] = bytes(byte ^ 0xFF for byte in broken[place : place + 4])

        rows, messages, aside = reopened(tmp_path, main, bytes(broken))

        assert 10 <= rows < 210
        if rows == 10:
            assert len(aside) == 1
            assert aside[0] in messages[0]
            assert "set aside" in messages[0]
            assert (tmp_path / aside[0]).read_bytes() == bytes(broken)


@pytest.mark.parametrize("junk", [b"hello" * 100, bytes(5000), os.urandom(3000)], ids=["text", "zeros", "noise"])
def test_a_log_that_is_no_log_is_set_aside_with_a_message(crashed, tmp_path, junk):
    rows, messages, aside = reopened(tmp_path, crashed[0], junk)

    assert rows == 10
    assert len(aside) == 1
    assert "set aside" in messages[0]


@pytest.mark.parametrize("content", [b"", b"x", b"not a database\n" * 1000, bytes(20_000)])
def test_a_file_that_is_no_database_is_left_alone_and_named(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)

    with pytest.raises(NotADatabase, match=r"notes\.txt is not a Paceline database: move it away"):
        Database.open(path)

    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("name", "kind"), [("", "a folder"), ("pipe", "a pipe or"), ("/dev/null", "a pipe or a device")]
)
def test_what_is_no_file_in_its_place_is_named_and_never_opened(tmp_path, name, kind):
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(NotADatabase, match=rf"cannot be the database, it is {kind}.*: set PACELINE_DB to a file"):
        Database.open(tmp_path / name)

    assert [one.name for one in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("ending", [*opening.LOG_ENDINGS, ".lock", ".address"])
def test_a_pipe_in_place_of_what_belongs_to_it_keeps_nobody_waiting(tmp_path, ending):
    os.mkfifo(tmp_path / f"paceline.duckdb{ending}")

    with pytest.raises(NotADatabase, match=rf"{ending} belongs to the database, but it is a pipe"):
        Database.open(tmp_path / "paceline.duckdb")


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(
        PlaceNotWritable, match=r"The folder .*file cannot be written \(.*\): change its rights"
    ) as refused:
        Database.open(tmp_path / "file" / "paceline.duckdb")

    assert "\n" not in str(refused.value)


def test_a_damaged_file_keeps_its_log(crashed, tmp_path):
    main, log = crashed
    path = tmp_path / "paceline.duckdb"
    path.write_bytes(main[:4096] + bytes(8192) + main[12288:])
    path.with_name(path.name + ".wal").write_bytes(log)

    with pytest.raises(DatabaseUnreadable, match="cannot be read"):
        Database.open(path)

    assert path.with_name(path.name + ".wal").read_bytes() == log


def test_a_refused_opening_gives_the_file_free(tmp_path):
    path = tmp_path / "paceline.duckdb"
    path.write_text("no database")
    for _ in range(2):
        with pytest.raises(NotADatabase):
            Database.open(path)
    path.unlink()

    Database.open(path).close()


FULL = """
import resource, sys
from pathlib import Path
from storage.database import Database
from storage.problems import StorageProblem
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    database = Database.open(Path(sys.argv[1]))
    for n in range(400):
        database.write(lambda c: c.execute("INSERT INTO settings SELECT i, uuid() FROM range(1000) r(i)"))
        done = n
except StorageProblem as fault:
    print(type(fault).__name__, str(fault), sep="|")
    with database.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM settings").fetchall() == [((done + 1) * 1000,)]
    database.close()
"""


def test_a_full_disk_is_one_sentence_and_loses_nothing_saved(tmp_path):
    path = tmp_path / "paceline.duckdb"

    # A limit on the size of files stands in for the disk: the system call fails at the same places.
    told = subprocess.run(
        [sys.executable, "-c", FULL, str(path), "4000000"], cwd=ROOT, check=True, capture_output=True, text=True
    )

    kind, sentence = told.stdout.strip().split("|")
    assert kind == DiskFull.__name__
    assert sentence == f"The disk that holds {path} is full: make room, then go on. Nothing already saved is lost."
    with Database.open(path) as database, database.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM settings").fetchall()[0][0] >= 1000


@pytest.mark.parametrize(
    ("memory", "limit"),
    [
        (2 << 30, 512 << 20),
        (100 << 20, opening.LEAST_MEMORY),
        (64 << 30, opening.MOST_MEMORY),
        (None, opening.LEAST_MEMORY),
    ],
)
def test_the_database_takes_a_share_of_the_memory_that_there_is(memory, limit):
    assert opening.memory_limit(memory) == limit


def test_the_database_holds_to_its_memory_limit(database):
    with database.cursor() as cursor:
        found = cursor.execute("SELECT current_setting('memory_limit')").fetchall()[0][0]

    assert (
        float(found.split()[0]) * {"MiB": 1 << 20, "GiB": 1 << 30}[found.split()[1]]
        <= opening.memory_limit(memory_bytes()) * 1.01
    )


def test_every_problem_of_storage_is_a_noun_below_one():
    kinds = StorageProblem.__subclasses__()

    assert len(kinds) >= 15
    assert not [kind.__name__ for kind in kinds if kind.__name__.endswith(("Error", "Exception"))]
