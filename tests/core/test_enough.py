"""How many answers are missing for intervals, and loads that bring them."""

import pytest

from core.comparison import FEWEST
from core.enough import longer, needed, shortfall, without_a_verdict
from core.load import Load, Stage
from core.percentile import FOR_HIGH, FOR_P99
from core.plan import Configuration, Endpoint, RunPlan, Workload
from core.standing import THROUGHPUT, rows
from core.steadiness import FEWEST_ANSWERS, FEWEST_ROUNDS
from tests.core.compared import entry, laid_out

LAB = Endpoint(name="lab", base_url="http://127.0.0.1:1/v1")


def test_a_load_needs_answers_for_its_throughput_and_for_the_percentile():
    assert needed(1, "p50") == FEWEST_ANSWERS
    assert needed(1, "p95") == max(FEWEST_ANSWERS, FOR_HIGH)
    assert needed(1, "p99") == FOR_P99
    assert needed(64, "p50") == 64 * FEWEST_ROUNDS


def test_the_load_that_lacks_most_is_told():
    line = laid_out(
        entry("1", "A", 0.1, count=20), entry("2", "B", 0.1, count=12), entry("3", "C", 0.1, count=100, level=4)
    )

    found = shortfall(line, "p95")

    assert (found.contender.name, found.answers, found.needed) == ("B", 12, 30)
    assert found.factor == 2.5


def test_repeats_are_counted_together():
    line = laid_out(entry("1", "A", 0.1, count=20), entry("2", "A", 0.1, count=20), entry("3", "B", 0.1, count=40))

    assert shortfall(line, "p95") is None
    assert shortfall(line, "p99").factor == 2.5


@pytest.mark.parametrize("name", ["p50", "p95", "p99"])
def test_with_as_many_as_are_asked_for_every_latency_has_its_interval_and_with_one_less_the_tail_has_none(name):
    def intervals(count):
        line = laid_out(entry("1", "A", 0.1, count=count), entry("2", "B", 0.2, count=count))
        return [row.against[0].difference.within for row in rows(line, 4, [name]) if row.metric != THROUGHPUT]

    assert all(intervals(needed(4, name)))
    assert name == "p50" or not any(intervals(FEWEST[name] - 1))


def test_a_longer_load_has_more_requests_or_more_seconds():
    assert longer(Load(requests=40), 7.5).requests == 300
    assert longer(Load(requests=107), 1.5).requests == 161
    assert longer(Load(requests=None, duration_s=3.0), 2.5).duration_s == 10.0  # 9.4 with what the next may lose


def test_a_load_that_has_to_be_longer_is_told_a_p99_from():
    assert longer(Load(concurrency=16, requests=40), 96 / 40).requests == FOR_P99


def plan(label="A", **load):
    known = Configuration(id=label, label=label, endpoint=LAB, model="m")
    return RunPlan(configuration=known, workload=Workload(), load=Load(**load))


@pytest.mark.parametrize(
    ("plans", "scarce"),
    [
        ([plan(concurrency=16, requests=40)], (16, 40, 96)),
        ([plan(concurrency=16, requests=96)], None),
        ([plan(concurrency=16, requests=48)] * 2, None),
        ([plan(concurrency=1, requests=20), plan(concurrency=16, requests=20)], (16, 20, 96)),
        ([plan("A", concurrency=16, requests=48), plan("B", concurrency=16, requests=48)], (16, 48, 96)),
        ([plan(concurrency=16, requests=None, duration_s=1.0)], None),
        ([plan(concurrency=None, rate=4.0, requests=10)], None),
    ],
)
def test_it_is_known_before_a_launch_where_no_verdict_can_come(plans, scarce):
    found = without_a_verdict(plans)

    assert (found and (found[0].concurrency, *found[1:])) == scarce


@pytest.mark.parametrize("factor", [1.0, 0.3])
def test_what_is_enough_stays(factor):
    load = Load(requests=40)

    assert longer(load, factor) is load


def test_stages_say_how_long_they_last():
    staged = Load(concurrency=None, rate=4.0, requests=10, stages=(Stage(seconds=5, start=1, end=4),))

    assert longer(staged, 9.0) is staged


def test_no_load_gets_longer_than_a_load_may_be():
    assert longer(Load(requests=900_000), 2).requests == 1_000_000
    assert longer(Load(requests=None, duration_s=80_000.0), 2).duration_s == 86_400
