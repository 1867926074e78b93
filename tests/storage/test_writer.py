"""The writer runs jobs in order, one at a time, and no error is lost."""

import threading
from collections.abc import Iterator

import duckdb
import pytest

from storage.problems import DatabaseClosed, WriteFailed
from storage.writer import Writer, transaction


@pytest.fixture
def reported() -> list[BaseException]:
    return []


@pytest.fixture
def writer(reported) -> Iterator[Writer]:
    connection = duckdb.connect()
    made = Writer(connection, reported.append, lambda fault: WriteFailed(str(fault)))
    yield made
    made.close()
    connection.close()


def test_a_job_gives_its_result_to_the_caller(writer):
    assert writer.call(lambda connection: connection.execute("SELECT 42").fetchall()) == [(42,)]


def test_an_error_of_the_database_reaches_the_caller_translated(writer):
    with pytest.raises(WriteFailed, match="no_such_table"):
        writer.call(lambda connection: connection.execute("SELECT * FROM no_such_table"))


def test_any_other_error_reaches_the_caller_as_it_is(writer):
    with pytest.raises(ZeroDivisionError):
        writer.call(lambda _: 1 // 0)


def test_an_error_that_nobody_waits_for_is_reported(writer, reported):
    def broken(connection):
        connection.execute("SELECT * FROM no_such_table")

    writer.soon(broken, 0.0)
    writer.close()

    assert [type(fault) for fault in reported] == [WriteFailed]


def test_a_job_asked_for_often_runs_once(writer):
    times = []

    def job(_):
        times.append(1)

    for _ in range(100):
        writer.soon(job, 30.0)
    writer.close()

    assert len(times) == 1


def test_closing_runs_what_is_due_later(writer):
    done = threading.Event()

    writer.soon(lambda _: done.set(), 3600.0)
    writer.close()

    assert done.is_set()


def test_a_due_job_runs_without_another_call(writer):
    done = threading.Event()

    writer.soon(lambda _: done.set(), 0.01)

    assert done.wait(10)


def test_all_jobs_run_in_one_thread_and_one_at_a_time(writer):
    threads, inside = set(), []

    def job(_):
        inside.append(1)
        threads.add(threading.get_ident())
        assert len(inside) == 1
        inside.pop()

    callers = [threading.Thread(target=lambda: [writer.call(job) for _ in range(50)]) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()

    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_a_job_may_call_the_writer_itself(writer):
    assert writer.call(lambda _: writer.call(lambda _: 7)) == 7


def test_after_closing_nothing_is_taken(writer):
    writer.close()
    writer.close()

    with pytest.raises(DatabaseClosed):
        writer.call(lambda _: None)
    with pytest.raises(DatabaseClosed):
        writer.soon(lambda _: None, 0)


def half(connection):
    connection.execute("INSERT INTO t VALUES (1)")
    connection.execute("INSERT INTO nowhere VALUES (1)")


def test_a_transaction_is_all_or_nothing():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")

        with pytest.raises(duckdb.CatalogException), transaction(connection):
            half(connection)
        with transaction(connection):
            connection.execute("INSERT INTO t VALUES (2)")

        assert connection.execute("SELECT a FROM t").fetchall() == [(2,)]
