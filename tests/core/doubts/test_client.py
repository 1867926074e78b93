"""Client-limited by the glossary's exact rule: each limit just passed, and just kept."""

import pytest

from core.doubts.client import client_doubts, greyed_by_client, late_for_ttft, late_so_far, limited
from core.doubts.evidence import evidence
from core.run import ClientHealth
from tests.core.example_runs import answered, failed, run


def seen(lag: float | None, *, first: float = 0.1, gap: float = 0.01, chunks: int = 101):
    """Requests of one shape, measured by a client with this lag."""
    made = [answered(index, sent=float(index), first=first, gaps=(gap,) * (chunks - 1)) for index in range(5)]
    return evidence(run(made, client=ClientHealth(loop_lag_p99_s=lag)))


@pytest.mark.parametrize(("lag", "late"), [(0.0051, True), (0.0049, False)])
def test_ttft_is_limited_above_5_percent_of_its_median(lag, late):
    assert ("ttft" in limited(seen(lag, gap=0.05))) is late


def test_ttft_is_not_limited_by_a_lag_of_a_millisecond_or_less():
    assert "ttft" not in limited(seen(0.001, first=0.005))
    assert "ttft" in limited(seen(0.0011, first=0.005))


@pytest.mark.parametrize(("lag", "late"), [(0.0026, True), (0.0024, False)])
def test_gap_percentiles_are_limited_above_a_quarter_of_the_median_gap(lag, late):
    assert ("gap" in limited(seen(lag))) is late


@pytest.mark.parametrize(("lag", "late"), [(0.0101, True), (0.0099, False)])
def test_tpot_is_limited_above_1_percent_of_the_median_decode_span(lag, late):
    assert ("tpot" in limited(seen(lag))) is late


def test_only_what_is_limited_is_greyed():
    cells = greyed_by_client(seen(0.003, first=1.0))

    assert {metric for metric, _ in cells} == {"gap_s", "itl_s"}
    assert {statistic for _, statistic in cells} == {"p50", "p90", "p95", "p99"}


def test_a_late_client_is_told_with_its_numbers_and_with_what_is_grey():
    (found,) = client_doubts(seen(0.006))

    assert (found.kind, found.level) == ("client_limited", "stop")
    assert "6 ms" in found.what
    assert "6 % of the TTFT median (limit 5 %)" in found.why
    assert "TTFT and the percentiles of chunk gaps are partly the client's own delay" in found.why
    assert "TPOT" not in found.why


def test_a_client_that_kept_up_is_told_in_green():
    (found,) = client_doubts(seen(0.0002))

    assert (found.kind, found.level) == ("client_kept_up", "ok")
    assert "0.2 ms" in found.what


def test_nothing_is_said_of_a_lag_that_was_not_measured():
    assert list(client_doubts(seen(None))) == []


def test_nothing_is_said_where_no_time_was_taken():
    assert list(client_doubts(evidence(run([failed()], client=ClientHealth(loop_lag_p99_s=0.5))))) == []


def test_gaps_too_fine_for_this_client_are_told_without_alarm():
    (found,) = client_doubts(seen(0.0002, gap=0.0001, chunks=1001))

    assert (found.kind, found.level) == ("client_limited", "note")
    assert "0.1 ms in the median" in found.what
    assert "all other numbers hold" in found.why


@pytest.mark.parametrize("gap", [0.0, 0.000004])
def test_chunks_that_came_at_once_say_nothing_about_the_client(gap):
    late = seen(0.0001, gap=gap)

    assert limited(late) == {}
    assert next(client_doubts(late)).kind == "client_kept_up"


def test_chunks_that_share_moments_in_a_stream_that_flows_leave_its_pace_to_be_judged():
    made = [answered(index, sent=float(index), gaps=(0.0, 0.0, 0.004) * 20) for index in range(5)]

    found = limited(evidence(run(made, client=ClientHealth(loop_lag_p99_s=0.002))))

    assert set(found) == {"tpot"}


def test_a_few_chunks_after_a_long_wait_are_judged():
    assert set(limited(seen(0.006, first=1.0, gap=0.001, chunks=7))) == {"gap", "tpot"}
    assert set(limited(seen(0.006, first=1.0, gap=0.001, chunks=8))) == set()


def test_a_lag_far_above_the_gaps_is_told_without_a_number():
    assert "far over 100 %" in next(client_doubts(seen(0.011, first=0.0001, gap=0.0001))).why


@pytest.mark.parametrize(
    ("lag", "median", "late"),
    [(0.0051, 0.1, True), (0.0049, 0.1, False), (0.001, 0.005, False), (None, 0.1, False), (0.1, None, False)],
)
def test_a_run_that_is_still_going_is_judged_by_the_same_rule(lag, median, late):
    assert late_for_ttft(lag, median) is late


@pytest.mark.parametrize(("lag", "kind"), [(0.006, "stop"), (0.0102, "stop"), (0.004, None), (None, None)])
def test_a_run_that_goes_on_is_told_late_in_the_words_of_its_end(lag, kind):
    at_the_end = [found for found in client_doubts(seen(lag, gap=0.05)) if found.kind == "client_limited"]
    now = late_so_far(lag, ttft_p50_s=0.1, ttft_min_s=0.1, span_p50_s=5.0, answers=5, chunks=505, closed=True)

    assert [now] == (at_the_end or [None])
    assert (now.level if now else None) == kind


def test_answers_that_come_at_once_say_nothing_about_the_client_while_it_goes_on_either():
    values = {"ttft_p50_s": 1.0, "ttft_min_s": 1.0, "span_p50_s": 0.01, "answers": 5, "closed": True}

    assert late_so_far(0.002, chunks=5 * 101, **values) is None
    assert late_so_far(0.002, chunks=5 * 3, **values) is not None
