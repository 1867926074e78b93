"""What is said before a launch, and when."""

from datetime import UTC, datetime, timedelta

import pytest

from core.estimate import Pace, estimate, interleaved
from core.launch_checks import Seen, checks
from core.plan import Configuration, Endpoint, Load, Workload

NOW = datetime(2026, 11, 28, 17, 0, tzinfo=UTC)
SERVER = Endpoint(name="lab", base_url="http://127.0.0.1:8000/v1")
A = Configuration(id="a", label="A", endpoint=SERVER, model="m")
WORKLOAD = Workload(input_tokens=100, output_tokens=51)
PACE = Pace(ttft_s=0.5, tpot_s=0.01, known=True)  # one request: 0.5 + 50 x 0.01 = 1 s


def pace(_plan):
    return PACE


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


def test_a_throughput_that_rests_on_an_assumption_says_so():
    plans = interleaved([A], WORKLOAD, [Load(concurrency=4, requests=500)])
    guessed, seen = (estimate(plans, lambda _plan, its=its: its) for its in (Pace(), PACE))

    def told(expected, kept):
        check = checks(plans, expected, seen=(), kept_tokens_per_s=kept, now=NOW)[0]
        return check.what + check.do

    for kept in (None, 1.0, 1e6):
        assert "assumed" in told(guessed, kept)
        assert "assumed" not in told(seen, kept)


@pytest.mark.parametrize(("requests", "level"), [(99, "act"), (100, "act"), (499, "act"), (500, "ok")])
def test_samples_are_counted_for_the_p99(requests, level):
    assert said(interleaved([A], WORKLOAD, [Load(requests=requests)]))[1][0] == level


def test_fewer_than_three_requests_a_stream_are_told():
    assert len(said(interleaved([A], WORKLOAD, [Load(requests=500, concurrency=166)]))) == 3
    assert said(interleaved([A], WORKLOAD, [Load(requests=500, concurrency=167)]))[3][0] == "act"


def test_before_the_launch_it_is_told_that_no_verdict_can_come_and_from_how_many_on_one_does():
    plans = interleaved([A], WORKLOAD, [Load(concurrency=16, requests=40)])

    found = checks(plans, estimate(plans, pace), seen=(), kept_tokens_per_s=1e6, now=NOW)

    check = next(one for one in found if "verdict" in one.what)
    assert (check.level, "96" in check.do) == ("act", True)
    assert not any(
        "verdict" in what for _, what in said(interleaved([A], WORKLOAD, [Load(concurrency=16, requests=96)]))
    )


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


def test_an_open_loop_has_no_streams_to_be_too_few_for():
    loads = [Load(concurrency=None, rate=200, requests=500)]

    assert len(said(interleaved([A], WORKLOAD, loads))) == 2
