"""Counting how late tokens were: by arithmetic alone."""

from core.servers.lateness import STEP_NS, Lateness

MS = 1_000_000


def told(*late_ns):
    lateness = Lateness()
    for one in late_ns:
        lateness.take(one)
    return lateness.told()


def test_p99_is_what_99_of_100_tokens_kept_to_a_tenth_of_a_millisecond():
    found = told(*[MS] * 99, 50 * MS)

    assert found == {"tokens": 100, "late_p99_s": 0.0011, "late_max_s": 0.05}


def test_one_more_late_token_moves_p99():
    assert told(*[MS] * 98, 50 * MS, 50 * MS)["late_p99_s"] == 0.05


def test_p99_is_never_above_the_most():
    assert told(10) == {"tokens": 1, "late_p99_s": 10 / 1e9, "late_max_s": 10 / 1e9}


def test_above_a_second_only_the_most_is_known():
    assert told(3000 * MS, 5000 * MS)["late_p99_s"] == 5.0


def test_a_token_that_is_hardly_late_counts_as_one_step():
    assert told(*[0] * 99, 2 * STEP_NS)["late_p99_s"] == STEP_NS / 1e9


def test_telling_begins_anew():
    lateness = Lateness()
    lateness.take(MS)
    lateness.told()

    assert lateness.told() == {"tokens": 0, "late_p99_s": None, "late_max_s": None}
