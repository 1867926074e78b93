"""Goodput counts requests that keep every limit of the SLO, and nothing else."""

import pytest

from core.goodput import goodput_per_s, is_good
from core.slo import Slo
from core.summary import summarise
from tests.core.example_runs import answered, failed


def test_a_request_that_keeps_all_limits_is_good():
    slo = Slo.read(["ttft_s.p95 < 0.2", "tpot_s.p50 < 0.02"])

    assert is_good(answered(first=0.1, gaps=(0.01,) * 9), slo)
    assert not is_good(answered(first=0.3, gaps=(0.01,) * 9), slo)
    assert not is_good(answered(first=0.1, gaps=(0.03,) * 9), slo)


def test_a_request_whose_metric_does_not_exist_is_not_good():
    assert not is_good(answered(gaps=()), Slo.read(["tpot_s.p50 < 9"]))


def test_a_failed_request_and_a_warm_up_are_not_good():
    slo = Slo.read(["success_rate > 0.5"])

    assert is_good(answered(), slo)
    assert not is_good(answered(warmup=True), slo)
    assert not is_good(failed(), slo)


def test_goodput_is_good_requests_by_the_time_of_the_run():
    records = [answered(0, sent=0.0, first=0.1), answered(1, sent=0.0, first=0.5), answered(2, sent=1.0, first=0.1)]
    slo = Slo.read(["ttft_s.p95 < 0.2"])

    assert goodput_per_s(records, slo, 4.0) == pytest.approx(0.5)
    assert goodput_per_s(records, slo, None) is None
    assert goodput_per_s(records, slo, 1e-12) is None  # no rate of so short a span is a number
    found = summarise(records, slo)
    assert found.throughput["goodput_per_s"] == pytest.approx(2 / found.duration_s)
    assert found.throughput["goodput_per_s"] <= found.throughput["requests_per_s"]


def test_without_an_slo_there_is_no_goodput():
    assert summarise([answered()]).throughput["goodput_per_s"] is None
