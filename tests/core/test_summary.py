"""Many records -> distributions, throughput, counts: worked examples, the cases' tables, and laws."""

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import summary
from core.percentile import percentile
from core.records import FailureKind, RequestRecord
from core.summary import Distribution, summarise
from tests.core.example_runs import answered, failed, steady, whole

CASES = Path(__file__).parents[1] / "cases"
FINITE = st.floats(-1e6, 1e6)


def case(name: str) -> tuple[dict, dict]:
    """A case's input, and what is expected of it."""
    return tuple(json.loads((CASES / f"{name}{end}").read_text()) for end in (".json", ".expected.json"))


@given(st.lists(FINITE, min_size=1, max_size=60), st.floats(0, 100))
def test_a_percentile_is_numpys_default(values, p):
    assert percentile(sorted(values), p) == pytest.approx(float(np.percentile(values, p)), rel=1e-12, abs=1e-9)


@given(st.lists(FINITE, min_size=1, max_size=60))
def test_percentiles_ascend_from_the_least_to_the_greatest_value(values):
    found = summary.distribution(values)

    assert found.min <= found.p50 <= found.p90 <= found.p95 <= found.p99 <= found.max
    assert found.min <= found.mean <= found.max


@given(st.lists(FINITE, min_size=2, max_size=60))
def test_mean_and_deviation_are_those_of_the_sample(values):
    found = summary.distribution(values)

    assert found.mean == pytest.approx(float(np.mean(values)), rel=1e-9, abs=1e-6)
    assert found.stdev == pytest.approx(float(np.std(values, ddof=1)), rel=1e-6, abs=1e-4)


def test_one_value_has_no_deviation_and_none_has_no_distribution():
    assert summary.distribution([2.0]).stdev is None
    assert summary.distribution([]) is None


records = st.builds(
    answered,
    sent=st.floats(0, 60),
    first=st.floats(0.001, 5),
    gaps=st.lists(st.floats(0, 0.5), max_size=12),
    tokens=st.one_of(st.none(), st.integers(0, 40)),
    warmup=st.booleans(),
) | st.builds(failed, sent=st.one_of(st.none(), st.floats(0, 60)), kind=st.sampled_from(list(FailureKind)))


@given(st.lists(records, max_size=20), st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter(made, shuffle):
    shuffled = list(made)
    shuffle.shuffle(shuffled)

    here, there = summarise(made), summarise(shuffled)

    assert here.distributions == there.distributions
    assert here.counts == there.counts
    assert here.throughput == pytest.approx(there.throughput)


def test_moments_closer_than_the_clock_counts_make_no_rate():
    found = summarise([answered(0, sent=0.0), answered(1, sent=5e-324)])

    assert found.throughput["achieved_rate_per_s"] is None
    assert found.throughput["requests_per_s"] is not None


@given(st.lists(records, max_size=20))
def test_no_rate_contradicts_another(made):
    found = summarise(made)
    rates = found.throughput

    assert sum(found.counts.values()) == len(made)
    assert all(rate is None or 0 <= rate < float("inf") for rate in rates.values())
    if rates["output_tokens_per_s"] is not None:
        assert rates["peak_output_tokens_per_s"] >= rates["output_tokens_per_s"]
    if rates["total_tokens_per_s"] is not None:
        assert rates["total_tokens_per_s"] >= rates["output_tokens_per_s"]
    if found.mean_in_flight is not None:
        assert 0 <= found.mean_in_flight <= len(made) + 1e-6


@given(st.lists(records, max_size=20))
def test_gaps_are_pooled_from_every_measured_answer(made):
    found = summarise(made)

    pooled = summary.values(made, "gap_s")

    assert (found.distributions["gap_s"].count if "gap_s" in found.distributions else 0) == len(pooled)
    if pooled:
        assert found.distributions["gap_s"].p50 == pytest.approx(float(np.percentile(pooled, 50)), abs=1e-9)
        assert found.distributions["gap_s"].mean == pytest.approx(float(np.mean(pooled)), abs=1e-9)


def test_fast_errors_are_in_no_latency_and_no_throughput():
    given_, expected = case("fast_errors")
    made = [
        answered(
            row["i"],
            first=row["ttft_ms"] / 1e3,
            gaps=((row["e2e_ms"] - row["ttft_ms"]) / 1e3,),
            tokens=row["completion_tokens"],
        )
        if row["ok"]
        else failed(row["i"], took=row["e2e_ms"] / 1e3)
        for row in given_["requests"]
    ]
    # The table tells how long the run took: the last request was sent so that it ends then.
    last_s = given_["duration_s"] - made[-1].ended_s
    made[-1] = failed(made[-1].index, sent=last_s, took=made[-1].ended_s)
    expect = expected["expect"]

    found = summarise(made)

    assert (found.counts["ok"], found.counts["failed"]) == (expect["completed"], expect["failed"])
    assert 1 - found.success_rate == pytest.approx(expect["error_rate"])
    assert found.statistic("e2e_s", "min") * 1e3 == pytest.approx(expect["e2e_ms"]["min"])
    assert found.statistic("e2e_s", "p50") * 1e3 == pytest.approx(expect["e2e_ms"]["p50"])
    assert found.statistic("ttft_s", "p50") * 1e3 == pytest.approx(expect["ttft_ms"]["p50"])
    assert found.throughput["requests_per_s"] == pytest.approx(expect["success_rps"])
    assert len(made) / found.duration_s == pytest.approx(expect["attempt_rps"])
    assert found.throughput["output_tokens_per_s"] == pytest.approx(expect["output_tok_s"])


def test_tpot_has_one_value_a_request_and_itl_pools_every_gap():
    given_, expected = case("tpot_mean_vs_pooled_itl")
    made = [
        answered(
            row["i"],
            first=row["ttft_ms"] / 1e3,
            gaps=[gap / 1e3 for gap in row["gaps_ms"]],
            tokens=row["completion_tokens"],
        )
        for row in given_["requests"]
    ]

    found = summarise(made)

    for metric, key in (("tpot_s", "tpot_ms"), ("itl_s", "itl_ms")):
        for statistic, value in expected["expect"][key].items():
            assert found.statistic(metric, statistic) * 1e3 == pytest.approx(value, rel=1e-6)
    assert found.distributions["itl_s"] == found.distributions["gap_s"]


def test_a_hidden_retry_is_a_failure_and_a_new_request_whose_ttft_counts_from_its_own_sending():
    given_, expected = case("hidden_retries")
    expect = expected["expect"]
    made = []
    for request in given_["requests"]:
        for attempt in request["attempts"]:
            sent = attempt["sent_ms"] / 1e3
            if attempt["status"] != 200:
                took = (attempt["end_ms"] - attempt["sent_ms"]) / 1e3
                made.append(failed(len(made), sent=sent, took=took, kind=FailureKind.HTTP_429))
                continue
            first = attempt["first_token_ms"] / 1e3 - sent
            gap = (attempt["last_token_ms"] - attempt["first_token_ms"]) / 1e3
            made.append(answered(len(made), sent=sent, first=first, gaps=(gap,)))

    found = summarise(made)

    waits = [wait * 1e3 for wait in summary.values(made, "ttft_s")]
    assert waits == pytest.approx(expect["ttft_last_attempt_ms"])
    assert waits != pytest.approx(expect["ttft_first_attempt_ms"])
    assert found.counts["failed"] == sum(expect["retries"])
    assert found.counts["ok"] == len(given_["requests"])


def test_itl_is_shown_if_chunks_are_tokens_in_95_of_100_requests_and_over_those():
    alike, unlike = steady(95), [answered(index, sent=index, gaps=(0.5,), tokens=40) for index in range(95, 100)]

    enough = summarise(alike + unlike)
    too_few = summarise(alike[1:] + unlike)

    assert enough.itl_share == 0.95
    assert enough.distributions["itl_s"].count == 95 * 9
    assert enough.distributions["itl_s"].max == pytest.approx(0.01)
    assert enough.distributions["gap_s"].max == pytest.approx(0.5)
    assert "itl_s" not in too_few.distributions
    assert too_few.itl_share == pytest.approx(94 / 99)


def test_throughput_is_over_the_time_from_the_first_sending_to_the_last_end():
    made = [
        answered(0, sent=1.0, first=0.5, gaps=(0.5,), tokens=30),
        answered(1, sent=2.0, first=1.0, gaps=(2.0,), tokens=50),
    ]

    rates = summarise(made).throughput

    assert rates["output_tokens_per_s"] == pytest.approx(80 / 4)
    assert rates["total_tokens_per_s"] == pytest.approx(120 / 4)
    assert rates["requests_per_s"] == pytest.approx(2 / 4)
    assert rates["achieved_rate_per_s"] == pytest.approx(1.0)
    assert rates["offered_rate_per_s"] is None
    assert rates["goodput_per_s"] is None
    assert summarise(made).mean_in_flight == pytest.approx((1 + 3) / 4)


def test_an_open_loop_has_the_rate_of_its_schedule():
    made = [answered(place, sent=place * 0.6, scheduled_s=place * 0.5) for place in range(5)]

    rates = summarise(made).throughput

    assert rates["offered_rate_per_s"] == pytest.approx(2)
    assert rates["achieved_rate_per_s"] == pytest.approx(1 / 0.6)


def test_an_answer_without_a_token_count_makes_token_rates_unknown_and_no_other():
    rates = summarise([answered(0), answered(1, sent=1.0, tokens=None)]).throughput

    assert rates["output_tokens_per_s"] is None
    assert rates["total_tokens_per_s"] is None
    assert rates["peak_output_tokens_per_s"] is None
    assert rates["requests_per_s"] > 0


def test_warm_up_requests_are_only_counted():
    warm = replace(answered(0, sent=-100.0, first=50.0), warmup=True)

    found = summarise([warm, *steady(3)])

    assert found == replace(summarise(steady(3)), counts=found.counts)
    assert found.counts == summarise(steady(3)).counts | {"warmup": 1}


def test_cancelled_requests_are_in_no_success_rate():
    made = [answered(0), failed(1, kind=FailureKind.CANCELLED), failed(2, kind=FailureKind.EMPTY), failed(3)]

    found = summarise(made)

    assert found.success_rate == pytest.approx(1 / 3)
    assert found.counts == {"ok": 1, "failed": 1, "empty": 1, "cancelled": 1, "incomplete": 0, "warmup": 0}


@pytest.mark.parametrize(
    "made",
    [
        [],
        [RequestRecord(request_id="r", index=0)],
        [failed(0, sent=None, kind=FailureKind.REFUSED)],
        [answered(0, first=0.0, gaps=())],
        [answered(0, first=0.0, gaps=(0.0, 0.0)), answered(1, first=0.0, gaps=(0.0,))],
        [replace(answered(0), sent_s=float("nan"), ended_s=float("inf"))],
        [replace(answered(0), output_tokens=0)],
        [whole(0, took=0.0)],
    ],
    ids=["no request", "nothing seen", "refused", "one token", "no time passes", "no numbers", "no token", "at once"],
)
def test_odd_runs_have_no_number_that_is_not_known(made):
    found = summarise(made)

    numbers = [value for d in found.distributions.values() for value in d.to_dict().values() if value is not None]
    numbers += [rate for rate in found.throughput.values() if rate is not None]
    assert all(-1e15 < value < 1e15 for value in numbers)
    assert found.duration_s is None or found.duration_s > 0


def test_a_run_of_failures_has_a_rate_of_nothing_and_no_latency():
    found = summarise([failed(0), failed(1, sent=1.0)])

    assert found.distributions == {}
    assert found.throughput["requests_per_s"] == 0
    assert found.success_rate == 0
    assert found.itl_share is None


def test_a_distribution_is_written_with_the_run_files_words():
    found = summary.distribution([1.0, 3.0])

    assert isinstance(found, Distribution)
    assert list(found.to_dict()) == ["count", "mean", "stdev", "min", "p50", "p90", "p95", "p99", "max"]


def test_the_measuring_command_pays_for_no_library():
    heavy = "{'numpy', 'duckdb', 'openai', 'plotly', 'streamlit'}"
    program = f"import core.comparison, core.runfile, sys; print(sorted({heavy} & set(sys.modules)))"

    told = subprocess.run(
        [sys.executable, "-c", program], cwd=CASES.parents[1], capture_output=True, text=True, check=True, timeout=60
    )

    assert told.stdout.strip() == "[]"


def test_a_large_run_is_summarised_in_one_pass_over_its_chunks():
    rng = random.Random(0)
    made = [answered(i, sent=i / 500, gaps=[rng.random() / 50 for _ in range(99)]) for i in range(1024)]

    found = summarise(made)

    assert found.distributions["gap_s"].count == 1024 * 99
    assert found.itl_share == 1
