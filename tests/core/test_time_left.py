"""How long a command still takes, told by arithmetic alone."""

from core.time_left import time_left_s
from tests.core.loadgen.scripted import plan_for


def left(plans, **seen):
    return time_left_s(plans, **{"share": 0.5, "so_far_s": 10.0, "between_s": 0.0} | seen)


def counted(requests, concurrency=1):
    return plan_for(80, requests=requests, concurrency=concurrency)


def timed(duration_s):
    return plan_for(80, duration_s=duration_s)


def test_a_counted_run_goes_on_at_its_pace():
    assert left([counted(20)]) == 10.0
    assert left([counted(20)], share=0.25) == 30.0


def test_later_levels_take_a_round_of_the_same_length_for_each_request_of_a_lane():
    # 20 rounds take 20 s; then 20 requests in 4 lanes are 5 rounds, and 21 are 6.
    assert left([counted(20), counted(20, 4), counted(21, 4)]) == 10.0 + 5.0 + 6.0


def test_what_goes_by_before_a_run_measures_is_counted_for_every_later_one():
    assert left([counted(20), counted(20), counted(20)], between_s=3.0) == 10.0 + 2 * (3.0 + 20.0)


def test_a_timed_run_is_known_from_its_start_and_never_negative():
    assert left([timed(30.0), timed(30.0)], share=0.0, so_far_s=0.0) == 60.0
    assert left([timed(30.0)], share=1.0, so_far_s=31.0) == 0.0


def test_a_run_that_was_cut_short_has_nothing_left_and_the_others_last_as_long_as_ever():
    assert left([timed(30.0)], share=1.0, so_far_s=17.0) == 0.0
    assert left([timed(30.0), timed(30.0)], share=1.0, so_far_s=17.0) == 30.0


def test_without_a_pace_nothing_is_told():
    assert left([counted(20)], share=0.01) is None
    assert left([timed(30.0), counted(20)]) is None
