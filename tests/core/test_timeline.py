"""Output and requests in flight over time, and the best second."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import timeline
from core.timeline import Series, best_second, in_flight_over_time, output_over_time, spread
from tests.core.example_runs import answered, failed, whole


def test_tokens_are_spread_over_the_decoding_of_their_request():
    record = answered(first=1.0, gaps=(0.5,) * 2, tokens=8)

    series = output_over_time([record], steps=4)

    assert series.times_s == pytest.approx((0.25, 0.75, 1.25, 1.75))
    assert series.values == pytest.approx((0, 0, 8, 8))
    assert series.step_s == pytest.approx(0.5)


def test_an_answer_in_one_piece_stands_at_its_end():
    assert output_over_time([whole(took=2.0, tokens=10)], steps=2).values == pytest.approx((0, 10))


def test_failed_requests_bring_no_tokens():
    made = [answered(0, first=0.5, gaps=(1.5,)), failed(1, took=1.0)]

    assert sum(output_over_time(made, steps=2).values) == pytest.approx(made[0].output_tokens)


@pytest.mark.parametrize(
    "made",
    [
        [],
        [failed(0, sent=None)],
        [replace(answered(0), warmup=True)],
        [answered(0, tokens=None)],
        [replace(answered(0), last_token_s=None)],
    ],
)
def test_there_is_no_series_of_what_was_not_seen(made):
    assert output_over_time(made) == Series()


spans = st.lists(st.tuples(st.floats(0, 10), st.floats(0, 10), st.floats(0, 1000)), max_size=20)


@given(spans, st.integers(1, 50))
def test_spreading_loses_nothing(made, steps):
    ordered = [(min(a, b), max(a, b), amount) for a, b, amount in made]

    found = spread(ordered, 0.0, 10.0, steps)

    assert len(found) == steps
    assert sum(found) == pytest.approx(sum(amount for *_, amount in ordered), abs=1e-6)
    assert min(found) >= 0


def test_the_best_second_slides():
    # Ten tokens at 0.9 s and ten at 1.1 s: no whole second of the clock has both, a sliding one has.
    made = [answered(0, first=0.9, gaps=(), tokens=10), answered(1, first=1.1, gaps=(), tokens=10)]

    assert best_second(made) == pytest.approx(20)


def test_a_second_ends_before_the_next_begins():
    made = [answered(0, first=0.5, gaps=(1.0,), tokens=10)]

    assert best_second(made) == pytest.approx(5)


def test_tokens_count_in_the_best_second_and_not_chunks():
    assert best_second([answered(first=0.1, gaps=(0.1,) * 4, tokens=50)]) == pytest.approx(50)


def test_a_request_whose_end_was_not_seen_adds_nothing():
    assert best_second([replace(answered(), last_token_s=None)]) == 0


def test_an_imported_request_without_chunk_times_is_spread_evenly():
    record = replace(answered(first=1.0, gaps=(4.0,), tokens=400), chunk_us=())

    assert best_second([record]) == pytest.approx(100, rel=0.02)


def test_the_window_runs_from_the_first_sending_to_the_last_end_of_measured_requests():
    made = [replace(answered(0, sent=-5.0), warmup=True), answered(1, sent=1.0), failed(2, sent=2.0, took=3.0)]

    assert timeline.window_s(made) == pytest.approx((1.0, 5.0))
    assert timeline.window_s(made[:1]) is None


def test_requests_in_flight_are_the_mean_of_each_step():
    made = [answered(0, first=1.0, gaps=(1.0,)), answered(1, sent=1.0, first=0.5, gaps=(0.5,)), failed(2, took=1.0)]

    series = in_flight_over_time(made, steps=4)

    assert series.values == pytest.approx((2, 2, 2, 2))
    assert in_flight_over_time([replace(made[0], warmup=True)]).values == ()
