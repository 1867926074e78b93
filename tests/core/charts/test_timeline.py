"""Requests and output over time."""

from array import array

import pytest

from core.charts.timeline import in_flight_over_time, output_over_time, requests_over_time
from core.records import Failure, FailureKind, RequestRecord
from core.timeline import Series


def record(index, sent, *, ttft=0.1, decode=1.0, tokens=10, failure=None, streamed=True):
    return RequestRecord(
        request_id=f"r{index}",
        index=index,
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


def steps(count=4):
    return Series(
        times_s=tuple(i + 0.5 for i in range(count)), values=tuple(float(i) for i in range(count)), step_s=1.0
    )


def test_the_whole_runs_mean_is_dotted_and_named():
    fig = output_over_time("dark", steps(), mean=7.5, slot=0)

    assert "whole run, 7.5" in fig.layout.title.text
    assert fig.layout.shapes[0].y0 == 7.5


def test_without_a_mean_none_is_drawn():
    assert not output_over_time("dark", steps(), mean=None, slot=0).layout.shapes


def test_the_area_starts_at_zero_and_has_at_most_five_hundred_points():
    fig = output_over_time("light", steps(2_000), mean=None, slot=0)

    assert fig.layout.yaxis.rangemode == "tozero"
    assert len(fig.data[0].x) == 500


@pytest.mark.parametrize(("most", "lines"), [(None, 0), (8, 1)])
def test_requests_in_flight_are_drawn_with_how_many_were_allowed(most, lines):
    series = Series(times_s=(0.5, 1.5), values=(2.0, 6.0), step_s=1.0)

    fig = in_flight_over_time("light", series, slot=0, most=most)

    assert list(fig.data[0].y) == [2.0, 6.0]
    assert [shape.y0 for shape in fig.layout.shapes] == [8] * lines
    assert ("no more than 8" in fig.layout.title.text) == bool(lines)
