"""What a launch will take, worked out by hand."""

from dataclasses import dataclass

import pytest

from core.estimate import BETWEEN_RUNS_S, Pace, at_most, estimate, interleaved, seen_pace
from core.plan import Configuration, Endpoint, Experiment, Load, Slo, Stage, Sweep, Workload
from core.search import MOST_PROBES, Search
from core.trace import Rows

SERVER = Endpoint(name="lab", base_url="http://127.0.0.1:8000/v1")
A = Configuration(id="a", label="A", endpoint=SERVER, model="m")
B = Configuration(id="b", label="B", endpoint=SERVER, model="m")
WORKLOAD = Workload(input_tokens=100, output_tokens=51)
PACE = Pace(ttft_s=0.5, tpot_s=0.01, known=True)  # one request: 0.5 + 50 x 0.01 = 1 s


def pace(_plan):
    return PACE


def test_levels_go_over_all_configurations_there_and_back_before_the_next_level_starts():
    plans = interleaved([A, B], WORKLOAD, [Load(concurrency=1), Load(concurrency=4)], repeats=2)

    order = [(plan.load.concurrency, plan.configuration.id) for plan in plans]
    assert order == [(1, "a"), (1, "b"), (1, "b"), (1, "a"), (4, "a"), (4, "b"), (4, "b"), (4, "a")]


def test_a_load_by_requests_takes_its_rounds():
    plans = interleaved([A], WORKLOAD, [Load(concurrency=4, requests=20, warmup_requests=1)])

    found = estimate(plans, pace)

    assert found.time_s == pytest.approx(5 * 1.0 + 1 * 1.0 + BETWEEN_RUNS_S)
    assert (found.runs, found.requests) == (1, 21)
    assert (found.input_tokens, found.output_tokens) == (2100, 21 * 51)
    assert found.peak_tokens_per_s == pytest.approx(4 * 51)
    assert found.known


def test_a_load_by_seconds_takes_its_time_and_the_last_answers():
    plans = interleaved([A], WORKLOAD, [Load(concurrency=4, requests=None, duration_s=30, warmup_requests=0)])

    found = estimate(plans, pace)

    assert found.time_s == pytest.approx(30 + 1 + BETWEEN_RUNS_S)
    assert found.requests == 120


def test_an_assumed_pace_makes_the_estimate_an_assumption():
    assert not estimate(interleaved([A], WORKLOAD, [Load()]), lambda _: Pace()).known


@dataclass(frozen=True)
class Earlier:
    configuration_id: str
    concurrency: int | None
    ttft_p50_s: float | None
    tpot_p50_s: float | None
    rate: float | None = None


def test_the_pace_is_that_of_the_nearest_load_of_the_same_configuration():
    plan = interleaved([A], WORKLOAD, [Load(concurrency=4)])[0]
    earlier = [
        Earlier("a", 1, 0.1, 0.01),
        Earlier("a", 16, 0.9, 0.09),
        Earlier("a", 5, 0.2, 0.02),
        Earlier("b", 4, 9.0, 9.0),
        Earlier("a", 4, None, None),
    ]

    assert seen_pace(plan, earlier) == Pace(ttft_s=0.2, tpot_s=0.02, known=True)


def test_a_load_of_the_same_kind_is_nearer_and_of_the_other_kind_the_lightest():
    closed, opened = (interleaved([A], WORKLOAD, [load])[0] for load in (Load(), Load(concurrency=None, rate=8.0)))
    saturated, light = Earlier("a", None, 9.0, 0.01, rate=20.0), Earlier("a", None, 0.3, 0.01, rate=2.0)
    alone, crowded = Earlier("a", 1, 0.1, 0.01), Earlier("a", 64, 0.9, 0.09)

    assert seen_pace(closed, [saturated, crowded, alone, light]).ttft_s == 0.1
    assert seen_pace(closed, [saturated, light]).ttft_s == 0.3
    assert seen_pace(opened, [alone, saturated, light]).ttft_s == 9.0  # 20 is nearer to 8 than 2 is
    assert seen_pace(opened, [crowded, alone]).ttft_s == 0.1


def test_requests_on_their_way_follow_from_the_rate_by_littles_law_up_to_the_cap():
    plans = [
        *open_loop(rate=4.0), *open_loop(rate=12.0, max_in_flight=9), *interleaved([A], WORKLOAD, [Load(concurrency=7)])
    ]  # fmt: skip

    assert [estimate([plan], pace).in_flight for plan in plans] == [4, 9, 7]
    assert estimate(plans, pace).in_flight == 9
    assert estimate([], pace).in_flight == 0


def test_the_rest_between_runs_takes_its_time():
    plans = interleaved([A, B], WORKLOAD, [Load(requests=None, duration_s=10)])
    search = Search(variable="concurrency", low=1, high=64, slo=Slo.read(["ttft_s.p95 < 0.5"]))
    for way in ({}, {"search": search}):
        resting = Experiment(id="e", name="e", plans=plans, cooldown_s=5.0, **way)
        _, without = at_most(Experiment(id="e", name="e", plans=plans, **way), pace)

        _, found = at_most(resting, pace)
        assert found.time_s - without.time_s == pytest.approx((found.runs - 1) * 5.0)


def test_without_a_run_the_pace_is_assumed_with_the_ttft_of_the_probe():
    plan = interleaved([A], WORKLOAD, [Load()])[0]

    assert seen_pace(plan, []) == Pace()
    assert seen_pace(plan, [], 0.05) == Pace(ttft_s=0.05)
    assert not seen_pace(plan, [Earlier("a", 1, 0.1, None)]).known


def open_loop(**values):
    return interleaved([A], WORKLOAD, [Load(concurrency=None, warmup_requests=0, **values)])


def test_an_open_loop_by_seconds_sends_its_rate():
    found = estimate(open_loop(rate=4.0, requests=None, duration_s=30), pace)

    assert found.requests == 120
    assert found.time_s == pytest.approx(30 + 1 + BETWEEN_RUNS_S)
    assert found.peak_tokens_per_s == pytest.approx(4 * 51)


def test_an_open_loop_by_requests_takes_until_they_were_due():
    assert estimate(open_loop(rate=4.0, requests=20), pace).time_s == pytest.approx(5 + 1 + BETWEEN_RUNS_S)


def test_stages_send_what_their_levels_add_up_to():
    stages = (Stage(seconds=10, start=2, end=2), Stage(seconds=10, start=2, end=6))

    by_seconds = estimate(open_loop(rate=6.0, stages=stages, requests=None, duration_s=20), pace)
    assert by_seconds.requests == 20 + 40
    by_requests = estimate(open_loop(rate=6.0, stages=stages, requests=72), pace)  # 60 by then, 12 more at 6/s
    assert by_requests.time_s == pytest.approx(20 + 2 + 1 + BETWEEN_RUNS_S)
    assert estimate(open_loop(rate=6.0, stages=stages, requests=10), pace).time_s == pytest.approx(
        5 + 1 + BETWEEN_RUNS_S
    )


def test_a_search_is_told_by_the_longest_course_that_it_may_take():
    plans = interleaved([A, B], WORKLOAD, [Load(concurrency=1, requests=None, duration_s=10, warmup_requests=0)])
    search = Search(variable="concurrency", low=1, high=4096, slo=Slo.read(["ttft_s.p95 < 0.5"]))

    runs, found = at_most(Experiment(id="e", name="e", plans=plans, search=search), pace)

    assert 2 * 10 <= found.runs <= 2 * MOST_PROBES
    assert found.time_s == pytest.approx(found.runs * (10 + 1 + BETWEEN_RUNS_S))
    assert {plan.configuration.id for plan in runs} == {"a", "b"}
    assert found.peak_tokens_per_s == pytest.approx(4096 * 51)


def test_a_sweep_takes_one_stream_saturation_and_what_lies_between():
    plans = interleaved([A], WORKLOAD, [Load(requests=None, duration_s=10)])

    runs, found = at_most(Experiment(id="e", name="e", plans=plans, sweep=Sweep(high=64, between=4)), pace)

    assert found.runs == 6
    assert sorted(plan.load.value for plan in runs)[::5] == [1, 64]


def test_given_levels_are_estimated_as_they_are():
    plans = interleaved([A], WORKLOAD, [Load(requests=10)])

    assert at_most(Experiment(id="e", name="e", plans=plans), pace) == (plans, estimate(plans, pace))


def test_a_trace_takes_its_own_time_and_its_own_tokens():
    rows = Rows.of([(0.0, 10, 5), (10.0, 30, 15), (20.0, 50, 10)])
    trace = rows.trace("x", speed=2.0)
    load = Load(concurrency=None, rate=trace.rate, trace=trace, requests=3, warmup_requests=0)
    found = estimate(interleaved([A], WORKLOAD, [load]), pace)

    assert (found.requests, found.input_tokens, found.output_tokens) == (3, 90, 30)
    assert found.time_s == pytest.approx(10 + 0.59 + BETWEEN_RUNS_S)


def test_a_trace_for_a_time_sends_no_more_than_it_has():
    trace = Rows.of([(0.0, 10, 5), (1.0, 30, 15)]).trace("x")
    load = Load(concurrency=None, rate=trace.rate, trace=trace, requests=None, duration_s=600.0, warmup_requests=0)

    assert estimate(interleaved([A], WORKLOAD, [load]), pace).requests == 2
