"""Levels are read as lists and ranges; nonsense gets one sentence."""

import pytest

from core.levels import between, read_levels, read_range, read_speeds, read_stages, written_stages
from core.plan import PlanError


@pytest.mark.parametrize(
    ("written", "levels"),
    [
        ("4", (4,)),
        ("1, 4,16 ", (1, 4, 16)),
        ("1..64:x2", (1, 2, 4, 8, 16, 32, 64)),
        ("1..16:+5", (1, 6, 11, 16)),
        ("1,2,4..16:x2,4", (1, 2, 4, 8, 16)),
        ("1..10:x1.5", (1, 2, 3, 5, 8)),
    ],
)
def test_levels_in_flight(written, levels):
    assert read_levels(written, "concurrency") == levels


def test_rates_may_have_fractions():
    assert read_levels("0.5..2:+0.5, 3.25", "rate") == pytest.approx((0.5, 1.0, 1.5, 2.0, 3.25))


@pytest.mark.parametrize(
    "written",
    ["", "a", "1,,2", "0", "-1", "1.5", "1..", "1..9", "1..9:x1", "1..9:+0", "1..9:*2", "nan", "inf", "1..100000:+1"],
)
def test_nonsense_is_refused_with_a_sentence(written):
    with pytest.raises(PlanError) as refused:
        read_levels(written, "concurrency")

    assert str(refused.value).endswith(".")


@pytest.mark.parametrize(
    ("written", "variable", "part"),
    [
        ("1..2:+1e-300", "rate", "more than 200 levels: widen the step"),
        ("1..8:x1.00000000001", "concurrency", "more than 200 levels: widen the step"),
        ("1..8:+1e-300", "concurrency", "more than 200 levels: widen the step"),
        ("1..2:x1.0000000000000002", "rate", "more than 200 levels: widen the step"),
        ("9" * 400, "concurrency", "write whole numbers from 1 to 8,192"),
        ("9" * 5000, "concurrency", "write whole numbers from 1 to 8,192"),
        ("9" * 400, "rate", "write numbers from 0.001 to 100,000"),
        ("1.." + "9" * 400, "concurrency", "write whole numbers from 1 to 8,192"),
        ("1..1e308:x1e200", "rate", "write numbers from 0.001 to 100,000"),
        ("1..64:x1e200", "rate", "leads past its end: give a smaller one"),
        ("1..64:+" + "9" * 400, "concurrency", "leads past its end: give a smaller one"),
        ("4..4:+" + "9" * 400 + ",5..4:x2", "concurrency", "'5..4:x2' falls: write its lower end first"),
        ("64..1:x2", "concurrency", "'64..1:x2' falls: write its lower end first"),
        ("1,1,1", "concurrency", "names 1 twice: leave one out; to measure a level again, set the repeats"),
        ("0.5, 2, 0.50", "rate", "names 0.5 twice"),
        ("1," * 6000, "rate", "longer than 10,000 characters"),
    ],
)
def test_levels_that_are_too_many_too_large_or_twice_are_told_apart_at_once(written, variable, part):
    with pytest.raises(PlanError) as refused:
        assert read_range(written, variable) or read_levels(written, variable)

    assert part in str(refused.value)
    assert len(str(refused.value)) < 250


def test_a_range_that_rounds_up_to_its_end_and_one_of_a_single_level_are_whole():
    assert read_levels("1..8:x1.7", "concurrency") == (1, 2, 3, 5, 8)
    assert read_levels("4..4:x2", "concurrency") == (4,)
    assert read_levels("1..200:+1", "concurrency") == tuple(range(1, 201))


@pytest.mark.parametrize("seconds", ["9" * 400, "9" * 5000])
def test_stages_of_endless_numbers_are_one_sentence(seconds):
    for written in (f"{seconds}s@5", f"5s@{seconds}", f"5s@1..{seconds}"):
        with pytest.raises(PlanError, match="give a number above 0"):
            read_stages(written)


def test_a_range_without_a_step_is_the_range_of_a_search():
    assert read_range("1..4096", "concurrency") == (1, 4096)
    assert read_range("0.5 .. 20", "rate") == (0.5, 20.0)
    assert read_range("1,4", "concurrency") is None
    assert read_range("1..64:x2", "concurrency") is None


def test_levels_between_gather_where_the_queue_begins():
    assert between(2.0, 4.0, high=64, count=4) == (3, 6, 11, 23)  # full with 2 s x 4/s = 8 in flight


def test_levels_between_are_geometric_where_nothing_is_known():
    assert between(None, 4.0, high=64, count=3) == (4, 8, 16)


@pytest.mark.parametrize("knee", [0.001, 1, 10_000])
@pytest.mark.parametrize("high", [4, 5, 64, 8192])
def test_levels_between_lie_between(knee, high):
    found = between(1.0, knee, high=high, count=6)

    assert found
    assert all(1 < level < high for level in found)
    assert sorted(set(found)) == list(found)


@pytest.mark.parametrize(
    "written",
    ["30s@5", "30s@5,60s@5..50", "1.5s@0.25..4:exponential,10s@4", "0.0000012s@12345.6789012,80000s@7"],
)
def test_stages_are_written_as_they_are_read(written):
    assert written_stages(read_stages(written)) == written


def test_stages_hold_a_level_or_lead_to_another():
    held, ramp = read_stages(" 30 @ 5 , 60s@5..50:linear")

    assert (held.seconds, held.start, held.end) == (30, 5, 5)
    assert (ramp.start, ramp.end, ramp.shape) == (5, 50, "linear")


@pytest.mark.parametrize(
    "written", ["", "30", "30s@", "@5", "0s@5", "30s@0", "30s@5..", "30s@-5", "30s@5..6:fast", "x"]
)
def test_stages_of_nonsense_are_refused_with_an_example(written):
    with pytest.raises(PlanError, match="30s@5,60s@5"):
        read_stages(written)


def test_speeds_are_a_list_of_numbers_each_once():
    assert read_speeds("2") == (2.0,)
    assert read_speeds(" 0.5, 1,2 ,2") == (0.5, 1.0, 2.0)


@pytest.mark.parametrize("written", ["", "0", "-1", "fast", "1,,2", "nan", "inf", "1e9"])
def test_what_is_no_speed_is_refused(written):
    with pytest.raises(PlanError, match="Speed is"):
        read_speeds(written)
