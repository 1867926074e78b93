"""The plan that a comparison leads to: its own runs, with more to ask where answers were too few."""

from dataclasses import replace

import pytest

from core.load import Load
from pages.parts.compare_again import planned
from tests.core.compared import entry, laid_out


def asked(run_id, label, load, count):
    """A run with this load and so many answers."""
    found = entry(run_id, label, 0.1, count=count, level=load.concurrency)
    return replace(found, run=replace(found.run, plan=replace(found.run.plan, load=load)))


def of_seconds(streams):
    return Load(concurrency=streams, requests=None, duration_s=3.0, warmup_requests=streams)


def test_runs_by_seconds_are_planned_as_much_longer_as_the_scarcest_answers_ask_for():
    line = laid_out(
        *(asked(f"{label}{streams}", label, of_seconds(streams), 10) for label in "AB" for streams in (1, 4))
    )

    before, wanted = planned(line, "p95")

    assert before.duration_s == 3
    assert {plan.load.duration_s for plan in wanted.plans} == {12.0}  # 3 s × 30 / 10, and a quarter more
    assert [plan.load.concurrency for plan in wanted.plans] == [1, 4, 1, 4]


def test_one_number_of_warm_up_requests_holds_for_all_levels_as_the_fields_hold_one():
    line = laid_out(*(asked(f"A{streams}", "A", of_seconds(streams), 10) for streams in (1, 4)))

    assert {plan.load.warmup_requests for plan in planned(line, "p95")[1].plans} == {4}


@pytest.mark.parametrize(("percentile", "requests"), [("p50", 50), ("p95", 50), ("p99", 100)])
def test_the_requests_are_as_many_as_the_chosen_percentile_needs(percentile, requests):
    line = laid_out(*(asked(label, label, Load(concurrency=4, requests=50), 50) for label in "AB"))

    assert {plan.load.requests for plan in planned(line, percentile)[1].plans} == {requests}
