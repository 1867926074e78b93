"""The search finds the edge in few probes, whatever the edge is, and tells what it cannot know."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plan import PlanError
from core.search import MOST_PROBES, Edge, Probe, Search, amount, edge, next_level, sentence, so_far
from core.slo import Slo

SLO = Slo.read(["ttft_s.p95 < 0.5"])


def searched(search, keeps):
    probes = []
    while (level := next_level(search, probes)) is not None:
        probes.append(Probe(level=level, met=keeps(level)))
        assert len(probes) < 100
    return probes


@pytest.mark.parametrize("true_edge", [*range(1, 200), 255, 256, 257, 1023, 1024, 1025, 3000, 4095])
def test_the_edge_from_1_to_4096_takes_at_most_14_probes_and_is_right(true_edge):
    search = Search(variable="concurrency", low=1, high=4096, slo=SLO)

    probes = searched(search, lambda level: level <= true_edge)

    found = edge(probes)
    assert len(probes) <= MOST_PROBES
    assert found.steady
    assert found.level <= true_edge < found.above
    assert found.above / found.level <= 1.05 or found.above - found.level == 1
    if true_edge < 20:
        assert found.level == true_edge


@given(st.floats(0.5, 999.0))
def test_the_edge_of_a_rate_is_found_within_5_percent(true_edge):
    search = Search(variable="rate", low=0.5, high=1000.0, slo=SLO)

    found = edge(searched(search, lambda level: level <= true_edge))

    assert found.level <= true_edge < found.above
    assert found.above / found.level <= 1.05


def test_both_sides_of_the_edge_are_measured_twice():
    levels = [
        probe.level for probe in searched(Search(variable="concurrency", low=1, high=64, slo=SLO), lambda n: n <= 9)
    ]

    assert levels.count(9) == 2
    assert levels.count(10) == 2
    assert max(levels.count(level) for level in levels if level not in (9, 10)) == 1


def test_steps_are_times_four_until_a_level_fails():
    levels = [
        probe.level for probe in searched(Search(variable="concurrency", low=1, high=4096, slo=SLO), lambda n: n <= 99)
    ]

    assert levels[:5] == [1, 4, 16, 64, 256]


def test_a_level_that_keeps_the_slo_only_once_blurs_the_edge():
    search = Search(variable="concurrency", low=1, high=64, slo=SLO)
    seen = []

    def keeps(level):
        seen.append(level)
        return level <= 9 and not (level == 9 and seen.count(9) == 2)

    found = edge(searched(search, keeps))

    assert found == Edge(level=8, above=10, steady=False)
    assert "otherwise" in sentence(search, found)


def test_where_nothing_keeps_the_slo_the_lowest_level_is_tried_twice_and_no_edge_is_told():
    search = Search(variable="concurrency", low=2, high=64, slo=SLO)

    probes = searched(search, lambda _: False)

    assert [probe.level for probe in probes] == [2, 2]
    assert edge(probes) == Edge(level=None, above=2, steady=True)
    assert sentence(search, edge(probes)) == "No level from 2 requests in flight on keeps ttft_s.p95 < 0.5."


def test_where_everything_keeps_the_slo_the_highest_level_is_the_edge_and_said_to_be_the_range_s_end():
    search = Search(variable="concurrency", low=1, high=100, slo=SLO)

    probes = searched(search, lambda _: True)

    assert [probe.level for probe in probes] == [1, 4, 16, 64, 100, 100]
    assert sentence(search, edge(probes)).startswith("Every level up to 100")


@pytest.mark.parametrize(("low", "high"), [(4, 4), (5, 4), (0, 4), (1, 9000), (1.5, 4)])
def test_an_empty_range_or_a_broken_number_is_refused(low, high):
    with pytest.raises(PlanError):
        Search(variable="concurrency", low=low, high=high, slo=SLO)


def test_one_is_told_as_one():
    search = Search(variable="concurrency", low=1, high=64, slo=SLO)

    told = [
        sentence(search, Edge(level=level, above=above, steady=True))
        for level, above in ((None, 1), (1, None), (1, 2), (2, 3))
    ]

    assert told == [
        "No level from 1 request in flight on keeps ttft_s.p95 < 0.5.",
        "Every level up to 1 request in flight keeps ttft_s.p95 < 0.5.",
        "Up to 1 request in flight keeps ttft_s.p95 < 0.5; 2 do not.",
        "Up to 2 requests in flight keep ttft_s.p95 < 0.5; 3 do not.",
    ]
    assert [amount("rate", level) for level in (1.0, 1.5)] == ["1 request/s", "1.5 requests/s"]


@pytest.mark.parametrize(
    ("level", "above", "told"),
    [
        (None, None, "No level was measured."),
        (None, 1, "1 request in flight did not keep ttft_s.p95 < 0.5; more is not known."),
        (4, None, "4 requests in flight kept ttft_s.p95 < 0.5; what more would do is not known."),
        (4, 16, "4 requests in flight kept ttft_s.p95 < 0.5 and 16 did not; what lies between is not known."),
    ],
)
def test_where_an_unfinished_search_stands_is_not_told_as_a_result(level, above, told):
    search = Search(variable="concurrency", low=1, high=64, slo=SLO)

    assert so_far(search, Edge(level=level, above=above, steady=True)) == told
