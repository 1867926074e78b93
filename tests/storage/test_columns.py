"""Records survive the way into columns and back; what no column holds becomes "not observed" and stops nothing."""

from array import array
from dataclasses import replace

import pyarrow as pa
import pytest

from core.records import Failure, FailureKind
from storage import columns
from tests.storage.made import ended, plain, record, run


@pytest.mark.parametrize(
    ("field", "hostile", "kept"),
    [
        ("output_tokens", 10**30, None),
        ("output_tokens", -(10**19), None),
        ("input_tokens", 2**63 - 1, 2**63 - 1),
        ("cached_tokens", "many", None),
        ("sent_s", float("nan"), None),
        ("ended_s", float("inf"), None),
        ("last_token_s", float("-inf"), None),
        ("text", "a\ud800b", "a?b"),
        ("finish_reason", "\udfff", "?"),
        ("finish_reason", 7, "7"),
        ("chunk_us", [1, 2**40], []),
        ("chunk_us", ["1"], []),
    ],
    ids=str,
)
def test_one_hostile_value_costs_itself_and_nothing_else(runs, field, hostile, kept):
    runs.run_started(run())
    runs.requests("r1", [record(0), replace(record(1), **{field: hostile}), record(2)])
    runs.run_ended(ended(run()))

    found = runs.run("r1").requests

    assert plain(found[1]) == plain(replace(record(1), **{field: kept}))
    assert [plain(one) for one in (found[0], found[2])] == [plain(record(0)), plain(record(2))]


def test_a_failure_without_words_is_kept(runs):
    refused = replace(record(0, chunks=1), failure=Failure(kind=FailureKind.DNS, message=""), chunk_us=())
    runs.add(ended(run(requests=[refused])))

    assert plain(runs.run("r1").requests[0]) == plain(refused)


def test_every_sequence_of_times_is_taken(runs):
    times = [50, 60, 75]
    kinds = [times, tuple(times), array("i", times), array("q", times), range(50, 80, 10)]
    runs.add(ended(run(requests=[record(index, chunk_us=kind) for index, kind in enumerate(kinds)])))

    assert [list(one.chunk_us) for one in runs.run("r1").requests] == [list(kind) for kind in kinds]


def test_times_that_are_no_numbers_are_not_observed():
    rows = pa.table({"a_s": [1.0, float("nan"), None], "b": ["x", "y", "z"], "c_s": [1.0, 2.0, 3.0]})

    assert columns.finite(rows).to_pydict() == {"a_s": [1.0, None, None], "b": ["x", "y", "z"], "c_s": [1.0, 2.0, 3.0]}


def test_no_records_make_an_empty_table():
    assert columns.table(0, ()).num_rows == 0
    assert columns.table(0, ()).schema == columns.table(0, [record(0)]).schema
