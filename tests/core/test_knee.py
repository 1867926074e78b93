"""Where more load stops paying, on curves made by hand: each with the sentence that people read."""

import random

import pytest

from core.knee import Level, recommended


def curve(points: dict[float, tuple[float, float | None]]) -> list[Level]:
    """Level -> (tokens/s, seconds)."""
    return [Level(value=value, throughput=tokens, latency_s=wait) for value, (tokens, wait) in points.items()]


def found(points, variable="concurrency"):
    return recommended(curve(points), variable=variable, latency="TTFT p95")


SATURATING = {1: (100, 0.1), 8: (620, 0.12), 16: (1000, 0.2), 32: (1020, 0.4), 64: (1010, 0.6)}


def test_a_saturating_server_has_a_range_from_what_pays_to_what_still_grows():
    of = found(SATURATING)

    assert of.sentence == (
        "Up to 8 in flight each further stream adds at least half of what one alone brings; beyond 16 throughput grows "
        "by less than 5 % while TTFT p95 triples: 8 to 16 is the range."
    )
    assert (of.low, of.high, of.knee) == (8, 16, 8)


def test_efficiency_is_throughput_for_each_stream_against_one():
    of = found(SATURATING)

    assert [step.efficiency for step in of.steps] == pytest.approx([1, 0.775, 0.625, 1020 / 3200, 1010 / 6400])
    assert of.steps[0].added is None
    assert [step.added for step in of.steps[1:3]] == pytest.approx([520 / 700, 380 / 800])


def test_the_order_of_the_levels_does_not_matter():
    assert recommended(curve(SATURATING)[::-1], variable="concurrency", latency="TTFT p95") == found(SATURATING)


def test_a_linear_server_has_no_end_of_its_range_and_none_is_named():
    of = found({1: (100, 0.1), 2: (200, 0.1), 4: (400, 0.1), 8: (800, 0.1)})

    assert (of.low, of.high, of.knee) == (8, None, 8)
    assert of.sentence == (
        "Up to 8 in flight each further stream adds at least half of what one alone brings: that is the highest level "
        "measured, the range ends beyond it."
    )


def test_a_server_that_still_grows_but_less_has_a_range_with_an_open_end():
    of = found({1: (100, 0.1), 4: (400, 0.1), 16: (600, 0.2), 64: (900, 0.9)})

    assert (of.low, of.high) == (4, None)
    assert of.sentence.endswith("throughput still grows at 64, the highest level measured: the range begins at 4 and "
                                "ends beyond 64.")  # fmt: skip


def test_a_collapsing_server_is_told_how_much_it_loses():
    of = found({1: (100, 0.1), 4: (380, 0.1), 16: (900, 0.2), 64: (450, 2.0)})

    assert (of.low, of.high) == (4, 16)
    assert of.sentence.endswith(
        "beyond 16 throughput falls by 50 % while TTFT p95 grows 10 times: 4 to 16 is the range."
    )


def test_a_server_of_one_slot_gains_nothing_from_a_second_stream():
    of = found({1: (100, 0.1), 2: (101, 0.2), 4: (100, 0.4)})

    assert (of.low, of.high, of.knee) == (1, 1, 1)
    assert of.sentence == (
        "From 1 in flight on a further stream adds less than half of what one alone brings; beyond 1 throughput grows "
        "by less than 5 % while TTFT p95 grows 4 times: 1 is the level to use."
    )


def test_the_share_is_of_the_lowest_level_where_no_stream_was_alone():
    assert "at least half of what each brings at 4" in found({4: (400, 1), 8: (700, 1), 16: (720, 1)}).sentence


def test_two_levels_show_no_range():
    of = found({1: (100, 0.1), 16: (400, 0.4)})

    assert (of.low, of.high, of.knee) == (None, None, None)
    assert of.sentence == (
        "From 1 to 16 in flight throughput grows 4 times, so each stream gets 25 % of what each got at 1: two levels "
        "show no range, measure some between."
    )


@pytest.mark.parametrize(
    ("more", "told"),
    [(92, "throughput falls by 8 %,"), (97, "throughput stays about the same,"), (107, "throughput grows by 7 %,")],
)
def test_only_what_is_no_change_is_said_to_stay(more, told):
    assert told in found({1: (100, 0.1), 4: (more, 0.4)}).sentence


def test_one_level_shows_no_range_and_none_is_no_answer():
    assert found({4: (100, 0.1)}).sentence == "One level (4 in flight) shows no range: measure more of them."
    assert found({}) is None
    assert found({4: (0, None)}) is None


def test_latencies_that_are_not_known_are_not_spoken_of():
    of = found({1: (100, None), 8: (600, 0.1), 16: (610, None), 32: (600, None)})

    assert of.knee is None
    assert of.sentence.endswith("beyond 8 throughput grows by less than 5 %: 8 is the level to use.")


@pytest.mark.parametrize("seed", range(20))
def test_noise_of_two_percent_moves_no_end_of_the_range(seed):
    rng = random.Random(seed)
    noisy = {
        value: (tokens * rng.uniform(0.98, 1.02), wait)
        for value, (tokens, wait) in {
            1: (100, 0.1),
            4: (380, 0.1),
            16: (1100, 0.2),
            32: (1105, 0.4),
            64: (1100, 0.8),
        }.items()
    }

    of = found(noisy)
    assert (of.low, of.high) == (16, 16)


def paced(points):
    """Rate -> (tokens/s, seconds, pace)."""
    levels = [Level(value=rate, throughput=t, latency_s=w, pace=p) for rate, (t, w, p) in points.items()]
    return recommended(levels, variable="rate", latency="TTFT p95")


def test_rates_are_kept_pace_with_or_not():
    of = paced({0.5: (80, 0.1, 1.02), 2: (190, 0.1, 0.97), 4: (396, 0.2, 0.99), 8: (560, 2.0, 0.7)})

    assert (of.low, of.high, of.knee) == (0.5, 4, 4)
    assert [step.efficiency for step in of.steps] == [1.02, 0.97, 0.99, 0.7]
    assert of.sentence == (
        "Answers keep pace with what is offered up to 4 requests/s; at 8 they are 30 % behind while TTFT p95 grows 10 "
        "times: 4 requests/s is the most to plan with."
    )


def test_rates_that_are_all_kept_have_an_open_end():
    of = paced({1: (100, 0.1, 1.0), 2: (200, 0.1, 0.96)})

    assert of.high is None
    assert of.sentence == (
        "Answers keep pace with what is offered up to 2 requests/s, the highest measured: the end lies beyond."
    )


def test_a_rate_that_is_too_much_from_the_start_is_told():
    of = paced({8: (100, 0.1, 0.6), 16: (100, 0.1, 0.3)})

    assert (of.low, of.high) == (None, None)
    assert of.sentence == "Already at 8 requests/s answers are 40 % behind what was offered: measure lower rates."


def test_rates_of_which_no_pace_is_known_have_no_answer():
    assert paced({8: (100, 0.1, None)}) is None
