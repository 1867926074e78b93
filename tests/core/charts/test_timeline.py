"""Requests and output over time."""

from array import array

import pytest

from core.charts.timeline import output_over_time, output_rates, requests_over_time
from core.records import Failure, FailureKind, RequestRecord


def record(index, sent, *, ttft=0.1, decode=1.0, tokens=10, failure=None, streamed=True, warmup=False):
    return RequestRecord(
        request_id=f"r{index}",
        index=index,
        warmup=warmup,
        sent_s=sent,
        first_token_s=sent + ttft if streamed and failure is None else None,
        last_token_s=sent + ttft + decode if failure is None else None,
        ended_s=sent + ttft + decode,
        output_tokens=tokens,
        failure=failure,
        streamed=streamed,
        chunk_us=array("i", [int((ttft + decode * k / 9) * 1e6) for k in range(10)]) if streamed else array("i"),
    )


REFUSED = Failure(kind=FailureKind.REFUSED, message="<script>no</script>")


def test_a_request_waits_pale_then_decodes_full():
    fig = requests_over_time("light", [record(0, 1.0)], slot=0)

    waiting, decoding = fig.data
    assert (waiting.base[0], waiting.x[0]) == pytest.approx((1.0, 0.1))
    assert (decoding.base[0], decoding.x[0]) == pytest.approx((1.1, 1.0))


def test_a_failed_request_is_one_red_bar_whose_message_is_harmless():
    fig = requests_over_time("light", [record(0, 0.0, failure=REFUSED)], slot=0)

    (bar,) = fig.data
    assert bar.name == "failed"
    assert "<script>" not in bar.customdata[0]


def test_a_request_that_was_not_streamed_has_no_decode_bar():
    fig = requests_over_time("light", [record(0, 0.0, streamed=False)], slot=0)

    assert [bar.name for bar in fig.data] == ["answer"]


@pytest.mark.parametrize(("most", "shown"), [(120, 120), (9_999, 500)])
def test_only_the_first_requests_are_drawn(most, shown):
    records = [record(i, i * 0.01) for i in range(700)]

    fig = requests_over_time("light", records, slot=0, most=most)

    assert len(fig.data[0].x) == shown
    assert f"first {shown} of 700" in fig.layout.title.text


def test_requests_without_a_send_are_left_out():
    never = RequestRecord(request_id="x", index=0, failure=REFUSED)

    assert len(requests_over_time("light", [never], slot=0).data) == 0


def test_tokens_are_spread_over_their_decoding():
    output = output_rates([record(0, 0.0, ttft=1.0, decode=2.0, tokens=20)])

    assert output is not None
    assert sum(output.rates) * output.step_s == pytest.approx(20)
    assert output.rates[0] == 0
    assert max(output.rates) == pytest.approx(10, rel=0.01)


def test_overlapping_requests_add_up():
    output = output_rates([record(0, 0.0, decode=3.0, tokens=30), record(1, 0.0, decode=3.0, tokens=60)])

    assert output is not None
    assert max(output.rates) == pytest.approx(30, rel=0.01)


def test_without_token_counts_chunks_are_counted_and_named_so():
    output = output_rates([record(0, 0.0, tokens=None)])

    assert output is not None
    assert output.unit == "chunks"
    assert "chunks/s" in output_over_time("light", output, slot=0).layout.yaxis.title.text


def test_the_mean_is_the_runs_own_throughput_where_it_is_known():
    output = output_rates([record(0, 0.0)], mean=7.5)

    assert output is not None
    assert output.mean == 7.5
    assert "whole run, 7.5" in output_over_time("dark", output, slot=0).layout.title.text


def test_failed_and_warm_up_requests_put_nothing_out():
    assert output_rates([record(0, 0.0, failure=REFUSED), record(1, 0.0, warmup=True)]) is None


def test_a_long_run_has_at_most_five_hundred_steps():
    output = output_rates([record(0, 0.0), record(1, 100_000.0)])

    assert output is not None
    assert len(output.rates) <= 500
