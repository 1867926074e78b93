"""A queue that grows for good is told from noise, from a start-up and from a steady high load."""

from random import Random

import pytest

from core.loadgen.saturation import is_saturated


def seen(seconds, in_flight, ttft, *, noise=0.1, seed=0, rate=10):
    chosen = Random(seed)
    moments = [place / rate for place in range(seconds * rate)]
    return (
        [(at_s, in_flight(at_s) * chosen.uniform(1 - noise, 1 + noise)) for at_s in moments],
        [(at_s, ttft(at_s) * chosen.uniform(1 - noise, 1 + noise)) for at_s in moments],
    )


def test_a_queue_that_grows_for_good_is_saturation():
    assert is_saturated(*seen(20, lambda at_s: 5 + 3 * at_s, lambda at_s: 0.1 + 0.05 * at_s))


@pytest.mark.parametrize("seed", range(50))
def test_a_steady_load_with_noise_is_none(seed):
    assert not is_saturated(*seen(20, lambda _: 50, lambda _: 0.4, noise=0.5, seed=seed))


def test_a_start_up_that_settles_is_none():
    assert not is_saturated(*seen(30, lambda at_s: min(40, 20 * at_s + 1), lambda _: 0.3))


def test_more_in_flight_without_slower_first_tokens_is_none():
    assert not is_saturated(*seen(20, lambda at_s: 5 + 3 * at_s, lambda _: 0.1))


def test_a_rise_too_small_to_matter_is_none():
    assert not is_saturated(*seen(20, lambda at_s: 50 + at_s / 4, lambda at_s: 0.4 + 0.002 * at_s, noise=0.01))


def test_a_few_seconds_are_too_few():
    assert not is_saturated(*seen(5, lambda at_s: 5 + 30 * at_s, lambda at_s: 0.1 + 0.5 * at_s))


def test_nothing_seen_is_none():
    assert not is_saturated([], [])
