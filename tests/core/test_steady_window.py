"""The steady state of a closed loop, on runs small enough to be worked out by hand."""

from dataclasses import replace

import pytest

from core.slo import Slo
from core.steady_window import in_steady_state, sent_within, steady_window
from tests.core.example_runs import answered, failed


def stream(index, sent):
    """One second long: chunks half a second and a second after the send, two tokens each."""
    return answered(index, sent=sent, first=0.5, gaps=(0.5,), tokens=4)


TWO = [stream(0, 0.0), stream(1, 0.25), stream(2, 1.0), stream(3, 1.25), stream(4, 2.0)]


def test_it_lasts_from_the_first_moment_of_full_concurrency_to_the_last():
    assert steady_window(TWO, 2) == pytest.approx((0.25, 2.25))


def test_what_replaces_an_ended_request_at_the_same_moment_does_not_exceed_the_concurrency():
    assert steady_window([stream(0, 0.0), stream(1, 1.0)], 2) is None


def test_warm_up_requests_do_not_count():
    assert steady_window([stream(0, 0.0), replace(stream(1, 0.0), warmup=True)], 2) is None


def test_without_full_concurrency_there_is_none():
    assert steady_window(TWO, 3) is None
    assert steady_window([], 1) is None


def test_latencies_are_those_of_the_requests_sent_in_it():
    found = in_steady_state(TWO, (0.25, 2.25))

    assert found.counts["ok"] == 4
    assert found.distributions["ttft_s"].count == 4
    assert found.duration_s == pytest.approx(2.0)


def test_throughput_counts_the_tokens_that_arrived_in_it_whichever_request_they_belong_to():
    found = in_steady_state(TWO, (0.25, 2.25))

    # The first request brings all of its 4 tokens in the window, the last none: its chunks come at 2.5 and 3.0.
    assert found.throughput["output_tokens_per_s"] == pytest.approx(4 * 4 / 2.0)
    assert found.throughput["requests_per_s"] == pytest.approx(4 / 2.0)


def test_a_token_outside_is_left_out():
    found = in_steady_state([stream(0, 0.0)], (0.6, 1.2))

    assert found.throughput["output_tokens_per_s"] == pytest.approx(2 / 0.6)


def test_the_mean_in_flight_is_that_of_the_window():
    assert in_steady_state(TWO, (0.25, 2.25)).mean_in_flight == pytest.approx(2.0)
    assert in_steady_state(TWO, (2.0, 3.0)).mean_in_flight == pytest.approx(1.25)


def test_unknown_token_counts_make_the_throughput_unknown():
    found = in_steady_state([*TWO, replace(stream(5, 0.5), output_tokens=None)], (0.25, 2.25))

    assert found.throughput["output_tokens_per_s"] is None


def test_failed_requests_bring_no_tokens_and_are_counted():
    found = in_steady_state([*TWO, failed(5, took=0.1, sent=1.0)], (0.25, 2.25))

    assert found.counts["failed"] == 1
    assert found.throughput["output_tokens_per_s"] == pytest.approx(8.0)


def test_goodput_counts_the_good_requests_that_ended_in_it():
    assert in_steady_state(TWO, (0.25, 2.25), Slo.read(["ttft_s.p95 < 1"])).throughput["goodput_per_s"] == 2.0
    assert in_steady_state(TWO, (0.25, 2.25), Slo.read(["ttft_s.p95 < 0.1"])).throughput["goodput_per_s"] == 0.0
    assert in_steady_state(TWO, (0.25, 2.25)).throughput["goodput_per_s"] is None


def test_what_is_sent_as_it_ends_or_never_is_not_in_it():
    assert sent_within([*TWO, failed(5, sent=None)], (0.25, 2.0)) == TWO[1:4]
