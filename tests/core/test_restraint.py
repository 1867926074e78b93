"""What holds a load back, in values and in words."""

import pytest

from core.base_url import PlanError
from core.restraint import Restraint


def test_by_default_nothing_is_held_back():
    assert Restraint().words == ""


def test_it_is_told_in_words():
    assert Restraint(requests_per_minute=1500, tokens_per_minute=30_000, wait_as_asked=True).words == (
        "at most 1,500 requests/min, at most 30,000 tokens/min, waits as asked"
    )
    assert Restraint(as_told=True).words == "under the limits that the endpoint tells"


@pytest.mark.parametrize(
    "wrong",
    [
        {"requests_per_minute": 0},
        {"tokens_per_minute": -1},
        {"requests_per_minute": 2.5},
        {"as_told": "no"},
        {"wait_as_asked": 1},
    ],
)
def test_nonsense_is_refused(wrong):
    with pytest.raises(PlanError):
        Restraint(**wrong)
