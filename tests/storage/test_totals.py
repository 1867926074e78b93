"""Best second and rates by SQL on cases worked out by hand."""

import pytest

from core.slo import Slo
from storage.totals import totals
from tests.storage.made import ended, failed, record, run


def of(runs, records):
    runs.add(ended(run(requests=records)))
    with runs._database.cursor() as cursor:
        return totals(cursor, 1)


def test_the_best_second_slides(runs):
    """Ten tokens at 0.6-1.5 s in two requests: a window from 0.6 to 1.599 s holds all, no calendar second does."""
    early = record(
        0, sent_s=0.0, chunk_us=[600_000, 700_000, 800_000, 900_000, 950_000], ended_s=4.0, last_token_s=0.95
    )
    late = record(1, sent_s=1.0, chunk_us=[0, 100_000, 200_000, 300_000, 500_000], ended_s=4.0, last_token_s=1.5)

    found = of(runs, [early, late])

    assert found.throughput["peak_output_tokens_per_s"] == pytest.approx(10)
    assert found.throughput["output_tokens_per_s"] == pytest.approx(10 / 4)
    assert found.duration_s == 4.0


def test_the_best_second_is_never_below_the_mean(runs):
    """Five tokens in half a second are 10 tokens/s, though no second held more than five."""
    found = of(runs, [record(0, sent_s=0.0, chunk_us=[100_000] * 5, ended_s=0.5)])

    assert found.throughput["peak_output_tokens_per_s"] == pytest.approx(10)


def test_chunks_hold_equal_shares_of_the_tokens(runs):
    found = of(runs, [record(0, sent_s=0.0, output_tokens=30, chunk_us=[1, 2, 5_000_000], ended_s=10.0)])

    assert found.throughput["peak_output_tokens_per_s"] == pytest.approx(20)


def test_one_unknown_count_leaves_the_throughput_unknown(runs):
    found = of(runs, [record(0), record(1, output_tokens=None)])

    assert found.throughput["output_tokens_per_s"] is None
    assert found.throughput["peak_output_tokens_per_s"] is None
    assert found.throughput["requests_per_s"] == pytest.approx(2 / found.duration_s)


def test_rates_are_taken_over_the_sending_window(runs):
    found = of(runs, [record(index, scheduled_s=index / 5) for index in range(6)] + [record(9, warmup=True)])

    assert found.throughput["offered_rate_per_s"] == pytest.approx(5)
    assert found.throughput["achieved_rate_per_s"] == pytest.approx(10)
    assert found.counts["warmup"] == 1


def test_nothing_measured_is_nothing_known(runs):
    found = of(runs, [])

    assert set(found.throughput.values()) == {None}
    assert (found.success_rate, found.duration_s, found.mean_in_flight, found.itl_share) == (None, None, None, None)


def test_failures_count_in_the_rate_of_success_and_in_flight(runs):
    found = of(runs, [record(0, ended_s=1.0), failed(1)])

    assert found.success_rate == 0.5
    assert found.mean_in_flight == pytest.approx((1.0 + 0.02) / 1.0)


def test_goodput_counts_the_requests_that_keep_every_limit(runs):
    slow = record(1, first_token_s=0.4, last_token_s=0.5)
    runs.add(ended(run(requests=[record(0), slow, record(2, output_tokens=None), failed(3), record(4, warmup=True)])))
    with runs._database.cursor() as cursor:
        found = {
            written: totals(cursor, 1, Slo.read([written, "success_rate > 0.99"])).throughput["goodput_per_s"]
            for written in ("ttft_s.p95 < 0.2", "decode_tps.p50 > 1", "e2e_s.p99 < 1e-6")
        }
        unasked = totals(cursor, 1).throughput["goodput_per_s"]

    per_s = {written: value * 0.32 for written, value in found.items()}
    assert per_s == pytest.approx({"ttft_s.p95 < 0.2": 2, "decode_tps.p50 > 1": 2, "e2e_s.p99 < 1e-6": 0})
    assert unasked is None
