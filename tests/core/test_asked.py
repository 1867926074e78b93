"""One manner at many levels: what belongs to an open loop stays out of a closed one."""

import pytest

from core.asked import Manner
from core.load import Stage
from core.plan import PlanError, Slo, Sweep
from core.search import Search

MANNER = Manner(
    requests=None, duration_s=30.0, warmup_requests=2, burstiness=0.5, max_in_flight=8, stop_when_saturated=True
)
STAGES = (Stage(seconds=10, start=1, end=5), Stage(seconds=20, start=5, end=2))


def test_an_open_loop_has_arrivals_and_a_closed_one_has_none():
    opened, closed = MANNER.at("rate", 2.5), MANNER.at("concurrency", 4.0)

    assert (opened.rate, opened.concurrency, opened.burstiness, opened.max_in_flight) == (2.5, None, 0.5, 8)
    assert (closed.rate, closed.concurrency, closed.burstiness, closed.max_in_flight) == (None, 4, 1.0, None)
    for load in (opened, closed):
        assert (load.duration_s, load.warmup_requests) == (30.0, 2)
    assert (opened.stop_when_saturated, closed.stop_when_saturated) == (True, False)


def test_stages_are_named_by_their_highest_level_and_last_as_long_as_they_do_where_that_is_asked():
    assert MANNER.along(STAGES, to_their_end=True).duration_s == 30
    assert Manner(requests=7, duration_s=None, warmup_requests=0).along(STAGES, to_their_end=False).requests == 7
    assert MANNER.along(STAGES, to_their_end=False).rate == 5
    assert MANNER.along(STAGES, to_their_end=False).stages == STAGES


def test_a_search_begins_at_its_lowest_level_and_a_sweep_with_one_request():
    search = Search(variable="rate", low=0.5, high=64, slo=Slo.read(["ttft_s.p95 < 1"]))
    searching, sweeping = MANNER.searching(search), MANNER.sweeping(Sweep(high=32), None)

    assert ([load.rate for load in searching.loads], searching.search, searching.slo) == ([0.5], search, search.slo)
    assert ([load.concurrency for load in sweeping.loads], sweeping.sweep) == ([1], Sweep(high=32))


def test_a_manner_without_an_end_is_refused():
    with pytest.raises(PlanError):
        Manner(requests=None, duration_s=None, warmup_requests=0).at("rate", 1)
