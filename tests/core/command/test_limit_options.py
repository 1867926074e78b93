"""The options of limits and stop rules become values, or one sentence."""

import pytest

from core.command.arguments import experiment, parser
from core.plan import Limits, PlanError
from core.restraint import Restraint

TARGET = ["run", "--base-url", "127.0.0.1:8000", "--model", "m"]


def plan(*words):
    (found,) = experiment(parser().parse_args([*TARGET, *words])).plans
    return found


def test_without_options_nothing_is_held_back_and_the_usual_limits_hold():
    assert plan().load.restraint == Restraint()
    assert plan().limits == Limits()


@pytest.mark.parametrize("level", [("--concurrency", "4"), ("--rate", "2"), ("--stages", "3s@2")])
def test_limits_a_minute_hold_for_every_kind_of_load(level):
    found = plan(*level, "--rpm", "60", "--tpm", "9000", "--keep-under-limits", "--wait-as-asked")

    assert found.load.restraint == Restraint(
        requests_per_minute=60, tokens_per_minute=9000, as_told=True, wait_as_asked=True
    )


def test_stop_rules_by_tokens_and_by_failures():
    found = plan("--max-output-tokens", "5000", "--max-failures", "25%")

    assert (found.limits.max_output_tokens, found.limits.error_share) == (5000, 0.25)


@pytest.mark.parametrize("words", [("--rpm", "0"), ("--tpm", "-5"), ("--max-output-tokens", "0")])
def test_a_limit_that_allows_nothing_is_refused(words):
    with pytest.raises(PlanError, match="give a whole number from 1"):
        plan(*words)
