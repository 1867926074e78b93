"""Lines that people type."""

import pytest

from core.plan import PlanError
from pages.parts import fields


def test_pairs_are_read_from_lines_and_written_back():
    found = fields.pairs("X-Team: lab\n\nAccept = text: plain \n", "Headers")

    assert found == (("X-Team", "lab"), ("Accept", "text: plain"))
    assert fields.pairs(fields.lines(found), "Headers") == found


def test_an_empty_value_is_a_value():
    assert fields.pairs("X-Empty:", "Headers") == (("X-Empty", ""),)


@pytest.mark.parametrize("text", ["X-Team", "ok: 1\n: value"])
def test_a_line_without_name_and_colon_is_named(text):
    with pytest.raises(PlanError, match=r"Headers, line \d: write a name"):
        fields.pairs(text, "Headers")


def test_levels_come_from_both_places_once_and_ascending():
    assert fields.levels([16, 1], "3, 6 16;12") == (1, 3, 6, 12, 16)


def test_levels_and_rates_may_be_ranges_with_a_step():
    assert fields.levels([3], "1 .. 8 : x2; 12") == (1, 2, 3, 4, 8, 12)
    assert fields.rates("4 0.5..2:+0.5,") == (0.5, 1.0, 1.5, 2.0, 4.0)


@pytest.mark.parametrize("text", ["", "  ", "fast", "0", "-1", "1..8"])
def test_a_rate_that_is_none_is_refused_with_an_example(text):
    with pytest.raises(PlanError, match=r"such as|like 0\.5"):
        fields.rates(text)


def test_a_level_that_is_no_number_is_named():
    with pytest.raises(PlanError, match="Concurrency is 'x4'"):
        fields.levels([1], "x4")


def test_no_level_is_refused():
    with pytest.raises(PlanError, match="choose at least one level"):
        fields.levels([], " ")


@pytest.mark.parametrize("texts", [("\n\n", "END", "a\tb", "back\\nslash", " blanks "), ("\\", "\r"), ()])
def test_texts_with_signs_that_no_line_can_hold_come_back(texts):
    assert fields.escaped_texts(fields.escaped_lines(texts)) == texts


def test_empty_lines_are_no_texts():
    assert fields.escaped_texts("\nEND\r\n\n\\n\n") == ("END", "\n")
