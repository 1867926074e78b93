"""Load held back, too much of it, and turned away: each with a run that shows it and one almost the same without."""

from dataclasses import replace

import pytest

from core.doubts.evidence import evidence
from core.doubts.load import held_doubts, saturation_doubts, schedule_doubts, turned_away_doubts
from core.load import Load, Stage
from core.records import Failure, FailureKind
from core.restraint import Restraint
from core.run import ClientHealth, RunState, StoppedBy
from tests.core.example_runs import answered, failed, plan, run


def offered(rate=10.0, **load):
    """A plan in open loop."""
    return replace(plan(), load=Load(concurrency=None, rate=rate, **load))


def told(doubts, requests, of, **rest):
    """What these doubts say of a run."""
    return list(doubts(evidence(run(requests, of=of, **rest))))


def sent_late(count=100, *, by=0.0, slower=1.0, first=0.1):
    """Ten a second are due; each leaves `by` seconds late and the gaps are `slower` times as long."""
    return [
        answered(index, scheduled_s=index / 10, sent=index / 10 * slower + by, first=first) for index in range(count)
    ]


def test_a_cap_in_flight_that_held_requests_back_is_told():
    left = answered(100, scheduled_s=10.0, sent=11.0)
    never = replace(left, sent_s=None, failure=Failure(kind=FailureKind.INCOMPLETE, message="never sent"))
    (found,) = told(
        schedule_doubts,
        [*sent_late(slower=1.05), never],
        offered(max_in_flight=4),
        client=ClientHealth(max_in_flight=4),
    )

    assert (found.kind, found.level) == ("behind_schedule", "act")
    assert found.what == (
        "9.52 requests/s were sent of 10 offered, one in 100 left 490 ms after it was due, or later, 1 that was due "
        "was never sent."
    )
    assert found.why.startswith("The cap of 4 in flight held them back")
    assert "from the schedule" in found.do


def test_a_client_that_was_late_is_told_apart_from_the_cap():
    requests = sent_late(by=0.02)
    for cap in (None, 4):
        (found,) = told(schedule_doubts, requests, offered(max_in_flight=cap), client=ClientHealth(max_in_flight=3))
        assert found.what == "One in 100 left 20 ms after it was due, or later."
        assert found.why.startswith("The load generator was late")
        assert "The rate was kept" in found.why
        assert "cap" not in found.why
        assert "less than the rate" not in found.why
        assert found.do.startswith("Read the latencies from the schedule")


def test_a_late_client_that_fell_below_the_rate_is_told_so():
    (found,) = told(schedule_doubts, sent_late(slower=1.05), offered(), client=ClientHealth(max_in_flight=3))

    assert found.why == "The load generator was late, so the server saw less than the rate."
    assert found.do.startswith("Measure at a lower rate")


def lost_from(place, kind=FailureKind.REFUSED, every=69):
    """A server that takes no connection any more from one request on; the rate rises to four times what it was."""
    dues = [index / 10 if index < 20 else 2 + (index - 20) / 40 for index in range(every)]
    made = [answered(index, scheduled_s=due, sent=due) for index, due in enumerate(dues)]
    gone = Failure(kind=kind, message="Connection refused by 127.0.0.1:8000")
    return made[:place] + [replace(one, sent_s=None, first_token_s=None, failure=gone) for one in made[place:]]


def test_requests_that_no_connection_stood_for_are_not_told_as_a_client_that_was_late():
    (found,) = told(schedule_doubts, lost_from(10), offered(), client=ClientHealth(max_in_flight=3))

    assert (found.kind, found.level) == ("not_connected", "act")
    assert found.what == (
        "59 of 69 requests that were due could not be sent, as no connection was open to them: "
        "Connection refused by 127.0.0.1:8000."
    )
    assert "not the load generator's doing" in found.why


def test_requests_that_were_never_sent_for_the_client_s_own_reasons_are_still_its_doing():
    held = lost_from(68, FailureKind.INCOMPLETE)
    slow = [replace(one, sent_s=one.sent_s * 1.5) if one.sent_s else one for one in held]

    (found,) = told(schedule_doubts, slow, offered(), client=ClientHealth(max_in_flight=3))

    assert found.kind == "behind_schedule"
    assert "1 that was due was never sent" in found.what


def test_one_refused_connection_in_a_hundred_says_nothing_about_the_schedule():
    assert told(schedule_doubts, lost_from(99, every=100), offered(), client=ClientHealth(max_in_flight=3)) == []


def test_one_straggler_among_sixty_is_no_schedule_that_was_missed():
    requests = sent_late(60)
    straggler = replace(requests[20], sent_s=requests[20].sent_s + 0.05)

    assert told(schedule_doubts, [*requests[:20], straggler, *requests[21:]], offered()) == []


@pytest.mark.parametrize(("count", "share"), [(99, "One in 20"), (100, "One in 100"), (12, "Half of all")])
def test_how_many_left_late_is_told_only_as_far_as_there_are_enough(count, share):
    (found,) = told(schedule_doubts, sent_late(count, by=0.02), offered())

    assert found.what == f"{share} left 20 ms after it was due, or later."


@pytest.mark.parametrize(
    "requests",
    [
        sent_late(slower=1.0009), sent_late(by=0.0009), sent_late(by=0.0009, first=0.001), sent_late(by=0.009),
        sent_late(by=-0.001),
    ],
    ids=["less than 2 %", "below 1 ms", "below 1 ms of a fast server", "below 10 % of TTFT", "a timer that was early"],
)  # fmt: skip
def test_a_schedule_that_was_kept_is_not_doubted(requests):
    assert told(schedule_doubts, requests, offered()) == []


def test_a_closed_loop_has_no_schedule_to_keep():
    assert told(schedule_doubts, sent_late(by=0.5), plan()) == []


SATURATED = {"stopped_by": StoppedBy.SATURATION}


def test_a_saturated_server_is_told_with_its_level():
    (found,) = told(saturation_doubts, sent_late(81), offered(), **SATURATED)

    assert (found.kind, found.level) == ("saturated", "act")
    assert found.what == (
        "The server was saturated at 10 requests/s: requests in flight and TTFT kept rising, so the sending ended "
        "after 8 s."
    )
    (closed,) = told(saturation_doubts, [], plan(concurrency=64), **SATURATED)
    assert closed.what.startswith("The server was saturated at 64 in flight: ")
    assert closed.what.endswith("ended early.")


def test_a_server_saturated_on_the_way_is_told_where():
    stages = (Stage(seconds=20, start=0.5, end=10.0),)
    (found,) = told(saturation_doubts, sent_late(101), offered(stages=stages), **SATURATED)

    assert found.what.startswith("The server was saturated 10 s into the stages, at 5.2 of 10 requests/s: ")


@pytest.mark.parametrize(
    "rest", [{"stopped_by": StoppedBy.DURATION}, {**SATURATED, "state": RunState.FAILED}], ids=["its end", "failed"]
)
def test_a_run_that_ended_otherwise_is_not_saturated(rest):
    assert told(saturation_doubts, sent_late(81), offered(), **rest) == []


def turned_away(count, *, retry_after_s=None, of=200):
    """Answers, the first `count` of them 429."""
    limit = Failure(kind=FailureKind.HTTP_429, message="slow down", status=429, retry_after_s=retry_after_s)
    return [replace(failed(n), failure=limit) if n < count else answered(n, sent=n / 10) for n in range(of)]


def test_requests_turned_away_are_told_with_what_the_server_asked():
    (found,) = told(turned_away_doubts, turned_away(3, retry_after_s=2.0), plan())
    (silent,) = told(turned_away_doubts, turned_away(3), plan())
    (some,) = told(turned_away_doubts, [*turned_away(3), *turned_away(5, retry_after_s=20.0)], plan())

    assert (found.kind, found.level) == ("turned_away", "act")
    assert found.what == (
        "3 of 200 requests were turned away with 429 (1.5 %). All asked to wait, 2,000 ms in the median (Retry-After); "
        "that was not obeyed, 18 requests were sent before it was over."
    )
    assert "does not wait" in found.why
    assert silent.what.endswith("No Retry-After said how long to wait.")
    assert "5 asked to wait, 20 s in the median" in some.what


def test_one_percent_turned_away_and_other_failures_are_not():
    assert told(turned_away_doubts, turned_away(2), plan()) == []
    assert told(turned_away_doubts, [failed(n) for n in range(9)], plan()) == []


def test_a_retry_after_that_was_obeyed_is_told_with_the_time_waited():
    obeying = replace(plan(), load=Load(restraint=Restraint(wait_as_asked=True)))
    (found,) = told(turned_away_doubts, turned_away(3, retry_after_s=2.0), obeying, client=ClientHealth(waited_s=2.5))

    assert found.what.endswith("(Retry-After); that was obeyed: nothing was sent for 2,500 ms in all.")
    assert "in no latency" in found.why


def test_nothing_is_said_of_obeying_where_nothing_left_before_the_time_was_over():
    (found,) = told(turned_away_doubts, turned_away(3, retry_after_s=0.05), plan())

    assert found.what.endswith("(Retry-After).")


def test_a_load_that_limits_held_back_is_told_and_one_they_did_not_is_not():
    answers = [answered(n) for n in range(4)]
    (found,) = told(held_doubts, answers, plan(), client=ClientHealth(held_requests=3))

    assert (found.kind, found.level) == ("kept_under_limits", "note")
    assert found.what == "3 of 4 requests left later, to keep under the limits a minute."
    for none in (0, None):
        assert told(held_doubts, answers, plan(), client=ClientHealth(held_requests=none)) == []
