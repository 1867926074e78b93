"""Arrivals are a pure function of the load: right gaps, right ramps, and the same for the same seed."""

from itertools import islice, pairwise, takewhile
from math import exp, gamma, sqrt

import pytest

from core.load import Load, Stage
from core.loadgen.arrivals import arrivals_of, due_times, seconds_until
from core.trace import Rows

COUNT = 2000
KS_1_PERCENT = 1.628 / sqrt(COUNT)  # the Kolmogorov-Smirnov distance that equal distributions pass in 99 of 100


def drawn(load, seed=0, count=COUNT):
    return list(islice(due_times(load, seed=seed), count))


def open_load(rate=10.0, burstiness=1.0, stages=()):
    shape = {"constant": True} if burstiness is None else {"burstiness": burstiness}
    return Load(concurrency=None, rate=rate, stages=stages, requests=None, duration_s=60, **shape)


def gamma_share(k, gap):
    """The share of gamma(k, mean 1) gaps at or below this one: the series of the incomplete gamma function."""
    x = k * gap
    term = total = 1 / k
    for n in range(1, 1000):
        term *= x / (k + n)
        total += term
        if term < total * 1e-12:
            break
    return total * exp(-x) * x**k / gamma(k)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("k", [0.5, 1.0, 4.0])
def test_gaps_are_gamma_distributed_with_the_asked_shape(k, seed):
    times = drawn(open_load(rate=20.0, burstiness=k), seed, COUNT + 1)

    gaps = sorted((later - earlier) * 20 for earlier, later in pairwise(times))

    shares = [gamma_share(k, gap) for gap in gaps]
    distance = max(max((place + 1) / COUNT - share, share - place / COUNT) for place, share in enumerate(shares))
    assert distance < KS_1_PERCENT


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_gaps_without_burstiness_are_all_the_same(seed):
    times = drawn(open_load(rate=200.0, burstiness=None), seed)

    assert times == pytest.approx([place / 200 for place in range(COUNT)], abs=1e-9)


def test_burstier_gaps_do_not_pass_for_poisson():
    times = drawn(open_load(rate=1.0, burstiness=0.5), 1, COUNT + 1)

    gaps = sorted(later - earlier for earlier, later in pairwise(times))

    assert max(abs((place + 1) / COUNT - gamma_share(1.0, gap)) for place, gap in enumerate(gaps)) > 2 * KS_1_PERCENT


def test_the_same_seed_gives_the_same_times_and_another_seed_others():
    load = open_load()

    assert drawn(load, 7) == drawn(load, 7)
    assert drawn(load, 7) != drawn(load, 8)


def test_the_first_request_is_due_at_once_and_times_ascend():
    times = drawn(open_load(burstiness=0.3))

    assert times[0] == 0
    assert all(earlier <= later for earlier, later in pairwise(times))


@pytest.mark.parametrize("shape", ["linear", "exponential"])
@pytest.mark.parametrize(("start", "end"), [(2.0, 40.0), (40.0, 2.0), (5.0, 5.0)])
def test_a_ramp_offers_what_its_level_amounts_to(shape, start, end):
    stage = Stage(seconds=10, start=start, end=end, shape=shape)

    steps = 100_000
    summed = sum(stage.level((step + 0.5) / steps) for step in range(steps)) * 10 / steps

    assert arrivals_of(stage) == pytest.approx(summed, rel=1e-6)
    assert seconds_until(stage, arrivals_of(stage)) == pytest.approx(10)
    assert seconds_until(stage, 0) == 0


def test_a_linear_ramp_sends_a_quarter_of_its_requests_in_the_first_half():
    ramp = Stage(seconds=100, start=0.001, end=20)
    times = drawn(open_load(rate=20.0, burstiness=None, stages=(ramp,)))

    within = list(takewhile(lambda at_s: at_s < 100, times))

    assert len(within) == pytest.approx(1000, abs=2)
    assert sum(at_s < 50 for at_s in within) == pytest.approx(250, abs=2)


def test_stages_follow_each_other_and_the_last_level_holds():
    stages = (
        Stage(seconds=10, start=5, end=5),
        Stage(seconds=10, start=50, end=50),
        Stage(seconds=5, start=10, end=10),
    )
    times = drawn(open_load(rate=50.0, burstiness=None, stages=stages), count=800)

    def between(begin_s, end_s):
        return sum(begin_s <= at_s < end_s for at_s in times)

    assert between(0, 10) == pytest.approx(50, abs=1)
    assert between(10, 20) == pytest.approx(500, abs=1)
    assert between(20, 25) == pytest.approx(50, abs=1)
    assert between(25, 35) == pytest.approx(100, abs=1)


def test_a_closed_loop_has_no_due_times():
    with pytest.raises(ValueError, match="concurrency=4"):
        next(due_times(Load(concurrency=4), seed=0))


ROWS = Rows.of([(10.0, 1, 1), (10.5, 1, 1), (13.0, 1, 1)])


@pytest.mark.parametrize(("speed", "times"), [(1.0, [0.0, 0.5, 3.0]), (2.0, [0.0, 0.25, 1.5]), (0.5, [0.0, 1.0, 6.0])])
def test_a_trace_is_due_when_it_came_at_its_speed_and_ends(speed, times):
    trace = ROWS.trace("x", speed=speed)
    load = Load(concurrency=None, rate=trace.rate, trace=trace, requests=3)

    assert list(due_times(load, seed=7, rows=ROWS)) == pytest.approx(times)


def test_a_trace_without_its_rows_is_refused():
    trace = ROWS.trace("x")

    with pytest.raises(ValueError, match="trace"):
        next(due_times(Load(concurrency=None, rate=trace.rate, trace=trace, requests=3), seed=0))
