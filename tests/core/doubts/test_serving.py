"""A cold start and one request at a time: each with a run that shows it and one almost the same that does not."""

from dataclasses import replace

import pytest

from core.doubts.evidence import evidence
from core.doubts.serving import cold_doubts, serial_doubts
from core.load import Load
from tests.core.example_runs import answered, failed, plan, run


def told(doubts, requests, of=None):
    """What these doubts say of a run."""
    return list(doubts(evidence(run(requests, of=of))))


def starting(*waits: float):
    """One request a second with these times to first token."""
    return [answered(index, sent=float(index), first=wait) for index, wait in enumerate(waits)]


def test_a_first_request_that_waited_twice_as_long_is_cold():
    (found,) = told(cold_doubts, starting(0.5, *[0.1] * 10), plan(warmup=0))

    assert (found.kind, found.level) == ("cold_first_request", "act")
    assert "500 ms" in found.what
    assert "100 ms" in found.what
    assert found.do.startswith("Measure again with warm-up requests")
    assert "more warm-up requests than 1" in told(cold_doubts, starting(0.5, *[0.1] * 10))[0].do


def test_a_long_first_wait_and_the_others_are_told_in_one_unit():
    (found,) = told(cold_doubts, starting(12.3, *[0.34] * 10))

    assert found.what == "The first request waited 12.3 s for its first token, the others 0.34 s."


@pytest.mark.parametrize(
    "waits",
    [(0.19, *[0.1] * 10), (0.05, *[0.01] * 10), (0.5, 0.1, 0.1, 0.1), (0.1, 0.5, *[0.1] * 10), (0.1, *[0.9] * 10)],
    ids=["less than twice", "less than 50 ms more", "too few others", "not the first", "a queue after it"],
)
def test_a_first_request_is_not_called_cold_for_less(waits):
    assert told(cold_doubts, starting(*waits)) == []


def test_a_cold_first_wave_is_seen_although_it_holds_several_requests():
    wave = [answered(index, sent=0.0, first=2.0) for index in range(4)]
    rest = [answered(index, sent=3.0 + index, first=0.1) for index in range(4, 30)]

    assert [found.kind for found in told(cold_doubts, [*rest, *wave], plan(concurrency=4))] == ["cold_first_request"]


def test_a_first_request_that_failed_says_nothing_about_the_second():
    assert told(cold_doubts, [failed(0), *[answered(i, sent=float(i), first=0.1) for i in range(1, 9)]]) == []


def serial(count: int, in_flight: int, *, overlap: float = 0.0):
    """A closed loop of `in_flight` on a server that takes 0.1 s each, one at a time."""
    made = []
    for index in range(count):
        begins = index * 0.1
        sent = max(0.0, (index - in_flight + 1) * 0.1)
        made.append(answered(index, sent=sent, first=begins + 0.02 - sent, gaps=(0.008 + overlap,) * 10))
    return made


def test_first_tokens_at_multiples_of_the_service_time_are_served_one_after_another():
    (found,) = told(serial_doubts, serial(12, 4), plan(concurrency=4))

    assert (found.kind, found.level) == ("one_after_another", "act")
    assert found.what.startswith("3.5 requests were in flight")
    assert "a first token every 100 ms" in found.what


def test_in_open_loop_the_rate_that_one_after_another_allows_is_told():
    made = [replace(record, scheduled_s=record.sent_s) for record in serial(12, 4)]
    opened = replace(plan(), load=Load(concurrency=None, rate=20.0))

    (found,) = told(serial_doubts, made, opened)
    assert found.do.endswith("offer less than 10 requests/s.")
    assert told(serial_doubts, serial(12, 4, overlap=0.004), opened) == []


def test_answers_that_overlap_are_not():
    assert told(serial_doubts, serial(12, 4, overlap=0.004), plan(concurrency=4)) == []


def test_one_request_in_flight_is_always_served_alone():
    assert told(serial_doubts, serial(12, 1)) == []


def test_without_visible_decoding_nothing_is_said():
    made = [answered(index, first=0.1 * (index + 1), gaps=(0.0001,)) for index in range(12)]

    assert told(serial_doubts, made, plan(concurrency=12)) == []


def test_a_batching_server_is_not_taken_for_a_serial_one():
    made = [answered(index, first=0.1, gaps=(0.01,) * 50) for index in range(12)]

    assert told(serial_doubts, made, plan(concurrency=12)) == []
