"""The line under the table: of one run, or of the one where a tutorial's script is furthest from the truth."""

from dataclasses import replace

from core.command.tutorial_line import tutorial_line
from core.course import Done
from core.summary import summarise
from tests.core.example_runs import answered, failed, run, steady


def done(requests, name="q4") -> Done:
    return Done(run=replace(run(requests), name=name), summary=summarise(requests))


def test_of_one_run_it_is_what_its_page_says():
    one = done(steady(3))

    assert tutorial_line([one]) == one.summary.tutorial.sentence


def test_of_several_it_is_the_one_where_such_a_script_is_furthest_off_and_says_which():
    near, far = done([answered(first=0.1)], "near"), done([answered(first=2.0)], "far")

    assert tutorial_line([near, far]).startswith("far: A tutorial script would print")
    assert tutorial_line([far, near]).startswith("far: ")
    assert tutorial_line([near, done([failed(0)])]).startswith("near: ")


def test_where_nothing_was_answered_there_is_none():
    assert tutorial_line([done([failed(0)])]) is None
