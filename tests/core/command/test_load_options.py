"""The options of a load become loads, a search or a sweep, or one sentence."""

import pytest

from core.command.arguments import experiment, parser
from core.load import Stage
from core.plan import PlanError, Sweep

TARGET = ["run", "--base-url", "127.0.0.1:8000", "--model", "m"]


def asked(*words):
    return experiment(parser().parse_args([*TARGET, *words]))


def load(*words):
    (plan,) = asked(*words).plans
    return plan.load


def test_a_rate_is_an_open_loop():
    found = load("--rate", "2.5", "--duration", "60", "--max-in-flight", "8")

    assert (found.concurrency, found.rate, found.burstiness, found.max_in_flight) == (None, 2.5, 1.0, 8)
    assert (found.requests, found.duration_s) == (None, 60.0)


def test_infinite_burstiness_is_a_constant_rate():
    found = load("--rate", "2", "--burstiness", "inf")

    assert found.constant
    assert load("--rate", "2", "--burstiness", "0.5").burstiness == 0.5


def test_levels_may_be_ranges_with_a_step():
    assert [plan.load.concurrency for plan in asked("--concurrency", "1..16:x4").plans] == [1, 4, 16]
    assert [plan.load.rate for plan in asked("--rate", "1..2:+0.5").plans] == [1.0, 1.5, 2.0]


def test_a_range_with_an_slo_is_a_search_from_its_lowest_level():
    found = asked("--concurrency", "1..4096", "--slo", "ttft_s.p95 < 0.5", "--slo", "success_rate > 0.99")

    assert (found.search.variable, found.search.low, found.search.high) == ("concurrency", 1, 4096)
    assert [str(limit) for limit in found.search.slo.limits] == ["ttft_s.p95 < 0.5", "success_rate > 0.99"]
    assert found.plans[0].load.concurrency == 1
    assert found.plans[0].slo == found.search.slo


def test_auto_is_a_sweep():
    assert asked("--concurrency", "auto").sweep == Sweep()
    assert asked("--concurrency", "auto:256").sweep == Sweep(high=256)


def test_a_ramp_leads_to_the_level():
    assert load("--rate", "20", "--ramp", "linear:30").stages == (Stage(seconds=30, start=1, end=20),)
    assert load("--concurrency", "8", "--ramp", "exponential:30:2").stages == (
        Stage(seconds=30, start=2, end=8, shape="exponential"),
    )


def test_stages_say_every_level_and_how_long():
    found = load("--stages", "30s@5,60@5..50:exponential,30s@50")

    assert found.rate == 50
    assert found.duration_s == 120
    assert found.stages == (
        Stage(seconds=30, start=5, end=5),
        Stage(seconds=60, start=5, end=50, shape="exponential"),
        Stage(seconds=30, start=50, end=50),
    )


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--rate", "-1"], "Rate is '-1'"),
        (["--rate", "fast"], "Rate is 'fast'"),
        (["--concurrency", "1..64"], "needs --slo"),
        (["--rate", "auto"], "auto goes with --concurrency"),
        (["--concurrency", "4", "--burstiness", "2"], "leave out --burstiness, or give --rate"),
        (
            ["--concurrency", "4", "--stop-when-saturated", "--skip-saturated"],
            "leave out --stop-when-saturated, --skip-saturated, or",
        ),
        (["--concurrency", "4", "--max-in-flight", "2"], "leave out --max-in-flight"),
        (["--rate", "4", "--ramp", "quick:3"], "--ramp is 'quick:3'"),
        (["--rate", "4", "--ramp", "linear:30:5"], "begin below it"),
        (["--stages", "5"], "Stages are '5'"),
        (["--stages", "5s@0"], "Stages are"),
        (["--stages", "5s@5", "--ramp", "linear:3"], "leave --ramp out"),
        (["--slo", "fast"], "is not understood"),
        (["--repeats", "0"], "--repeats is 0"),
        (["--concurrency", "1..9", "--slo", "ttft_s.p95 < 1", "--repeats", "3"], "--repeats goes with levels"),
        (["--concurrency", "auto:2"], "Saturating level is 2"),
        (["--concurrency", "auto:" + "9" * 5000], "write auto, or auto:64"),
        (["--concurrency", "auto:many"], "write auto, or auto:64"),
        (["--concurrency", "9" * 400], "write whole numbers from 1 to 8,192"),
        (["--rate", "4", "--ramp", "linear:" + "9" * 400], "--ramp is 'linear:999"),
        (["--rate", "4", "--ramp", "linear:30:" + "9" * 300], "begin below it"),
        (["--slo", "ttft_s.p95 < " + "9" * 400], "SLO limit is inf"),
        (["--repeats", "9" * 400], "--repeats is 999"),
        (["--requests", "9" * 400], "Requests is 999"),
    ],
)
def test_nonsense_is_one_sentence(words, part):
    with pytest.raises(PlanError) as refused:
        asked(*words)

    assert part in str(refused.value)
    assert len(str(refused.value)) < 250


@pytest.mark.parametrize(
    "words",
    [["--burstiness", "0"], ["--requests", "9" * 5000], ["--cooldown", "-1"], ["--rate", "1", "--concurrency", "2"]],
)
def test_what_argparse_refuses_ends_with_status_two(words):
    with pytest.raises(SystemExit) as ended:
        asked(*words)

    assert ended.value.code == 2
