"""Which run comes next: fixed plans in their order, a search to its edge, a sweep around the knee, in turns."""

from dataclasses import replace

import pytest

from core.course import Done, at_level, expected_runs, following, found_edge, searched
from core.course import found as found_in_file
from core.plan import Experiment, Load, PlanError, Slo, Sweep
from core.run import Preflight, RunState, StoppedBy
from core.search import MOST_PROBES, Search
from core.summary import summarise
from tests.core.example_runs import answered, failed, plan, run

SLO = Slo.read(["ttft_s.p95 < 0.5"])


def configured(name, **load):
    found = plan()
    return replace(found, configuration=replace(found.configuration, id=name, label=name), load=Load(**load))


def done(its, *, ttft_s=0.1, state=RunState.COMPLETED, stopped_by=StoppedBy.REQUESTS, records=None):
    seen = records or [answered(place, first=ttft_s) for place in range(4)]
    made = replace(run(seen, of=its), state=state, stopped_by=stopped_by)
    return Done(run=made, summary=summarise(made.requests))


def followed(experiment, measure, most=200):
    so_far = []
    while (its := following(experiment, so_far)) is not None:
        so_far.append(measure(its))
        assert len(so_far) <= most
    return so_far


def test_fixed_plans_come_in_their_order_each_once_also_equal_ones():
    plans = tuple(configured(name, concurrency=level) for level in (1, 4) for name in ("a", "b", "a"))
    experiment = Experiment(id="e", name="e", plans=plans)

    assert tuple(one.run.plan for one in followed(experiment, done)) == plans
    assert expected_runs(experiment) == 6


def test_higher_levels_of_a_saturated_configuration_are_left_out_if_asked_and_others_go_on():
    plans = tuple(configured(n, concurrency=None, rate=r) for r in (1.0, 2.0, 4.0, 2.0, 1.0) for n in ("a", "b"))
    experiment = Experiment(id="e", name="e", plans=plans, skip_saturated=True)

    def measure(its):
        full = its.configuration.id == "a" and its.load.rate == 2.0
        return done(its, stopped_by=StoppedBy.SATURATION if full else StoppedBy.REQUESTS)

    levels = [(one.run.plan.configuration.id, one.level) for one in followed(experiment, measure)]
    assert [level for name, level in levels if name == "a"] == [1.0, 2.0, 2.0, 1.0]
    assert [level for name, level in levels if name == "b"] == [1.0, 2.0, 4.0, 2.0, 1.0]
    everything = followed(replace(experiment, skip_saturated=False), measure)
    assert len(everything) == len(plans)


def search_of(*names, low=1, high=64):
    return Experiment(
        id="e",
        name="e",
        plans=tuple(configured(name, concurrency=1) for name in names),
        search=Search(variable="concurrency", low=low, high=high, slo=SLO),
    )


def test_a_search_finds_the_edge_of_each_configuration_in_turns():
    edges = {"a": 9, "b": 30}

    def measure(its):
        return done(its, ttft_s=0.1 if its.load.concurrency <= edges[its.configuration.id] else 0.9)

    runs = followed(search_of("a", "b"), measure)

    names = [one.run.plan.configuration.id for one in runs]
    assert names[:6] == ["a", "b", "a", "b", "a", "b"]
    for name, true_edge in edges.items():
        found = found_edge(search_of("a", "b"), [one for one in runs if one.run.plan.configuration.id == name])
        assert found.level == true_edge
    assert len(runs) <= expected_runs(search_of("a", "b")) == 2 * MOST_PROBES


def test_a_level_whose_run_failed_or_saturated_does_not_keep_the_slo():
    def measure(its):
        if its.load.concurrency > 10:
            return done(its, state=RunState.FAILED, stopped_by=StoppedBy.ERRORS)
        return done(its)

    runs = followed(search_of("a"), measure)

    assert found_edge(search_of("a"), runs).level == 10


def test_a_search_whose_endpoint_answers_nothing_ends_at_once():
    runs = followed(search_of("a"), lambda its: done(its, state=RunState.FAILED, records=[failed()]))

    (found,) = searched(search_of("a"), runs)
    assert len(runs) == 1
    assert found.sentence().startswith("The search was stopped at 1 request in flight.")


def test_a_search_whose_lowest_level_has_no_answer_says_that_and_not_that_no_level_keeps_the_limits():
    def measure(its):
        one = done(its, state=RunState.FAILED, stopped_by=StoppedBy.ERRORS, records=[failed()])
        return replace(one, run=replace(one.run, message="Stopped because 10 of 10 requests failed."))

    (found,) = searched(search_of("a"), followed(search_of("a"), measure))

    assert found.sentence().startswith(
        "The search ended, as its lowest level had no answer: Stopped because 10 of 10 requests failed."
    )


def test_a_sweep_takes_one_stream_then_saturation_then_levels_between():
    experiment = Experiment(id="e", name="e", plans=(configured("a", concurrency=1),), sweep=Sweep(high=64, between=4))

    levels = [one.level for one in followed(experiment, done)]

    assert levels[:2] == [1, 64]
    assert len(levels) <= expected_runs(experiment) == 6
    assert all(1 < level < 64 for level in levels[2:])
    assert len(set(levels)) == len(levels)


def test_a_search_and_a_sweep_at_once_are_refused():
    with pytest.raises(PlanError, match="either"):
        replace(search_of("a"), sweep=Sweep())


@pytest.mark.parametrize(("state", "why"), [(RunState.CANCELLED, StoppedBy.USER), (RunState.FAILED, StoppedBy.FAILURE)])
def test_a_run_that_was_cut_short_says_nothing_about_its_level_and_ends_the_search(state, why):
    experiment = search_of("a")
    so_far = [
        done(at_level(experiment.plans[0], 1)),
        done(at_level(experiment.plans[0], 4), state=state, stopped_by=why),
    ]

    (found,) = searched(experiment, so_far)
    assert following(experiment, so_far) is None
    assert (found.edge.level, found.edge.above) == (1, None)
    assert found.sentence() == (
        "The search was stopped at 4 requests in flight. "
        "1 request in flight kept ttft_s.p95 < 0.5; what more would do is not known."
    )


def test_a_search_that_measured_nothing_says_so():
    experiment = search_of("a")
    so_far = [done(experiment.plans[0], state=RunState.FAILED, stopped_by=StoppedBy.FAILURE, records=[failed()])]

    (found,) = searched(experiment, so_far)
    assert found.sentence() == "The search was stopped at 1 request in flight. No level was measured."


def refused(its):
    """A run whose preflight failed."""
    one = done(its, state=RunState.FAILED, stopped_by=StoppedBy.FAILURE, records=[failed(sent=None)])
    words = "Connection refused by 127.0.0.1:9"
    return replace(one, run=replace(one.run, message=words, preflight=Preflight(failure_message=words)))


def test_a_search_that_was_cut_short_says_at_which_level_and_why():
    experiment = search_of("a")
    plans = [at_level(experiment.plans[0], level) for level in (1, 4, 4)]
    so_far = [done(plans[0]), refused(plans[1]), refused(plans[2])]

    (found,) = searched(experiment, so_far)

    assert following(experiment, so_far) is None
    assert found.sentence().startswith(
        "The search was cut short at 4 requests in flight: Connection refused by 127.0.0.1:9. 1 request in flight kept"
    )


def test_a_preflight_that_fails_between_two_levels_is_tried_once_more_and_the_search_goes_on():
    experiment = search_of("a", high=4)
    asked = []

    def measure(its):
        asked.append(its.load.concurrency)
        return refused(its) if len(asked) == 2 else done(its)

    (found,) = searched(experiment, followed(experiment, measure))

    assert asked == [1, 4, 4, 4]
    assert (found.edge.level, found.cut_short) == (4, "")


def limited(written, **rest):
    return replace(search_of("a", **rest), search=Search(variable="concurrency", low=1, high=64, slo=Slo.read(written)))


def test_a_number_that_is_unknown_ends_the_search_and_is_no_limit_that_was_not_kept():
    experiment = limited(["tpot_s.p50 < 5"])
    so_far = followed(experiment, lambda its: done(its, records=[answered(place, tokens=None) for place in range(4)]))

    (only,) = searched(experiment, so_far)

    assert len(so_far) == 1
    assert (only.edge.level, only.edge.above) == (None, None)
    assert only.sentence() == (
        "tpot_s.p50 < 5 cannot be judged: TPOT is unknown, as the server counts no tokens. Let the server send usage "
        "(stream_options.include_usage), or limit another metric. No level was measured."
    )
    assert found_in_file(experiment, so_far)["edge"] is None


def test_a_level_that_was_too_much_does_not_keep_its_limits_even_where_a_number_is_missing():
    experiment = limited(["tpot_s.p50 < 5"])

    def measure(its):
        if its.load.concurrency == 1:
            return done(its)
        return done(its, stopped_by=StoppedBy.SATURATION, records=[answered(0, tokens=1)])

    (found,) = searched(experiment, followed(experiment, measure))

    assert (found.edge.level, found.edge.above, found.cut_short) == (1, 2, "")


def test_a_search_ends_whatever_its_runs_say():
    experiment = search_of("a", high=8192)

    runs = followed(experiment, lambda its: done(its, ttft_s=0.1 if hash(its.load.concurrency) % 3 else 0.9), most=60)

    assert len(runs) <= 60


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"search": Search(variable="rate", low=1.0, high=64.0, slo=SLO)}, "of two kinds"),
        ({"plans": search_of("a").plans * 2}, "each configuration once"),
    ],
)
def test_a_search_that_does_not_fit_its_plans_is_refused(changes, part):
    with pytest.raises(PlanError, match=part):
        replace(search_of("a"), **changes)


def test_an_slo_on_first_tokens_needs_a_streamed_answer():
    one = search_of("a").plans[0]
    whole = replace(one, workload=replace(one.workload, stream=False))

    with pytest.raises(PlanError, match="not streamed"):
        replace(search_of("a"), plans=(whole,))
    with pytest.raises(PlanError, match="not streamed"):
        replace(whole, slo=SLO)
    assert replace(whole, slo=Slo.read(["e2e_s.p95 < 9"])).slo is not None
