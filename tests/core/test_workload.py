"""Workloads: what they refuse, and the lengths that they draw."""

from random import Random
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plan import PlanError, RunPlan
from core.workload import LengthPair, Spread, Workload, mean_of
from tests.core.loadgen.scripted import plan_for

WIDE = Spread(shape="uniform", low=1, high=500)


def drawn(workload: Workload, count: int = 20_000) -> list[tuple[int, int]]:
    chosen = Random(1)
    return [workload.lengths(chosen) for _ in range(count)]


def test_lengths_are_the_same_unless_a_spread_says_otherwise():
    workload = Workload(input_tokens=100, output_tokens=20)

    assert not workload.varies
    assert set(drawn(workload, 50)) == {(100, 20)}


def test_a_uniform_length_reaches_both_its_bounds():
    workload = Workload(input_tokens=15, output_tokens=5, input_spread=Spread(shape="uniform", low=10, high=20))

    lengths = [asked for asked, _ in drawn(workload)]

    assert (min(lengths), max(lengths)) == (10, 20)
    assert mean(lengths) == pytest.approx(15, abs=0.1)


@pytest.mark.parametrize("shape", ["normal", "lognormal"])
def test_a_bell_has_the_mean_and_the_deviation_that_were_asked_for(shape):
    spread = Spread(shape=shape, low=1, high=100_000, stdev=100.0)
    workload = Workload(input_tokens=500, output_tokens=500, input_spread=spread)

    lengths = [asked for asked, _ in drawn(workload)]

    assert mean(lengths) == pytest.approx(500, rel=0.01)
    assert stdev(lengths) == pytest.approx(100, rel=0.03)


@given(st.sampled_from(["normal", "lognormal"]), st.integers(1, 400), st.integers(0, 400), st.floats(0.1, 5000))
def test_no_length_is_outside_its_bounds(shape, low, width, deviation):
    spread = Spread(shape=shape, low=low, high=low + width, stdev=deviation)

    assert all(low <= spread.draw(low + width // 2, Random(seed)) <= low + width for seed in range(20))


@pytest.mark.parametrize(
    ("spread", "around"),
    [
        (Spread(shape="uniform", low=10, high=41), 20),
        (Spread(shape="normal", low=90, high=400, stdev=100.0), 120),
        (Spread(shape="normal", low=100, high=102, stdev=5000.0), 101),  # nearly all is put onto the bounds
        (Spread(shape="lognormal", low=50, high=250, stdev=300.0), 200),
        (Spread(shape="lognormal", low=20, high=60, stdev=80.0), 40),
    ],
)
def test_the_mean_is_that_of_what_is_drawn(spread, around):
    workload = Workload(input_tokens=around, output_tokens=around, input_spread=spread, output_spread=spread)

    lengths = [asked for asked, _ in drawn(workload)]

    assert workload.mean_lengths[0] == workload.mean_lengths[1] == pytest.approx(mean(lengths), rel=0.01)


def test_the_mean_of_pairs_goes_by_their_weights_whatever_stands_beside_them():
    pairs = (LengthPair(input_tokens=10, output_tokens=40, weight=3), LengthPair(input_tokens=20, output_tokens=5))

    assert Workload(input_tokens=1, output_tokens=1, pairs=pairs).mean_lengths == (12.5, 31.25)
    assert Workload(input_tokens=7, output_tokens=9).mean_lengths == (7, 9)


def test_where_it_was_saved_is_no_part_of_what_it_asks():
    one, two = Workload(saved_name="chat", saved_version=1), Workload(saved_name="talk", saved_version=2)

    assert one == two == Workload()
    assert Workload(seed=3, keep_text=False).comparable == Workload().comparable
    assert Workload(stop=("x",)).comparable != Workload().comparable


def test_pairs_belong_together_and_come_by_their_weights():
    pairs = (LengthPair(input_tokens=10, output_tokens=1000, weight=3), LengthPair(input_tokens=900, output_tokens=5))
    found = drawn(Workload(input_tokens=233, output_tokens=751, pairs=pairs))

    assert set(found) == {(10, 1000), (900, 5)}
    assert found.count((10, 1000)) / len(found) == pytest.approx(0.75, abs=0.01)
    assert mean_of(pairs) == (232, 751)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"input_spread": Spread(shape="uniform", low=1, high=5)}, "outside its bounds"),
        ({"pairs": (LengthPair(input_tokens=1, output_tokens=1),), "output_spread": WIDE}, "not both"),
        ({"language": "klingon"}, "choose english, chinese, code or mixed"),
        ({"stop": ("x",), "extra_body": {"stop": "y"}}, "stop, which Paceline sets itself"),
        ({"stop": ("x",) * 17}, "More than 16 stop texts"),
        ({"system_prompt": 7}, "give a text"),
    ],
)  # fmt: skip
def test_nonsense_is_one_sentence(asked, words):
    with pytest.raises(PlanError, match=words):
        Workload(**asked)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"shape": "uniform", "low": 9, "high": 3}, "swap them"),
        ({"shape": "uniform", "low": 1, "high": 3, "stdev": 2.0}, "no standard deviation"),
        ({"shape": "normal", "low": 1, "high": 3}, "above 0"),
        ({"shape": "triangular", "low": 1, "high": 3}, "uniform, normal or lognormal"),
    ],
)
def test_a_spread_that_makes_no_sense_is_one_sentence(asked, words):
    with pytest.raises(PlanError, match=words):
        Spread(**asked)


def test_a_plan_with_all_of_it_is_read_back_as_it_was():
    plan = plan_for(80)
    rich = RunPlan(
        configuration=plan.configuration,
        workload=Workload(
            input_tokens=20, output_tokens=30, language="mixed", system_prompt="Be brief.", stop=("\n\n", "END"),
            input_spread=Spread(shape="uniform", low=10, high=30),
            output_spread=Spread(shape="lognormal", low=5, high=90, stdev=7.5),
        ),
        load=plan.load,
    )  # fmt: skip
    paired = RunPlan(
        configuration=plan.configuration, workload=Workload(pairs=(LengthPair(input_tokens=1, output_tokens=2),))
    )

    assert RunPlan.from_dict(rich.to_dict()) == rich
    assert RunPlan.from_dict(paired.to_dict()) == paired
