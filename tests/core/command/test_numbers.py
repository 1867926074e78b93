"""Numbers after options are read or refused in one sentence."""

import argparse

import pytest

from core.command.numbers import amount_per_cent, positive


@pytest.mark.parametrize(("text", "share"), [("50", 0.5), ("12.5%", 0.125), (" 100 ", 1.0)])
def test_a_percentage_is_a_share(text, share):
    assert amount_per_cent(text) == share


@pytest.mark.parametrize("text", ["0", "-1", "101", "half", "nan", ""])
def test_what_is_no_percentage_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="no percentage"):
        amount_per_cent(text)


@pytest.mark.parametrize("text", ["0", "-1", "inf", "nan", "x", ""])
def test_what_is_not_above_zero_is_none(text):
    assert positive(text) is None
