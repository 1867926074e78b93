"""Chosen runs laid out: what is pooled, what stays apart, and in which colour."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core import differing
from core.lineup import Entry, lineup
from core.plan import Configuration, Endpoint, Load, RunPlan, Stage, Workload
from core.run import Run, RunState
from core.steadiness import Rate
from core.summary import Distribution, Summary
from core.trace import Rows
from core.workload import LengthPair, Spread

MONDAY = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)


def entry(
    run_id, *, config="a", label="", slot=0, level=1, experiment="e1", ttft=(0.1, 0.2), tps=100.0, tokens=128, port=1
):
    configuration = Configuration(
        id=config,
        label=label or config.upper(),
        slot=slot,
        model="m",
        endpoint=Endpoint(name="e", base_url=f"http://127.0.0.1:{port}/v1"),
        settings=(("quantization", config),),
    )
    plan = RunPlan(
        configuration=configuration, workload=Workload(output_tokens=tokens), load=Load(concurrency=level, requests=2)
    )
    run = Run(
        id=run_id,
        name=run_id,
        started_at=MONDAY,
        state=RunState.COMPLETED,
        plan=plan,
        experiment={"id": experiment} if experiment else None,
    )
    spread = Distribution(
        count=len(ttft), mean=0.1, stdev=None, min=ttft[0], p50=ttft[0], p90=0.3, p95=0.3, p99=0.3, max=ttft[-1]
    )
    summary = Summary(
        distributions={"ttft_s": spread},
        throughput={"output_tokens_per_s": tps},
        counts={"ok": 9, "failed": 1, "empty": 0, "cancelled": 0, "incomplete": 0, "warmup": 0},
    )
    return Entry(
        run=run, summary=summary, values=lambda _: ttft, grid=lambda _: ttft, output=lambda: tps and Rate(per_s=tps)
    )


def laid_out(*entries, **options):
    return lineup(entries, date=lambda moment: f"{moment:%d %b}", **options)


def test_a_configuration_at_two_loads_is_one_line():
    found = laid_out(entry("1", level=4), entry("2", level=1))

    assert [c.name for c in found.contenders] == ["A"]
    assert found.levels == [1, 4]


def at_rate(found, rate, **options):
    """The same run in open loop."""
    plan = replace(found.run.plan, load=Load(concurrency=None, rate=rate, **options))
    return replace(found, run=replace(found.run, plan=plan))


def test_a_rate_and_the_same_number_in_flight_are_never_one_cell():
    chosen = entry("1", level=4), at_rate(entry("2"), 4.0), at_rate(entry("3"), 2.5)

    closed, opened = laid_out(*chosen), laid_out(*chosen, baseline="2")
    assert (closed.variable, closed.levels, [e.run.id for e in closed.aside]) == ("concurrency", [4], ["2", "3"])
    assert (opened.variable, opened.levels, [e.run.id for e in opened.aside]) == ("rate", [2.5, 4.0], ["1"])
    assert [len(cell.entries) for cell in closed.contenders[0].cells.values()] == [1]
    assert (closed.words(4), opened.words(2.5)) == ("4 in flight", "2.5 requests/s")
    assert opened.contenders[0].cells[2.5].words == "2.5 requests/s"


def test_the_baselines_kind_of_load_is_that_of_its_first_run():
    chosen = entry("1", config="a"), at_rate(entry("2", config="b"), 2.0), entry("3", config="b")

    assert laid_out(*chosen, baseline="b").variable == "rate"
    assert laid_out(*chosen, baseline="b@3").variable == "concurrency"
    assert laid_out(*chosen).variable == "concurrency"
    assert laid_out(*chosen[1:], baseline="gone").variable == "rate"


def test_loads_of_another_shape_are_another_line_and_say_so():
    steady, bursty = at_rate(entry("1"), 4.0), at_rate(entry("2"), 4.0, burstiness=0.5, max_in_flight=8)
    even = at_rate(entry("3"), 4.0, constant=True, stages=(Stage(seconds=10, start=1, end=4),))

    names = [contender.name for contender in laid_out(steady, bursty, even).contenders]
    assert names == [
        "A · at random (Poisson)", "A · burstiness 0.5, at most 8 in flight", "A · evenly spaced, 10 s at 1..4 linear",
    ]  # fmt: skip
    staged = replace(entry("2", level=4).run.plan, load=Load(concurrency=4, stages=(Stage(seconds=9, start=4, end=4),)))
    found = entry("2", level=4)
    assert len(laid_out(entry("1", level=4), replace(found, run=replace(found.run, plan=staged))).contenders) == 2


def test_an_open_loop_has_as_many_lanes_as_requests_were_on_their_way():
    closed, opened = entry("1", level=16), at_rate(entry("2"), 2.0)
    busy = replace(opened, summary=replace(opened.summary, mean_in_flight=3.2))

    assert laid_out(closed).contenders[0].cells[16].lanes == 16
    assert laid_out(opened).contenders[0].cells[2.0].lanes == 1
    assert laid_out(opened, busy).contenders[0].cells[2.0].lanes == 4


def test_the_pace_is_held_against_what_was_really_offered_and_not_against_the_nominal_rate():
    """Sixty answers of 0.5 s each, offered at 2.5/s although the plan says 2: the last came late, or did not."""

    def pace(duration_s, **known):
        found = at_rate(entry("1"), 2.0)
        spread = replace(found.summary.distributions["ttft_s"], min=0.5)
        summary = replace(
            found.summary,
            distributions={"e2e_s": spread},
            counts=found.summary.counts | {"ok": 60},
            duration_s=duration_s,
            throughput={"offered_rate_per_s": 2.5},
        )
        return laid_out(replace(found, summary=replace(summary, **known))).contenders[0].cells[2.0].pace

    assert pace(59 / 2.5 + 0.5) == pytest.approx(1.0)
    assert pace(59 / 2.0 + 0.5) == pytest.approx(0.8)
    assert pace(None) is None
    assert pace(9.0, distributions={}) is None
    assert pace(9.0, throughput={"offered_rate_per_s": None}) is None
    assert pace(0.5) is None


def test_the_percentiles_of_many_gaps_are_the_runs_own_and_not_near_them_on_its_grid():
    plain = entry("1")
    gaps = replace(plain.summary.distributions["ttft_s"], count=90_000, p99=0.77)
    whole = replace(plain.summary, distributions={"gap_s": gaps})
    many = replace(plain, summary=whole, grid=lambda _: [0.0, 0.5, 1.0])

    assert many.sample("gap_s").at([0.99, 1.0]).tolist() == [0.77, 1.0]


def test_repeats_of_one_experiment_are_pooled():
    found = laid_out(entry("1", ttft=(0.1, 0.3), tps=100.0), entry("2", ttft=(0.2,), tps=200.0))

    cell = found.contenders[0].cells[1]
    assert not found.single
    assert cell.sample("ttft_s").points == [0.1, 0.2, 0.3]
    assert cell.sample("tpot_s") is None
    assert cell.statistic("ttft_s", "p50") == pytest.approx(0.2)
    assert cell.throughput("output_tokens_per_s") == 150.0
    assert cell.count("ttft_s") == 3
    assert [found.shows.per_s for found in cell.output] == [100.0, 200.0]


def test_one_run_keeps_its_own_statistics():
    assert laid_out(entry("1")).contenders[0].cells[1].statistic("ttft_s", "p95") == 0.3


def test_an_unknown_throughput_of_one_repeat_makes_it_unknown():
    found = laid_out(entry("1"), entry("2", tps=None))

    assert found.contenders[0].cells[1].throughput("output_tokens_per_s") is None
    assert [one.shows for one in found.contenders[0].cells[1].output] == [Rate(per_s=100.0)]


def test_the_same_load_in_two_experiments_stays_apart_and_is_told_by_date():
    found = laid_out(entry("1", experiment="e1"), entry("2", experiment="e2"))

    assert [c.name for c in found.contenders] == ["A · 23 Nov", "A · 23 Nov (2)"]
    assert len({c.key for c in found.contenders}) == 2
    assert len({c.slot for c in found.contenders}) == 2


def test_other_loads_from_another_experiment_join_the_line():
    found = laid_out(entry("1", level=1, experiment="e1"), entry("2", level=4, experiment="e2"))

    assert len(found.contenders) == 1
    assert found.single


def test_runs_without_an_experiment_are_no_repeats():
    assert len(laid_out(entry("1", experiment=None), entry("2", experiment=None)).contenders) == 2


def test_another_answer_length_is_another_line_and_says_so():
    found = laid_out(entry("1"), entry("2", tokens=64))

    assert [c.name for c in found.contenders] == ["A · 128 → 128", "A · 128 → 64"]


def test_a_demo_server_on_another_port_is_the_same_configuration():
    assert len(laid_out(entry("1", port=1), entry("2", port=2)).contenders) == 1


def test_colours_stay_unless_two_would_share_one():
    found = laid_out(entry("1", config="a", slot=3), entry("2", config="b", slot=3), entry("3", config="c", slot=0))

    slots = [c.slot for c in found.contenders]
    assert slots[0] == 3
    assert slots[2] == 0
    assert len(set(slots)) == 3


@pytest.mark.parametrize("wanted", ["b", "2"])
def test_the_baseline_is_named_by_configuration_or_run(wanted):
    found = laid_out(entry("1", config="a"), entry("2", config="b"), baseline=wanted)

    assert found.baseline.name == "B"
    assert [c.name for c in found.others] == ["A"]


def test_an_unknown_baseline_is_the_first():
    assert laid_out(entry("1", config="a"), entry("2", config="b"), baseline="gone").baseline.name == "A"


def test_common_levels_are_those_where_two_were_measured():
    found = laid_out(entry("1", config="a", level=1), entry("2", config="b", level=1), entry("3", config="a", level=9))

    assert found.common_levels == [1]
    assert found.levels == [1, 9]


def test_failed_requests_are_a_share_of_all_that_ended():
    assert laid_out(entry("1")).contenders[0].cells[1].failed_share == pytest.approx(0.1)


def test_settings_tell_what_sets_apart():
    found = differing.settings(laid_out(entry("1", config="a"), entry("2", config="b")))

    apart = {setting.name: setting.told for setting in found if setting.differs}
    assert apart == {"quantization": ("a", "b")}
    assert any(setting.name == "model" and not setting.differs for setting in found)


def replayed(run_id, *, speed=1.0, rows=((0.0, 10, 5), (2.0, 30, 15), (4.0, 20, 10))):
    trace = Rows.of(rows).trace("chat.csv", speed=speed)
    one = entry(run_id)
    load = Load(concurrency=None, rate=trace.rate, trace=trace, requests=len(rows))
    return replace(one, run=replace(one.run, plan=replace(one.run.plan, load=load)))


def test_speeds_of_a_trace_are_levels_of_one_line_and_another_trace_of_its_name_is_another():
    line = laid_out(replayed("a"), replayed("b", speed=2.0))
    assert [len(contender.cells) for contender in line.contenders] == [2]

    other = replayed("c", speed=2.0, rows=((0.0, 10, 5), (2.0, 30, 15), (4.0, 20, 11)))
    assert len(laid_out(replayed("a"), other).contenders) == 2


def test_what_sets_a_trace_apart_is_told_with_its_own_lengths():
    told = {one.name: one.told for one in differing.settings(laid_out(replayed("a")))}

    assert told["input tokens"] == ("20 on average",)
    assert told["output tokens"] == ("10 on average",)
    assert told["arrivals"] == ("trace chat.csv",)


def asking(found, **workload):
    """The same run with something else of its workload."""
    plan = found.run.plan
    return replace(found, run=replace(found.run, plan=replace(plan, workload=replace(plan.workload, **workload))))


@pytest.mark.parametrize(
    "workload",
    [
        {"language": "chinese"}, {"system_prompt": "Be brief."}, {"stop": ("END",)}, {"nonce": False},
        {"input_spread": Spread(shape="uniform", low=1, high=255)}, {"extra_body": {"top_k": 1}},
        {"pairs": (LengthPair(input_tokens=128, output_tokens=128),)},
    ],
)  # fmt: skip
def test_runs_of_another_workload_are_no_repeats(workload):
    assert len(laid_out(entry("1"), asking(entry("2"), **workload)).contenders) == 2


def test_another_draw_or_another_name_of_the_same_workload_is_a_repeat():
    again = asking(entry("2"), seed=5, keep_text=False, saved_name="chat", saved_version=2)

    assert len(laid_out(entry("1"), again).contenders) == 1
