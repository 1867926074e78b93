"""The error of one run's throughput: its interval holds the truth about as often as it says, and is not given lightly.

The coverage tests run closed loops many times over. Two runs of one configuration differ by chance only: their ratio's
95 % interval has to hold 1 in about 95 of 100 pairs.
"""

import heapq
from math import log, sqrt

import numpy as np
import pytest

from core.comparison import difference_of_rates
from core.steadiness import FEWEST_ANSWERS, FEWEST_ROUNDS, Rate, Stay, rate, together

PAIRS = 200


def closed_loop(answers, lanes, takes):
    """Sent and ended of each request; `takes(place, sent)` is how long it occupies its lane."""
    free = [0.0] * lanes
    times = []
    for place in range(answers):
        sent = heapq.heappop(free)
        times.append((sent, sent + takes(place, sent)))
        heapq.heappush(free, times[-1][1])
    return times


def stays(times, tokens=None):
    """Requests whose output comes evenly while they occupy their lane."""
    return [
        Stay(
            sent_s=sent, ended_s=end, begun_s=sent, done_s=end, tokens=32.0 if tokens is None else float(tokens[place])
        )
        for place, (sent, end) in enumerate(times)
    ]


def independent(rng, answers, lanes):
    """Each request takes its own time."""
    takes = rng.lognormal(0, 0.3, answers)
    return stays(closed_loop(answers, lanes, lambda place, _: takes[place]))


def by_length(rng, answers, lanes):
    """Answers of very different lengths, each as long as its tokens say: the longest decides when the run ends."""
    tokens = np.ceil(np.clip(rng.lognormal(3.3, 0.6, answers), 4, 200))
    takes = (0.3 + tokens * 0.03) * rng.lognormal(0, 0.1, answers)
    return stays(closed_loop(answers, lanes, lambda place, _: takes[place]), tokens)


def in_step(rng, answers, lanes):
    """A round of requests is served as one batch: its luck is that of all of them."""
    luck, own = rng.lognormal(0, 0.15, answers // lanes + 2), rng.lognormal(0, 0.03, answers)
    return stays(closed_loop(answers, lanes, lambda place, _: luck[place // lanes] * own[place]))


def queued(rng, answers, lanes):
    """A server with fewer places than lanes: requests wait, and the wait of one hangs on those before it."""
    places, takes = [0.0] * max(1, lanes // 4), rng.lognormal(0, 0.2, answers)

    def served(place, sent):
        end = max(sent, heapq.heappop(places)) + takes[place]
        heapq.heappush(places, end)
        return end - sent

    times = closed_loop(answers, lanes, served)
    return [
        Stay(sent_s=sent, ended_s=end, begun_s=end - took, done_s=end, tokens=32.0)
        for (sent, end), took in zip(times, takes, strict=True)
    ]


def batched(rng, answers, lanes):
    """Continuous batching: a step brings a token for each request, and how long steps take drifts for a while."""
    tokens = np.clip(np.round(rng.normal(24, 4, answers)), 4, 60)
    clock = pace = 0.0
    begun, waiting, found = {}, list(range(answers))[::-1], []
    left = {}
    while waiting or left:
        fresh = [waiting.pop() for _ in range(min(lanes - len(left), len(waiting)))]
        begun.update(dict.fromkeys(fresh, clock))
        left.update((place, tokens[place]) for place in fresh)
        pace = 0.9 * pace + rng.normal(0, 0.15 * sqrt(0.19))
        clock += (0.02 + 0.005 * len(left) + 0.03 * len(fresh)) * np.exp(pace)
        for place in list(left):
            left[place] -= 1
            if not left[place]:
                del left[place]
                found.append((place, clock))
    return [
        Stay(sent_s=begun[place], ended_s=end, begun_s=begun[place], done_s=end, tokens=tokens[place])
        for place, end in found
    ]


def measured(run, lanes):
    """Its throughput with the error."""
    ends = max(stay.ended_s for stay in run) - min(stay.sent_s for stay in run)
    return rate(sum(stay.tokens for stay in run) / ends, run, lanes)


def naive(run):
    """The throughput as if every request were a witness of its own."""
    found = measured(run, 1)
    took = np.array([stay.ended_s - stay.sent_s for stay in run])
    return Rate(per_s=found.per_s, error=took.std(ddof=1) / took.mean() / sqrt(len(run)), freedom=len(run) - 1)


def coverage(serve, answers, lanes, of=None):
    """Share of pairs of runs of one configuration whose interval holds 1."""
    rng = np.random.default_rng(11)
    runs = [serve(rng, answers, lanes) for _ in range(2 * PAIRS)]
    rates = [of(run) if of else measured(run, lanes) for run in runs]
    found = [difference_of_rates([ours], [theirs]) for ours, theirs in zip(rates[::2], rates[1::2], strict=True)]
    return sum(one.low <= 1 <= one.high for one in found) / PAIRS


@pytest.mark.parametrize("serve", [independent, by_length, in_step, queued])
@pytest.mark.parametrize(("answers", "lanes"), [(30, 1), (30, 4), (120, 4), (96, 16)])
def test_about_95_of_100_intervals_hold_the_truth(serve, answers, lanes):
    assert coverage(serve, answers, lanes) >= 0.91


@pytest.mark.parametrize(("answers", "lanes"), [(30, 1), (48, 4)])
def test_steps_that_are_slow_for_a_while_hardly_cost_coverage(answers, lanes):
    assert coverage(batched, answers, lanes) >= 0.91


def test_requests_as_witnesses_of_their_own_would_be_wrong_most_of_the_time():
    assert coverage(in_step, 96, 16, naive) < 0.5


def test_a_difference_of_a_third_is_seen_in_a_long_run_and_not_in_noise():
    rng = np.random.default_rng(3)
    slow, fast = (measured(in_step(rng, 400, 4), 4) for _ in range(2))
    faster = Rate(per_s=fast.per_s * 4 / 3, error=fast.error, freedom=fast.freedom)
    short, other = (measured(in_step(rng, 30, 4), 4) for _ in range(2))
    by_chance = Rate(per_s=short.per_s * 1.13, error=other.error, freedom=other.freedom)

    assert difference_of_rates([slow], [faster]).low > 1
    assert difference_of_rates([short], [by_chance]).low < 1


def even(answers, lanes, **changes):
    """Lanes in step, each request a second long."""
    return [
        Stay(**{"sent_s": at, "ended_s": at + 1.0, "begun_s": at + 0.1, "done_s": at + 1.0, "tokens": 10.0} | changes)
        for place in range(answers)
        for at in [float(place // lanes)]
    ]


@pytest.mark.parametrize(
    ("answers", "lanes", "known"),
    [
        (FEWEST_ANSWERS, 1, True),
        (FEWEST_ANSWERS - 1, 1, False),
        (FEWEST_ROUNDS * 8, 8, True),
        (FEWEST_ROUNDS * 8 - 1, 8, False),
    ],
)
def test_too_few_answers_or_rounds_have_no_error(answers, lanes, known):
    assert (rate(50.0, even(answers, lanes), lanes).error is not None) == known


def test_failed_requests_are_no_answers_and_their_time_counts():
    answered = even(40, 1)
    failing = [
        Stay(sent_s=s.sent_s, ended_s=s.ended_s, begun_s=s.begun_s, done_s=s.done_s, tokens=0.0 if place < 5 else 10.0)
        for place, s in enumerate(answered)
    ]

    assert rate(10.0, even(40, 1, tokens=0.0), 1).error is None
    assert rate(10.0, failing, 1).error > 5 * rate(10.0, answered, 1).error


@pytest.mark.parametrize("run", [[], even(40, 1, sent_s=0.0, begun_s=0.0), even(40, 1, ended_s=0.0)])
def test_runs_without_a_course_have_no_error(run):
    assert rate(10.0, run, 1) == Rate(per_s=10.0)


def test_an_even_run_has_hardly_an_error():
    # One lane, no pause: what is left is the place where the parts cut the waits for first tokens.
    assert rate(10.0, even(200, 1), 1).error < 0.005


def test_several_runs_together_are_known_better_and_one_unknown_makes_it_unknown():
    one = Rate(per_s=100.0, error=0.1, freedom=4)

    both = together([one, Rate(per_s=100.0, error=0.1, freedom=4)])

    assert (both.per_s, both.error, both.freedom) == pytest.approx((100.0, 0.1 / sqrt(2), 8.0))
    assert together([one, Rate(per_s=50.0)]) == Rate(per_s=75.0)
    assert together([one]).error == pytest.approx(0.1)


def test_the_interval_of_two_rates_is_students_on_the_logarithm():
    found = difference_of_rates([Rate(per_s=100.0, error=0.03, freedom=4)], [Rate(per_s=120.0, error=0.04, freedom=4)])

    # Variance 0.0025, degrees of freedom 0.0025² / (0.0009² / 4 + 0.0016² / 4) = 7.4 -> 7: t = 2.365.
    assert found.ratio == pytest.approx(1.2)
    assert log(found.high / found.ratio) == pytest.approx(2.365 * 0.05)
    assert log(found.ratio / found.low) == pytest.approx(2.365 * 0.05)
    assert found.counts == (1, 1)
