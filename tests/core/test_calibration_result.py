"""What rows of errors mean: which bars they miss, which level is the best, what a person reads."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.calibration_result import Calibration, Level, LevelResult

GOOD = LevelResult(
    streams=16,
    model="gt-ttft50000-itl10000",
    offered_tokens_per_s=1538.0,
    kept_tokens_per_s=1530.0,
    compared=48,
    missing=0,
    ttft_error_p50_s=0.0001,
    ttft_error_p99_s=0.0005,
    span_error_p99_s=0.0006,
    span_p50_s=0.99,
    server_late_p99_s=0.001,
    loop_lag_p50_s=0.0001,
    loop_lag_p99_s=0.0003,
    cpu_share=0.1,
    priority="realtime",
)
BIGGER = replace(GOOD, streams=128, offered_tokens_per_s=12_300.0, kept_tokens_per_s=12_000.0)


def calibration(*rows):
    return Calibration(made_at=datetime(2026, 1, 2, tzinfo=UTC), levels=rows, environment={})


def test_a_level_offers_every_stream_at_its_pace():
    assert Level(streams=10, model="gt-ttft100000-itl10000", tokens=91).offered_tokens_per_s == pytest.approx(910.0)


def test_a_row_within_every_bar_is_good():
    assert GOOD.good
    assert GOOD.misses == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ttft_error_p99_s": 0.0031}, "first tokens are off by 3.1 ms"),
        ({"span_error_p99_s": 0.0100}, "decode times are off by 10.0 ms"),
        ({"kept_tokens_per_s": 1200.0}, "only 78% of the tokens came in time"),
        ({"missing": 2}, "2 requests failed"),
        ({"compared": 0}, "no request could be compared"),
    ],
)
def test_each_bar_is_missed_for_its_own_reason(change, words):
    assert replace(GOOD, **change).misses == (words,)


@pytest.mark.parametrize(
    "change", [{"ttft_error_p99_s": 0.0029}, {"span_error_p99_s": 0.0098}, {"kept_tokens_per_s": 1385.0}]
)
def test_just_inside_a_bar_is_good(change):
    assert replace(GOOD, **change).good


def test_a_late_simulator_is_not_blamed_on_the_client():
    row = replace(GOOD, kept_tokens_per_s=1200.0, server_late_p99_s=0.3)

    assert row.server_limited
    assert row.good


def test_the_best_level_is_the_good_one_with_most_tokens():
    bad = replace(BIGGER, streams=512, kept_tokens_per_s=40_000.0, ttft_error_p99_s=0.020)

    found = calibration(GOOD, BIGGER, bad)

    assert found.best is BIGGER
    assert found.tokens_per_s == 12_000.0
    assert found.verdict == (
        "This machine measures 12,000 tokens/s in 128 streams: in 99 of 100 requests the first token is right to"
        " 0.50 ms and the decode time to 0.60 ms. At 512 streams first tokens are off by 20.0 ms."
    )


def test_a_machine_without_a_good_level_is_told_what_to_do():
    found = calibration(replace(GOOD, ttft_error_p99_s=0.5, loop_lag_p99_s=0.0051))

    assert found.tokens_per_s is None
    assert found.verdict == (
        "This machine does not measure exactly now: first tokens are off by 500.0 ms. Close what else works on it and"
        " calibrate again. The load generator's own loop was up to 5.1 ms late."
    )


def test_a_simulator_at_its_end_leaves_the_limit_open():
    found = calibration(GOOD, replace(BIGGER, kept_tokens_per_s=9000.0, server_late_p99_s=0.4))

    assert found.tokens_per_s == 9000.0
    assert found.verdict.endswith("At 128 streams the simulator itself was late: the limit may be higher.")


def test_one_stream_is_not_many():
    assert "in 1 stream: " in calibration(replace(GOOD, streams=1)).verdict


def test_keys_of_a_later_version_are_left_out():
    found = calibration(GOOD, BIGGER)
    kept = found.to_dict()
    kept["levels"][0]["new"] = kept["new"] = 1

    assert Calibration.from_dict(kept) == found


def test_what_an_earlier_version_did_not_know_is_unknown():
    kept = calibration(GOOD).to_dict()
    for name in ("machine_busy_share", "others_busy_share"):
        del kept["levels"][0][name]

    found = Calibration.from_dict(kept)

    assert found.levels[0].others_busy_share is None
    assert found.doubt == ""


@pytest.mark.parametrize(
    ("shares", "doubt"),
    [
        ((0.02, 0.62), "Made while other work kept this machine 62 % busy: repeat it when quiet."),
        ((0.15, None), "Made while other work kept this machine 15 % busy: repeat it when quiet."),
        ((0.149, 0.0), ""),
        ((None, None), ""),
    ],
)
def test_a_calibration_of_a_busy_machine_says_so(shares, doubt):
    busy = [replace(row, others_busy_share=share) for row, share in zip((GOOD, BIGGER), shares, strict=True)]

    assert calibration(*busy).doubt == doubt
