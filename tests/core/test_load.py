"""A load is a closed or an open loop, says its level in words, and knows when a stage reaches a level."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.load import MOST_STAGES, Load, Stage
from core.plan import PlanError
from core.trace import Rows


def open_load(**rest):
    return Load(**({"concurrency": None, "rate": 10.0} | rest))


def test_a_level_is_requests_in_flight_or_requests_a_second():
    assert (Load(concurrency=4).variable, Load(concurrency=4).value) == ("concurrency", 4)
    assert (open_load().variable, open_load().value) == ("rate", 10.0)
    assert Load(concurrency=1200).words() == "1,200 in flight"
    assert open_load(rate=2.5).words() == "2.5 requests/s"


@pytest.mark.parametrize(("rate", "told"), [(1.0, "1 request/s"), (1.5, "1.5 requests/s"), (0.5, "0.5 requests/s"),
                                            (11.0, "11 requests/s")])  # fmt: skip
def test_one_request_a_second_is_one(rate, told):
    assert open_load(rate=rate).words() == told


def test_it_says_how_requests_arrive():
    assert Load(concurrency=4).arrivals_words() == ""
    assert open_load().arrivals_words() == "at random (Poisson)"
    assert open_load(burstiness=0.5).arrivals_words() == "burstiness 0.5"
    assert open_load(constant=True, burstiness=0.5).arrivals_words() == "evenly spaced"
    assert Stage(seconds=30, start=5, end=5).words == "30 s at 5"
    assert Stage(seconds=2.5, start=1, end=50, shape="exponential").words == "2.5 s at 1..50 exponential"


@pytest.mark.parametrize(
    "nonsense",
    [
        {"rate": 0.0}, {"rate": -1.0}, {"rate": float("nan")}, {"rate": True}, {"rate": "1"}, {"rate": 1e9},
        {"burstiness": 0.0}, {"burstiness": float("inf")}, {"constant": 1}, {"max_in_flight": 0},
        {"concurrency": 4}, {"rate": None}, {"stages": (Stage(seconds=1, start=1, end=9.0),)},
        {"stages": (Stage(seconds=1, start=10, end=10),) * (MOST_STAGES + 1)}, {"stop_when_saturated": "yes"}
    ],
)  # fmt: skip
def test_nonsense_is_one_sentence(nonsense):
    with pytest.raises(PlanError) as refused:
        open_load(**nonsense)

    assert str(refused.value).endswith(".")


def test_a_cap_in_flight_and_a_saturation_do_not_belong_to_a_closed_loop():
    with pytest.raises(PlanError, match="cap in flight"):
        Load(concurrency=4, max_in_flight=2)
    with pytest.raises(PlanError, match="stop when saturated"):
        Load(concurrency=4, stop_when_saturated=True)


@pytest.mark.parametrize("nonsense", [{"seconds": 0}, {"start": 0}, {"end": -1}, {"shape": "round"}])
def test_a_stage_without_time_or_level_is_refused(nonsense):
    with pytest.raises(PlanError):
        Stage(**({"seconds": 1.0, "start": 1.0, "end": 2.0} | nonsense))


def test_most_in_flight_is_the_level_or_the_cap():
    assert Load(concurrency=4).most_in_flight == 4
    assert open_load(max_in_flight=7).most_in_flight == 7


def test_the_level_follows_the_stages_and_the_last_one_holds():
    load = open_load(stages=(Stage(seconds=10, start=2, end=10), Stage(seconds=5, start=4, end=4)))

    assert load.level_at(0) == 2
    assert load.level_at(5) == 6
    assert load.level_at(12) == 4
    assert load.level_at(99) == 4


levels = st.floats(0.5, 50)
stages = st.lists(
    st.builds(
        Stage, seconds=st.floats(0.5, 30), start=levels, end=levels, shape=st.sampled_from(["linear", "exponential"])
    ),
    min_size=1,
    max_size=4,
)


@given(stages, levels, st.floats(0, 100))
def test_the_moment_a_level_is_reached_is_the_first_one(made, level, from_s):
    highest = max(max(stage.start, stage.end) for stage in made)
    load = open_load(rate=highest, stages=tuple(made))

    found = load.reaches(level, from_s)

    end_s = 200.0 if found is None else found
    before = [from_s + (end_s - from_s) * share / 50 for share in range(50)]
    assert all(load.level_at(at_s) < level * (1 + 1e-9) for at_s in before if at_s < end_s - 1e-6)
    if found is not None:
        assert found >= from_s
        around = (load.level_at(max(0.0, found - 1e-9)), load.level_at(found + 1e-9))  # a peak may last one moment
        assert max(around) >= level * (1 - 1e-6)


ROWS = Rows.of([(0.0, 10, 5), (2.0, 30, 15), (4.0, 20, 10), (6.0, 20, 10)])


def replayed(speed=1.0, **load):
    trace = ROWS.trace("chat.csv", speed=speed)
    return Load(**{"concurrency": None, "rate": trace.rate, "trace": trace, "requests": 4} | load)


def test_the_load_of_a_trace_is_told_with_its_mean_rate_and_its_name():
    assert replayed(3.0).words() == "1.5 requests/s, trace chat.csv ×3"
    assert replayed().arrivals_words() == "trace chat.csv"


@pytest.mark.parametrize(
    ("load", "said"),
    [
        ({"rate": 5.0}, "make them equal"),
        ({"rate": None, "concurrency": 2}, "make them equal"),
        ({"requests": 5}, "the trace has 4"),
        ({"constant": True}, "its own arrivals"),
        ({"burstiness": 2.0}, "its own arrivals"),
    ],
)
def test_a_load_that_contradicts_its_trace_is_refused(load, said):
    with pytest.raises(PlanError, match=said):
        replayed(**load)
