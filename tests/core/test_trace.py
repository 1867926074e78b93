"""What a plan keeps of a recorded load, and its rows."""

from dataclasses import replace

import pytest

from core.base_url import PlanError
from core.trace import MOST_RATE, Rows

THREE = Rows.of([(3.0, 30, 3), (1.0, 10, 1), (2.0, 20, 2)])


def test_rows_are_in_the_order_of_time_and_count_from_the_first():
    assert list(THREE.at_us) == [0, 1_000_000, 2_000_000]
    assert list(THREE.input_tokens) == [10, 20, 30]
    assert list(THREE.output_tokens) == [1, 2, 3]


def test_rows_at_the_same_moment_keep_their_order():
    assert list(Rows.of([(1.0, 1, 9), (1.0, 2, 9), (1.0, 3, 9)]).input_tokens) == [1, 2, 3]


def test_the_same_rows_have_the_same_digest_and_others_do_not():
    again = Rows.of([(101.0, 10, 1), (102.0, 20, 2), (103.0, 30, 3)])

    assert again.digest == THREE.digest
    assert Rows.of([(1.0, 10, 1), (2.0, 20, 2), (3.0, 30, 4)]).digest != THREE.digest
    assert Rows.of([(1.0, 1, 11)]).digest != Rows.of([(1.0, 11, 1)]).digest


def test_a_trace_tells_its_rate_and_lengths_and_speed_changes_the_rate_alone():
    trace = THREE.trace("x.csv")
    fast = replace(trace, speed=4.0)

    assert (trace.rows, trace.span_s, trace.rate, trace.lengths) == (3, 2.0, 1.0, (20.0, 2.0))
    assert (fast.rate, fast.lengths, fast.digest) == (4.0, trace.lengths, trace.digest)
    assert (trace.words, fast.words) == ("trace x.csv", "trace x.csv ×4")


def test_a_trace_of_one_moment_has_a_rate_that_a_load_may_have():
    assert Rows.of([(5.0, 1, 1)]).trace("x").rate == MOST_RATE


@pytest.mark.parametrize(
    "wrong",
    [
        {"speed": 0.0},
        {"speed": float("nan")},
        {"rows": 0},
        {"digest": "../../etc"},
        {"span_s": -1.0},
        {"name": "x" * 201},
    ],
)
def test_nonsense_is_refused(wrong):
    with pytest.raises(PlanError):
        replace(THREE.trace("x"), **wrong)


def test_columns_come_back_and_uneven_ones_are_refused():
    assert Rows.of_columns(THREE.columns()).digest == THREE.digest
    for wrong in ([[1], [1]], [[1], [1], [1, 2]], [["a"], [1], [1]], [[2**70], [1], [1]]):
        with pytest.raises((ValueError, TypeError, OverflowError)):
            Rows.of_columns(wrong)


def test_the_spread_is_the_median_and_the_longest():
    assert THREE.spread() == ((20, 30), (2, 3))
