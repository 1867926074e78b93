"""Prompts of another length than asked for: told with what can be done."""

from core.doubts.evidence import evidence
from core.doubts.prompts import prompt_doubts
from core.run import Preflight
from tests.core.example_runs import run, steady


def told(*, preflight=None, **seen):
    return list(prompt_doubts(evidence(run(steady(50, **seen), preflight=preflight))))


def test_prompts_longer_than_asked_are_told_with_how_much():
    (found,) = told(input_tokens=110, requested_input_tokens=100)

    assert found.level == "act"
    assert "110 tokens on average by the server's count, 100 were asked for: 10.0 % apart" in found.what


def test_lengths_that_are_off_both_ways_do_not_make_up_for_each_other():
    records = [*steady(25, input_tokens=90, requested_input_tokens=100), *steady(25, input_tokens=110)]

    (found,) = prompt_doubts(evidence(run(records[:25] + steady(25, input_tokens=110, requested_input_tokens=100))))

    assert "10.0 % apart" in found.what


def test_a_length_below_the_template_names_the_template():
    (found,) = told(preflight=Preflight(template_tokens=31), input_tokens=38, requested_input_tokens=32)

    assert "more than 38 tokens: the template and the system prompt alone have 31" in found.do
    (other,) = told(preflight=Preflight(template_tokens=31), input_tokens=138, requested_input_tokens=128)
    assert "template" not in other.do


def test_what_is_not_counted_is_not_doubted():
    assert told(input_tokens=None, requested_input_tokens=100) == []
    assert told(input_tokens=100, requested_input_tokens=None) == []
