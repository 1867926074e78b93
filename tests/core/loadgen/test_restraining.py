"""When a request may leave: a pure function of the time and of what left before, tried without a clock."""

import random

import pytest

from core.loadgen.restraining import MINUTE_NS, MOST_WAIT_S, SECOND, Pacer, Restraining, told_restraint
from core.restraint import Restraint

REAL_MINUTE = 60 * SECOND


def most_in_a_minute(moments, costs):
    """The most of `costs` that any minute holds."""
    most = total = begin = 0
    for place, at_ns in enumerate(moments):
        total += costs[place]
        while moments[begin] <= at_ns - REAL_MINUTE:
            total -= costs[begin]
            begin += 1
        most = max(most, total)
    return most


@pytest.mark.parametrize("limit", [1, 7, 60, 1000])
@pytest.mark.parametrize("gap_s", [0.0, 0.05, 3.0])
def test_no_minute_holds_more_requests_than_allowed(limit, gap_s):
    pacer = Pacer(limit, None)
    moments = [pacer.take(round(place * gap_s * SECOND), 10) for place in range(3 * limit + 5)]

    assert most_in_a_minute(moments, [1] * len(moments)) <= limit
    assert moments == sorted(moments)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_minute_holds_more_tokens_than_allowed(seed):
    chosen = random.Random(seed)
    costs = [chosen.randint(1, 900) for _ in range(400)]
    pacer = Pacer(None, 3000)
    moments = [pacer.take(0, cost) for cost in costs]

    assert most_in_a_minute(moments, costs) <= 3000
    assert moments[-1] / SECOND < 1.35 * sum(costs) / 3000 * 60  # and it is not held back much more than needed


def test_a_load_below_the_limits_is_not_held_back():
    pacer = Pacer(600, 100_000)

    assert [pacer.take(place * SECOND, 100) for place in range(50)] == [place * SECOND for place in range(50)]


def test_a_request_larger_than_a_whole_minute_goes_alone():
    pacer = Pacer(None, 100)

    assert pacer.take(0, 50) == 0
    alone = pacer.take(0, 500)
    assert alone >= MINUTE_NS // 2
    assert pacer.take(0, 1) >= alone + REAL_MINUTE


def test_a_schedule_that_was_moved_keeps_its_distances():
    moved, plain = Pacer(60, None), Pacer(60, None)
    for pacer in (moved, plain):
        pacer.take(0, 1)
        pacer.take(0, 1)
    moved.delay(0, 5 * SECOND)

    assert moved.take(0, 1) == plain.take(0, 1) + 5 * SECOND


def test_a_wait_that_was_asked_for_counts_from_the_answer_and_waits_within_it_count_once():
    its = Restraining(Restraint(wait_as_asked=True))

    assert its.asked_to_wait(10 * SECOND, 4.0) == 4 * SECOND
    assert its.asked_to_wait(11 * SECOND, 2.0) == 0  # over before
    assert its.asked_to_wait(12 * SECOND, 4.0) == 2 * SECOND
    assert its.until_ns == 16 * SECOND
    assert (its.waits, its.waited_s(20 * SECOND)) == (1, 6.0)
    assert its.waited_s(15 * SECOND) == 5.0  # what is still to come was not waited
    its.asked_to_wait(30 * SECOND, 1.0)
    assert (its.waits, its.waited_s(40 * SECOND)) == (2, 7.0)


def test_nobody_is_waited_for_longer_than_five_minutes_at_a_time():
    its = Restraining(Restraint(wait_as_asked=True))

    assert its.asked_to_wait(0, 86_400.0) == MOST_WAIT_S * SECOND


def test_without_the_switch_nothing_waits_and_no_time_is_told():
    its = Restraining(Restraint())

    assert its.asked_to_wait(SECOND, 5.0) == 0
    assert (its.until_ns, its.waited_s(9 * SECOND), its.is_paced) == (0, None, False)
    assert its.turn(7, 10**9) == 7


def test_what_was_held_back_in_the_warm_up_is_not_counted():
    its = Restraining(Restraint(requests_per_minute=60, wait_as_asked=True))
    its.turn(0, 1)
    its.turn(0, 1)
    its.asked_to_wait(SECOND, 3.0)
    assert (its.held, its.waits) == (1, 1)

    its.measuring()
    assert (its.held, its.waits, its.waited_s(10 * SECOND)) == (0, 0, 0.0)


def test_limits_that_the_endpoint_told_are_kept_only_where_that_is_wanted_and_none_is_given():
    told = {"requests_per_minute": 100, "tokens_per_minute": 5000}

    assert told_restraint(Restraint(), told) == (Restraint(), ())
    found, words = told_restraint(Restraint(as_told=True, requests_per_minute=30), told)
    assert (found.requests_per_minute, found.tokens_per_minute) == (30, 5000)
    assert words == (
        "The load is kept under the endpoint's limits: at most 30 requests/min, at most 5,000 tokens/min.",
    )
    nothing, words = told_restraint(Restraint(as_told=True), {})
    assert nothing.requests_per_minute is None
    assert words == ("The endpoint told no limits a minute: none of its own is kept.",)
