"""Loads that do not compare, and answers that shrink under load: each with runs almost the same that do not show it."""

from dataclasses import replace

from core.load import Load
from core.run import Run
from tests.core.example_runs import answered
from tests.core.test_mismatches import kinds, one, told


def at_rate(run: Run, rate: float) -> Run:
    """The same run in open loop."""
    return replace(run, plan=replace(run.plan, load=Load(concurrency=None, rate=rate)))


def answers(*lengths: int):
    """One answer of each length, in tokens."""
    return [answered(index, sent=index, gaps=(0.01,) * (n - 1), asked=100) for index, n in enumerate(lengths)]


LONG, SHORT = answers(*[100, 99, 98, 97] * 4), answers(*[60, 59, 58, 57] * 4)


def test_a_closed_loop_beside_an_open_one_is_told():
    (found,) = told(one("a", concurrency=4), at_rate(one("b"), 4.0))

    assert (found.kind, found.level) == ("different_load", "act")
    assert found.what == "Different kinds of load: requests in flight (a), requests/s (b)."
    assert kinds(at_rate(one("a"), 4.0), at_rate(one("b"), 4.0)) == []


def test_two_kinds_of_load_of_all_configurations_are_only_noted():
    both = [made for label in "ab" for made in (one(label, concurrency=4), at_rate(one(label), 4.0))]

    (found,) = told(*both)
    assert (found.kind, found.level) == ("different_load", "note")


def test_rates_that_not_all_have_are_told_as_rates():
    (found,) = told(at_rate(one("a"), 0.5), at_rate(one("b"), 2.5))

    assert (found.kind, found.level) == ("different_rates", "act")
    assert found.what == "Not measured at the same loads, requests/s: a: 0.5; b: 2.5."


def test_answers_of_different_length_are_told_at_the_level_in_its_own_words():
    (found,) = told(at_rate(one("a", LONG), 2.5), at_rate(one("b", SHORT), 2.5))

    assert found.kind == "different_answers"
    assert "(b) at 2.5 requests/s" in found.what


def test_answers_that_get_shorter_under_load_are_told_with_the_levels():
    (found,) = told(one("a", LONG, concurrency=1), one("a", SHORT, concurrency=16))

    assert (found.kind, found.level) == ("shorter_under_load", "act")
    assert found.what == (
        "Answers get shorter under load, tokens on average: a: 98.5 at 1 in flight, 58.5 at 16 in flight."
    )
    (at_rates,) = told(at_rate(one("a", LONG), 0.5), at_rate(one("a", SHORT), 8.0))
    assert "98.5 at 0.5 requests/s, 58.5 at 8 requests/s" in at_rates.what


def test_answers_that_get_longer_or_hardly_shorter_or_by_chance_are_not():
    wild = answers(*[100, 2] * 4)
    for busy in (LONG, answers(*[96, 95, 94, 93] * 4), answers(*[80, 2] * 4), SHORT[:3]):
        calm = wild if len(busy) == 8 else LONG
        assert kinds(one("a", calm, concurrency=1), one("a", busy, concurrency=16)) == []
    assert kinds(one("a", SHORT, concurrency=1), one("a", LONG, concurrency=16)) == []


def test_a_closed_loop_is_not_held_against_an_open_one_for_the_length_of_its_answers():
    assert kinds(one("a", LONG, concurrency=1), at_rate(one("a", SHORT), 16.0)) == ["different_load"]
