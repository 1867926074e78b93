"""SQL and core.summary agree on every case, and what is stored is computed again when the definitions change."""

import math
import re
import time
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import metrics, summary, timeline
from core.percentile import percentile
from core.records import Failure, FailureKind, RequestRecord, TokenSource
from core.slo import Slo
from core.summary import STATISTICS, Summary
from storage import summaries
from storage.database import Database
from storage.runs import RunStore
from storage.schema import MIGRATIONS
from tests.storage.made import ended, failed, plain, record, row_of, run

NUMBERS = count()
TIMES = st.none() | st.floats(0, 50) | st.integers(0, 5).map(float)
TOKENS = st.none() | st.integers(0, 200) | st.sampled_from([0, 1, 2, 10**12, 2**40])


@st.composite
def chunk_times(draw):
    gaps = draw(st.lists(st.integers(0, 10) | st.integers(0, 3_000_000), max_size=12))
    times, now = [], 0
    for gap in gaps:
        now += gap
        times.append(now)
    return times


def texts():
    return st.none() | st.text(max_size=20)


@st.composite
def arbitrary(draw) -> RequestRecord:
    """Any values at all: times that run backwards, counts that fit nothing."""
    kind = draw(st.none() | st.sampled_from(FailureKind))
    return RequestRecord(
        request_id=f"q{draw(st.integers(0, 10**9))}",
        index=draw(st.integers(0, 1000)),
        warmup=draw(st.sampled_from([False, False, False, True])),
        scheduled_s=draw(TIMES),
        sent_s=draw(TIMES),
        first_token_s=draw(TIMES),
        first_answer_s=draw(TIMES),
        last_token_s=draw(TIMES),
        ended_s=draw(TIMES),
        connect_s=draw(TIMES),
        input_tokens=draw(TOKENS),
        output_tokens=draw(TOKENS),
        cached_tokens=draw(TOKENS),
        token_source=draw(st.sampled_from(TokenSource)),
        failure=None if kind is None else Failure(kind=kind, message="no"),
        streamed=draw(st.sampled_from([True, True, True, False])),
        chunk_us=draw(chunk_times()),
        text=draw(texts()),
        reasoning_text=draw(texts()),
    )


@st.composite
def likely(draw) -> RequestRecord:
    """What an engine sends: ascending times, about a token a chunk."""
    times = draw(chunk_times())
    sent = draw(st.floats(0, 20))
    first, last = (sent + times[0] / 1e6, sent + times[-1] / 1e6) if times else (None, None)
    return RequestRecord(
        request_id=f"q{draw(st.integers(0, 10**9))}",
        index=draw(st.integers(0, 1000)),
        sent_s=sent,
        first_token_s=first,
        first_answer_s=first,
        last_token_s=last,
        ended_s=(last or sent) + 0.001,
        input_tokens=draw(st.integers(1, 100)),
        output_tokens=max(0, len(times) + draw(st.sampled_from([0, 0, 0, 0, 1, -1, 3]))),
        token_source=TokenSource.USAGE,
        chunk_us=times,
        text=draw(texts()),
    )


RUNS = (
    st.lists(likely(), max_size=12) | st.lists(arbitrary(), max_size=12) | st.lists(likely() | arbitrary(), max_size=30)
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Database.open(tmp_path_factory.mktemp("agree") / "paceline.duckdb") as database:
        yield RunStore(database)


def stored(store: RunStore, records: list[RequestRecord]) -> str:
    run_id = f"n{next(NUMBERS)}"
    store.add(ended(run(run_id), requests=tuple(records)))
    return run_id


def close(found: float | None, wanted: float | None, scale: float = 0.0) -> bool:
    if found is None or wanted is None:
        return found is wanted
    return math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-9 * max(scale, 1e-3))


def numbers(one: Summary) -> dict[str, tuple[float | None, float]]:
    """Every number of a summary by its name, and the size of what it was computed from."""
    found = {
        f"{metric} {name}": (getattr(spread, name), abs(spread.max))
        for metric, spread in one.distributions.items()
        for name in ("count", *STATISTICS)
    }
    found |= {name: (value, 1.0) for name, value in one.throughput.items()}
    return found | {
        name: (getattr(one, name), 0.0) for name in ("duration_s", "mean_in_flight", "itl_share", "success_rate")
    }


def differences(found: Summary, wanted: Summary) -> list[str]:
    """Every place where two summaries differ beyond the rounding of floats."""
    one, other = numbers(found), numbers(wanted)
    told = sorted(f"only one has {name}" for name in one.keys() ^ other.keys())
    told += [
        f"{name}: {one[name][0]} is not {value}"
        for name, (value, scale) in other.items()
        if name in one and not close(one[name][0], value, scale)
    ]
    same = [(name, getattr(found, name), getattr(wanted, name)) for name in ("counts", "tutorial", "token_source")]
    return told + [f"{name}: {value} is not {other}" for name, value, other in same if value != other]


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(records=RUNS)
def test_sql_and_python_agree_on_every_case(store, records):
    run_id = stored(store, records)

    assert differences(store.summary(run_id), summary.summarise(records)) == []
    assert [plain(one) for one in store.run(run_id).requests] == records
    for metric in ("ttft_s", "output_tokens", "itl_s"):
        assert store.values(run_id, metric) == pytest.approx(summary.values(records, metric), rel=1e-12)


SLOS = st.lists(
    st.sampled_from([
        "ttft_s.p95 < 0.5", "ttfa_s.p95 <= 1", "tpot_s.p50 < 0.01", "e2e_s.max < 3", "decode_tps.mean >= 20",
        "e2e_tps.p50 > 5", "success_rate > 0.5",
    ]),
    min_size=1,
    unique=True,
).map(Slo.read)  # fmt: skip


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(records=RUNS, slo=SLOS)
def test_sql_and_python_agree_on_what_is_good(store, records, slo):
    run_id, live_id = f"n{next(NUMBERS)}", f"n{next(NUMBERS)}"
    asked = replace(run().plan, slo=slo)
    store.add(ended(run(run_id, plan=asked), requests=tuple(records)))
    store.run_started(run(live_id, plan=asked))
    store.requests(live_id, records)
    store._database.flush(store._flush)

    wanted = summary.summarise(records, slo)
    assert differences(store.summary(run_id), wanted) == []
    assert differences(store.summary(live_id), wanted) == []


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(records=RUNS)
def test_a_live_run_reads_as_it_will_when_it_has_ended(store, records):
    run_id = f"n{next(NUMBERS)}"
    store.run_started(run(run_id))
    for one in records:
        store.requests(run_id, [one])
    store._database.flush(store._flush)
    live, live_values = store.summary(run_id), store.values(run_id, "ttft_s")
    live_table, live_requests = store.request_table(run_id), store.run(run_id).requests
    store.run_ended(ended(run(run_id)))

    assert differences(store.summary(run_id), live) == []
    assert store.values(run_id, "ttft_s") == live_values
    assert store.request_table(run_id).to_pylist() == live_table.to_pylist()
    assert store.run(run_id).requests == live_requests


def test_the_comparison_of_summaries_sees_a_difference():
    one = summary.summarise([record(index) for index in range(5)])
    other = summary.summarise([record(index, gap_us=10_001) for index in range(5)])

    assert any(text.startswith("gap_s p50") for text in differences(one, other))


def test_the_grid_runs_from_the_least_to_the_greatest_value(store):
    records = [record(index, gap_us=1000 * (index + 1)) for index in range(50)]
    run_id = stored(store, records)

    for metric in ("gap_s", "itl_s", "ttft_s", "e2e_s", "output_tokens"):
        grid = store.grid(run_id, metric)
        ordered = sorted(summary.values(records, metric))
        wanted = [percentile(ordered, place / 199 * 100) for place in range(200)]
        assert grid == pytest.approx(wanted, rel=1e-9)
        assert (grid[0], grid[-1]) == (pytest.approx(ordered[0]), pytest.approx(ordered[-1]))


def test_latencies_from_the_schedule_have_a_grid(store):
    run_id = stored(store, [record(index, scheduled_s=index / 10 - 0.02) for index in range(5)])

    assert store.grid(run_id, "scheduled_ttft_s")[0] == pytest.approx(0.07)
    assert store.grid(run_id, "slip_s")[-1] == pytest.approx(0.02)
    assert store.values(run_id, "scheduled_e2e_s") == pytest.approx([0.11] * 5)


def test_a_metric_that_no_request_has_has_an_empty_grid(store):
    run_id = stored(store, [failed(0)])

    assert store.grid(run_id, "ttft_s") == ()
    assert store.grid(run_id, "gap_s") == ()
    assert store.values(run_id, "gap_s") == []


def test_a_live_run_has_its_grid_so_far(store):
    run_id = f"n{next(NUMBERS)}"
    store.run_started(run(run_id))
    store.requests(run_id, [record(0), record(1, gap_us=20_000)])
    store._database.flush(store._flush)

    assert len(store.grid(run_id, "gap_s")) == 200
    assert store.grid(run_id, "gap_s")[-1] == pytest.approx(0.02)


def test_output_over_time_is_stored(store):
    records = [record(index, chunks=30) for index in range(20)]
    run_id = stored(store, records)

    found, wanted = store.output_over_time(run_id), timeline.output_over_time(records)
    assert found.times_s == pytest.approx(wanted.times_s)
    assert found.values == pytest.approx(wanted.values, rel=1e-5, abs=1e-3)
    assert found.step_s == pytest.approx(wanted.step_s)
    assert len(row_of(store, run_id).sparkline) == 40
    mean = sum(store.output_over_time(run_id).values) / 240
    assert sum(row_of(store, run_id).sparkline) / 40 == pytest.approx(mean, rel=1e-5)


def test_a_run_without_an_answer_has_no_output(store):
    run_id = stored(store, [failed(0), failed(1)])

    assert store.output_over_time(run_id).values == ()
    assert row_of(store, run_id).sparkline == ()


def with_other_definitions(store: RunStore, run_id: str, version: int) -> None:
    """As if another Paceline had stored the run, with another idea of TTFT."""

    def change(connection):
        no = connection.execute("SELECT no FROM runs WHERE id = ?", [run_id]).fetchall()[0][0]
        connection.execute("UPDATE requests SET ttft_s = 99, definitions_version = ? WHERE run_no = ?", [version, no])
        for table in ("distributions", "summaries"):
            connection.execute(f"UPDATE {table} SET definitions_version = ? WHERE run_no = ?", [version, no])
        connection.execute("UPDATE distributions SET p50 = 99 WHERE run_no = ?", [no])

    store._database.write(change)


def test_what_another_paceline_stored_beside_it_does_not_hide_a_run(store):
    records = [record(index) for index in range(5)]
    run_id = stored(store, records)
    more = [("{", '{"of_tomorrow":1,'), ('"tutorial":{', '"tutorial":{"of_yesterday":2,')]
    for word, instead in more:
        store._database.write(lambda c, pair=(word, instead): c.execute(
            "UPDATE summaries SET facts = regexp_replace(facts, ?, ?)", [re.escape(pair[0]), pair[1]]))  # fmt: skip

    assert differences(store.summary(run_id), summary.summarise(records)) == []


def test_what_other_definitions_stored_is_computed_again_when_read(store):
    records = [record(index) for index in range(5)] + [failed(5)]
    run_id = stored(store, records)
    with_other_definitions(store, run_id, metrics.DEFINITIONS_VERSION + 1)
    assert row_of(store, run_id).ttft_p50_s is None

    assert differences(store.summary(run_id), summary.summarise(records)) == []
    assert store.grid(run_id, "ttft_s")[0] == pytest.approx(0.05)
    assert store.values(run_id, "ttft_s") == pytest.approx([0.05] * 5)
    assert row_of(store, run_id).ttft_p50_s == pytest.approx(0.05)


def test_what_other_definitions_stored_is_computed_again_after_the_start(tmp_path):
    with Database.open(tmp_path / "paceline.duckdb") as database:
        runs = RunStore(database)
        for run_id in ("a", "b"):
            runs.add(ended(run(run_id), requests=(record(0),)))
            with_other_definitions(runs, run_id, 0)

    with Database.open(tmp_path / "paceline.duckdb") as database:
        runs = RunStore(database)
        assert runs.recover() == ()
        until = time.monotonic() + 10
        while time.monotonic() < until and any(row.ttft_p50_s is None for row in runs.list_runs()):
            time.sleep(0.02)

        assert [row.ttft_p50_s for row in runs.list_runs()] == [pytest.approx(0.05)] * 2


def test_a_run_deleted_before_its_summary_was_stored_leaves_nothing(store):
    run_id = stored(store, [record(0)])
    with store._database.cursor() as cursor:
        no = cursor.execute("SELECT no FROM runs WHERE id = ?", [run_id]).fetchall()[0][0]
    store.delete([run_id])

    store._database.write(lambda connection: summaries.derive(connection, no))

    with store._database.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM summaries WHERE run_no = ?", [no]).fetchall() == [(0,)]


def test_every_metric_of_a_request_has_its_column(database):
    with database.cursor() as cursor:
        found = cursor.execute("SELECT column_name FROM duckdb_columns() WHERE table_name = 'requests'").fetchall()

    assert set(metrics.PER_REQUEST) <= {name for (name,) in found}


def test_cancelled_runs_have_a_summary_too(store):
    run_id = stored(store, [record(0), replace(failed(1, FailureKind.CANCELLED), ended_s=0.5)])

    assert store.summary(run_id).counts["cancelled"] == 1
    assert row_of(store, run_id).success_rate == 1.0


def test_a_summary_that_does_not_tell_who_counted_the_tokens_is_derived_again(tmp_path):
    with Database.open(tmp_path / "paceline.duckdb") as database:
        RunStore(database).add(ended(run("old"), requests=(record(0),)))
        without = "UPDATE summaries SET facts = regexp_replace(facts, ',\"token_source\":[^,}]*', '')"
        database.write(lambda connection: connection.execute(without))
        assert RunStore(database).summary("old").token_source is None
        (again,) = MIGRATIONS[2].statements
        database.write(lambda connection: connection.execute(again))

    with Database.open(tmp_path / "paceline.duckdb") as database:
        assert RunStore(database).summary("old").token_source is TokenSource.USAGE
