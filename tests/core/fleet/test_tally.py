"""What a live view is told, from messages alone: no child, no clock."""

from array import array
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.fleet.tally import Tally
from core.loadgen.channel import Progress
from core.records import Failure, FailureKind, RequestRecord, TokenSource
from core.run import ClientHealth, Preflight, Run, RunState
from tests.core.loadgen.scripted import plan_for


def record(index: int, *, sent_s: float, ttft_s: float = 0.1, failure: Failure | None = None, **more) -> RequestRecord:
    first_us = round(ttft_s * 1e6)
    chunks = array("i") if failure else array("i", [first_us, first_us + 10_000])
    return RequestRecord(
        request_id=f"r{index}", index=index, sent_s=sent_s, ended_s=sent_s + ttft_s + 0.01, failure=failure,
        first_token_s=None if failure else sent_s + ttft_s, last_token_s=None if failure else sent_s + ttft_s + 0.01,
        output_tokens=None if failure else 4, chunk_us=chunks, **more,
    )  # fmt: skip


def progress(at_s: float, **more) -> Progress:
    values = {"sent": 0, "ended": 0, "in_flight": 0, "warming_up": False, "chunks": 0}
    return Progress(at_s=at_s, **(values | more))


def tally(**load) -> Tally:
    made = Tally("run", plan_for(80, **({"requests": 10} | load)))
    made.state = RunState.RUNNING
    return made


def test_counts_and_percentiles_follow_the_records():
    counting = tally()
    for index in range(4):
        counting.record(record(index, sent_s=index, ttft_s=0.1 * (index + 1)))
    counting.record(record(4, sent_s=4, failure=Failure(kind=FailureKind.HTTP_429, message="slow down", status=429)))
    counting.progress(progress(6.0, sent=6, ended=5, in_flight=1))
    seen = counting.snapshot()

    assert (seen.sent, seen.ended, seen.ok, seen.failed, seen.in_flight) == (6, 5, 4, 1, 1)
    assert seen.ttft_p50_s == pytest.approx(0.25)
    assert seen.errors == {"http_429": (1, "slow down")}
    assert seen.share == 0.5


def test_warm_up_is_in_no_number():
    counting = tally()
    counting.record(record(0, sent_s=0, warmup=True))

    assert counting.snapshot().ended == 0
    assert counting.snapshot().ttft_p50_s is None


def test_a_rate_is_of_the_last_seconds_in_tokens_not_in_chunks():
    counting = tally()
    counting.record(record(0, sent_s=0))  # 4 tokens in 2 chunks
    for second in range(6):
        counting.progress(progress(float(second), chunks=second * 100))

    assert counting.snapshot().output_tokens_per_s == 200


@pytest.mark.parametrize("before", [False, True])
def test_chunks_are_not_shown_as_tokens_where_the_server_counts_none(before):
    counting = tally()
    counting.record(replace(record(0, sent_s=0, warmup=before), output_tokens=None, token_source=TokenSource.NONE))
    for second in range(6):
        counting.progress(progress(float(second), chunks=second * 100))

    assert counting.snapshot().output_tokens_per_s is None
    assert counting.snapshot().tokens_per_s_recent == ()


def test_an_answer_of_the_warm_up_tells_how_many_tokens_a_chunk_holds():
    counting = tally()
    counting.record(record(0, sent_s=0, warmup=True))  # 4 tokens in 2 chunks
    for second in range(6):
        counting.progress(progress(float(second), chunks=second * 100))

    assert counting.snapshot().output_tokens_per_s == 200
    assert counting.snapshot().ok == 0


def test_a_first_token_seen_in_flight_is_not_counted_again():
    counting = tally()
    counting.progress(progress(1.0, first_tokens=((0.6, 0.1),)))
    counting.record(record(0, sent_s=0.5, ttft_s=0.1))

    assert len(counting.snapshot().ttft_recent) == 1


def test_only_the_last_two_minutes_are_recent():
    counting = tally()
    counting.record(record(0, sent_s=1))
    counting.record(record(1, sent_s=199))
    counting.progress(progress(200.0))

    assert [at_s for at_s, _ in counting.snapshot().ttft_recent] == [199.1]


@pytest.mark.parametrize("begun", [lambda one: one.started("normal"), lambda one: one.preflight(Preflight())])
def test_what_was_waited_for_is_no_longer_waited_for_once_it_has_begun(begun):
    counting = tally()
    counting.waiting()
    assert counting.snapshot().notes[0].startswith("Waiting for another")

    begun(counting)
    begun(counting)

    assert counting.snapshot().notes == ("Waited for another measured run on this machine to end.",)


def test_a_run_that_was_cancelled_in_the_line_waits_no_more():
    counting = tally()
    counting.waiting()

    counting.close(Run(id="run", name="n", started_at=datetime.now(UTC), state=RunState.CANCELLED, plan=counting.plan))

    assert counting.snapshot().notes == ("Waited for another measured run on this machine to end.",)


def test_changes_and_waiting_are_told_in_words():
    counting = tally()
    counting.waiting()
    counting.preflight(Preflight(changes=("drop stream_options",)))

    assert len(counting.snapshot().notes) == 2
    assert "drop stream_options" in counting.snapshot().notes[1]


def test_a_closed_run_is_done_whatever_its_counts():
    counting = tally()
    plan = counting.plan
    ended = Run(id="run", name="n", started_at=datetime.now(UTC), state=RunState.CANCELLED, plan=plan,
                client=ClientHealth(loop_lag_p99_s=0.001))  # fmt: skip
    counting.close(ended)

    assert counting.snapshot().share == 1.0
    assert counting.snapshot().client.loop_lag_p99_s == 0.001


def test_a_closed_run_keeps_its_numbers_and_lets_go_of_every_single_one():
    counting = tally(requests=None, duration_s=60.0)
    for index in range(50):
        counting.record(record(index, sent_s=index / 10))
    counting.progress(progress(5.0, chunks=500, first_tokens=((5.0, 0.1),)))
    before = counting.snapshot()
    counting.close(Run(id="run", name="n", started_at=datetime.now(UTC), state=RunState.COMPLETED, plan=counting.plan))
    after = counting.snapshot()

    assert (after.ok, after.ttft_p50_s, after.chunks_of_answers) == (50, before.ttft_p50_s, before.chunks_of_answers)
    assert before.ttft_recent
    assert after.ttft_recent == after.tokens_per_s_recent == ()
    held = [value for value in vars(counting).values() if isinstance(value, Collection) and not isinstance(value, str)]
    assert max(map(len, held)) < 10


def test_a_timed_run_is_done_by_its_clock():
    counting = tally(duration_s=10.0, requests=None)
    counting.progress(progress(4.0))

    assert counting.snapshot().share == 0.4


def test_health_is_told_while_the_run_goes_on():
    counting = tally()
    counting.record(record(0, sent_s=0, ttft_s=0.2))
    counting.record(record(1, sent_s=0, ttft_s=0.1))
    counting.progress(progress(1.0, lag_p99_s=0.002, machine_busy_share=0.97, in_flight=3))
    seen = counting.snapshot()

    assert (seen.client.loop_lag_p99_s, seen.client.machine_busy_share, seen.client.max_in_flight) == (0.002, 0.97, 3)
    assert (seen.ttft_min_s, seen.chunks_of_answers) == (0.1, 4)
    assert seen.decode_span_p50_s == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("load", "at_s", "finishing"),
    [
        ({"duration_s": 10.0, "requests": None}, 9.9, False),
        ({"duration_s": 10.0, "requests": None}, 10.1, True),
        ({"requests": 10}, 500.0, False),  # it says how many of them have ended
    ],
)
def test_a_timed_run_whose_time_is_over_is_finishing(load, at_s, finishing):
    counting = tally(**load)
    counting.progress(progress(at_s, in_flight=3))

    assert counting.snapshot().finishing is finishing
    counting.state = RunState.COMPLETED
    assert not counting.snapshot().finishing


def test_a_timed_run_is_timed_from_the_end_of_its_warm_up():
    counting = tally(duration_s=10.0, requests=None, warmup_requests=4)
    for at_s in (0.5, 12.0):
        counting.progress(progress(at_s, warming_up=True, in_flight=4))
        assert counting.snapshot().share == 0.0
        assert not counting.snapshot().finishing
    counting.progress(progress(12.5, in_flight=4))
    assert (counting.snapshot().share, counting.snapshot().finishing) == (0.0, False)

    counting.progress(progress(16.5, in_flight=4))
    assert counting.snapshot().share == pytest.approx(0.4)
    counting.progress(progress(22.6, in_flight=3))
    assert counting.snapshot().finishing


def test_the_mean_in_flight_is_never_more_than_was_in_flight():
    counting = tally()
    counting.progress(progress(1.0, in_flight=1))
    for index in range(4):  # they ended after the last progress was told
        counting.record(record(index, sent_s=index * 0.5, ttft_s=0.4))

    assert counting.snapshot().mean_in_flight <= 1.0


def test_an_open_loop_tells_what_was_offered_what_was_sent_and_how_late():
    counting = tally()
    for index in range(5):
        counting.record(record(index, sent_s=1.2 * index + 0.1, scheduled_s=float(index)))
    counting.record(record(9, sent_s=99.0, scheduled_s=50.0, warmup=True))
    seen = counting.snapshot()

    assert seen.offered_rate_per_s == pytest.approx(1.0)
    assert seen.achieved_rate_per_s == pytest.approx(1 / 1.2)
    assert seen.slip_p50_s == pytest.approx(0.5)
    assert seen.slip_p99_s == pytest.approx(0.892)


def test_a_closed_loop_has_no_rate_and_no_slip():
    counting = tally()
    counting.record(record(0, sent_s=0.0))
    counting.record(record(1, sent_s=1.0))

    assert counting.snapshot().offered_rate_per_s is None
    assert counting.snapshot().slip_p99_s is None


def test_what_was_in_flight_is_kept_for_two_minutes():
    counting = tally()
    for at_s in (0.0, 100.0, 200.0):
        counting.progress(progress(at_s, in_flight=int(at_s / 100) + 1))

    assert counting.snapshot().in_flight_recent == ((100.0, 2.0), (200.0, 3.0))
