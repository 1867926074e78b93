"""What a launch will take, worked out by hand."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from core.estimate import BETWEEN_RUNS_S, Pace, Seen, checks, estimate, interleaved, seen_pace
from core.plan import Configuration, Endpoint, Load, Workload

NOW = datetime(2026, 11, 28, 17, 0, tzinfo=UTC)
SERVER = Endpoint(name="lab", base_url="http://127.0.0.1:8000/v1")
A = Configuration(id="a", label="A", endpoint=SERVER, model="m")
B = Configuration(id="b", label="B", endpoint=SERVER, model="m")
WORKLOAD = Workload(input_tokens=100, output_tokens=51)
PACE = Pace(ttft_s=0.5, tpot_s=0.01, known=True)  # one request: 0.5 + 50 x 0.01 = 1 s


def pace(_plan):
    return PACE


def test_levels_go_over_all_configurations_before_the_next_level_starts():
    plans = interleaved([A, B], WORKLOAD, [Load(concurrency=1), Load(concurrency=4)], repeats=2)

    order = [(plan.load.concurrency, plan.configuration.id) for plan in plans]
    assert order == [(1, "a"), (1, "b"), (4, "a"), (4, "b")] * 2


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


def said(plans, *, seen=(), kept=1e6):
    return [
        (check.level, check.what)
        for check in checks(plans, estimate(plans, pace), seen=seen, kept_tokens_per_s=kept, now=NOW)
    ]


def test_endpoints_are_told_apart_by_their_last_probe():
    plans = interleaved([A], WORKLOAD, [Load(requests=500)])
    seen = [
        Seen(name="new"),
        Seen(name="fresh", at=NOW - timedelta(minutes=2), ready=True),
        Seen(name="old", at=NOW - timedelta(hours=2), ready=True),
        Seen(name="bad", at=NOW, ready=False, what="401: the server does not accept this key."),
    ]

    levels = {what.split()[0]: level for level, what in said(plans, seen=seen)[:4]}

    assert levels == {"1": "ok", "new": "note", "old": "note", "bad": "act"}


def test_a_machine_that_cannot_keep_up_is_told():
    plans = interleaved([A], WORKLOAD, [Load(concurrency=4, requests=500)])  # 204 tokens/s

    assert said(plans, kept=300)[0] == ("ok", "This machine keeps 300 tokens/s; you need 204")
    assert said(plans, kept=100)[0][0] == "act"
    assert said(plans, kept=None)[0] == ("note", "This machine is not calibrated")


@pytest.mark.parametrize(("requests", "level"), [(99, "act"), (100, "act"), (499, "act"), (500, "ok")])
def test_samples_are_counted_for_the_p99(requests, level):
    assert said(interleaved([A], WORKLOAD, [Load(requests=requests)]))[1][0] == level


def test_fewer_than_three_requests_a_stream_are_told():
    assert len(said(interleaved([A], WORKLOAD, [Load(requests=500, concurrency=166)]))) == 2
    assert said(interleaved([A], WORKLOAD, [Load(requests=500, concurrency=167)]))[2][0] == "act"


@dataclass(frozen=True)
class Earlier:
    configuration_id: str
    concurrency: int
    ttft_p50_s: float | None
    tpot_p50_s: float | None


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


def test_without_a_run_the_pace_is_assumed_with_the_ttft_of_the_probe():
    plan = interleaved([A], WORKLOAD, [Load()])[0]

    assert seen_pace(plan, []) == Pace()
    assert seen_pace(plan, [], 0.05) == Pace(ttft_s=0.05)
    assert not seen_pace(plan, [Earlier("a", 1, 0.1, None)]).known


def doubted_models(listed, *models):
    """What is said of these models at an endpoint that lists those."""
    plans = interleaved(
        [Configuration(id=name, label=name, endpoint=SERVER, model=name) for name in models],
        WORKLOAD,
        [Load(requests=500)],
    )
    seen = [Seen(name="lab", at=NOW, ready=True, models=listed), Seen(name="other", at=NOW, ready=True, models=("x",))]
    found = checks(plans, estimate(plans, pace), seen=seen, kept_tokens_per_s=1e6, now=NOW)
    return [check for check in found if "lists" in check.what]


def test_a_model_that_its_endpoint_does_not_list_is_told_with_those_that_it_lists():
    (found,) = doubted_models(("a", "b", "c"), "gone", "a")

    assert (found.level, found.what) == ("act", "lab lists a, b, c; not “gone”.")
    assert "can be launched as it is" in found.do


@pytest.mark.parametrize(
    ("listed", "model"),
    [(("a", "b"), "a"), ((), "gone"), (("llama3:latest",), "llama3")],
    ids=["listed", "no list", "tag"],
)
def test_a_listed_model_and_one_of_an_endpoint_without_a_list_are_not_doubted(listed, model):
    assert doubted_models(listed, model) == []


def test_a_long_list_is_told_by_its_first_names():
    (found,) = doubted_models(tuple(f"model-{n}" for n in range(1_500)), "gone", "lost")

    assert found.what == "lab lists model-0, model-1, model-2, model-3 and 1,496 more; not “gone”, “lost”."
