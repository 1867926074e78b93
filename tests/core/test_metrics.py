"""The metrics of one request, each with a worked example, and the table of definitions."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import metrics
from core.metrics import METRICS
from core.records import RequestRecord
from tests.core.example_runs import answered, whole

GLOSSARY = {
    "scheduled_s", "sent_s", "slip_s", "connect_s", "chunk_us", "output_tokens", "input_tokens", "ttft_s", "ttfa_s",
    "gap_s", "itl_s", "tpot_s", "e2e_s", "decode_tps", "e2e_tps", "prefill_s", "cached_tokens", "output_tokens_per_s",
    "requests_per_s", "total_tokens_per_s", "offered_rate_per_s", "achieved_rate_per_s", "peak_output_tokens_per_s",
    "scaling_efficiency", "mean_in_flight", "loop", "burstiness", "coordinated_omission", "goodput_per_s",
    "success_rate", "warmup", "steady_state", "percentile", "loop_lag_p99_s", "endpoint", "configuration", "workload",
    "load", "experiment", "comparison", "token", "finding", "verdict",
}  # fmt: skip


def test_ttft_runs_from_sent_to_the_first_chunk():
    assert metrics.ttft_s(answered(sent=5.0, first=0.25)) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("ttft", "e2e", "share"), [(0.25, 1.0, 0.25), (1.0, 1.0, 1.0), (0.0, 0.0, None), (float("nan"), 1.0, None)]
)
def test_the_wait_for_the_first_token_is_a_share_of_the_answers_time(ttft, e2e, share):
    assert metrics.waiting_share(ttft, e2e) == share


def test_ttfa_runs_to_the_first_answer_text_and_not_to_the_thinking_before_it():
    record = replace(answered(sent=5.0, first=0.25), first_answer_s=7.0)

    assert metrics.ttfa_s(record) == pytest.approx(2.0)
    assert metrics.ttft_s(record) == pytest.approx(0.25)


def test_tpot_is_the_decode_span_by_the_tokens_after_the_first():
    assert metrics.tpot_s(answered(gaps=(0.03, 0.05), tokens=5)) == pytest.approx(0.02)


@pytest.mark.parametrize(
    "record", [answered(tokens=1), answered(gaps=(), tokens=5), answered(tokens=None), whole()], ids=repr
)
def test_tpot_needs_two_tokens_and_two_chunks(record):
    assert metrics.tpot_s(record) is None
    assert metrics.decode_tps(record) is None


def test_an_imported_request_without_chunk_times_still_has_a_tpot():
    record = replace(answered(gaps=(0.4,), tokens=5), chunk_us=())

    assert metrics.tpot_s(record) == pytest.approx(0.1)
    assert metrics.tpot_s(replace(record, last_token_s=record.first_token_s)) is None


def test_e2e_latency_ends_with_the_last_chunk_and_not_with_the_stream():
    record = replace(answered(first=0.1, gaps=(0.2,)), ended_s=9.0)

    assert metrics.e2e_s(record) == pytest.approx(0.3)


def test_an_answer_that_was_not_streamed_has_an_e2e_latency_and_no_ttft():
    record = replace(whole(took=2.0), first_token_s=1.0, first_answer_s=1.0)

    assert metrics.e2e_s(record) == pytest.approx(2.0)
    assert metrics.ttft_s(record) is None
    assert metrics.ttfa_s(record) is None
    assert metrics.gaps_s(record) == []


def test_decode_speed_leaves_the_wait_out_and_end_to_end_speed_has_it_in():
    record = answered(first=1.0, gaps=(0.01,) * 100)

    assert metrics.decode_tps(record) == pytest.approx(100)
    assert metrics.e2e_tps(record) == pytest.approx(101 / 2)


def test_chunks_at_one_moment_show_no_speed():
    record = answered(gaps=(0.0, 0.0))

    assert metrics.tpot_s(record) == 0
    assert metrics.decode_tps(record) is None


def test_slip_is_the_delay_between_the_schedule_and_the_sending():
    assert metrics.slip_s(answered(sent=2.5, scheduled_s=2.0)) == pytest.approx(0.5)
    assert metrics.slip_s(answered(sent=2.5)) is None


def test_gaps_are_the_times_between_neighbouring_chunks():
    assert metrics.gaps_s(answered(gaps=(0.01, 0.0, 0.5))) == pytest.approx([0.01, 0.0, 0.5])


@pytest.mark.parametrize(
    ("tokens", "alike"), [(9, True), (10, True), (11, True), (8, False), (12, False), (None, False)]
)
def test_chunks_are_tokens_if_their_numbers_differ_by_one_at_most(tokens, alike):
    assert metrics.chunks_are_tokens(answered(gaps=(0.01,) * 9, tokens=tokens)) is alike


def test_nothing_observed_gives_no_metric():
    nothing = RequestRecord(request_id="r", index=0)

    assert {key: of_one(nothing) for key, of_one in metrics.PER_REQUEST.items()} == dict.fromkeys(metrics.PER_REQUEST)
    assert metrics.gaps_s(nothing) == []


@pytest.mark.parametrize("moment", [-1.0, math.nan, math.inf])
def test_a_time_that_runs_backwards_or_is_no_number_gives_no_metric(moment):
    record = replace(answered(sent=0.0), first_token_s=moment, last_token_s=moment, first_answer_s=moment)

    assert metrics.ttft_s(record) is None
    assert metrics.ttfa_s(record) is None
    assert metrics.e2e_s(record) is None
    assert metrics.tpot_s(replace(record, first_token_s=0.0)) is None


# First and gaps in microseconds.
@given(first=st.integers(0, 10**6), gaps=st.lists(st.integers(0, 10**6), max_size=30), sent=st.floats(0, 1e4))
def test_e2e_latency_is_ttft_and_all_gaps(first, gaps, sent):
    record = answered(sent=sent, first=first / 1e6, gaps=[gap / 1e6 for gap in gaps])

    assert metrics.e2e_s(record) == pytest.approx(metrics.ttft_s(record) + sum(metrics.gaps_s(record)), abs=1e-9)


def test_every_term_of_the_glossary_is_in_the_table():
    assert set(METRICS) >= GLOSSARY


def test_every_metric_that_is_computed_is_defined_with_its_formula():
    computed = {*metrics.PER_REQUEST, *metrics.POOLED} - {"connect_s", "input_tokens", "output_tokens", "cached_tokens"}

    assert [key for key in computed if not METRICS[key].formula or not METRICS[key].unit] == []


def test_every_term_has_a_sentence_and_its_own_place():
    assert [spec.key for spec in METRICS.values() if not spec.definition.endswith(".") or not spec.title] == []
    assert len({spec.anchor for spec in METRICS.values()}) == len(METRICS)
    assert METRICS["ttft_s"].anchor == "ttft"
    assert METRICS["ttft_s"].name == "TTFT, time to first token"
    assert METRICS["gap_s"].name == "Chunk gap"
