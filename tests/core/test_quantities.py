"""Numbers as people read them."""

import pytest

from core.quantities import in_percent, number, percent, seconds, seconds_alike, span


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"), (0, "0"), (1927.4, "1,927"), (262.3, "262"), (15.14, "15.1"), (5.184, "5.18"), (5, "5"),
        (9.996, "10"), (9.0000001, "9"),
        (10.02, "10"), (99.96, "100"), (0.4, "0.4"), (0.042, "0.042"), (0.0423, "0.0423"), (0.5678, "0.568"),
        (0.9996, "1"), (0.00012, "0.00012"), (-0.0042, "−0.0042"), (-25.3, "−25.3"), (-25, "−25"), (-0.0, "0"),
        (1.5, "1.50"), (0.000012, "1.2e-05"),
    ],
)  # fmt: skip
def test_numbers_have_three_digits(value, text):
    assert number(value) == text


@pytest.mark.parametrize(("value", "text"), [(None, "–"), (0.1483, "148 ms"), (9.99, "9,990 ms"), (12.34, "12.3 s")])
def test_times_are_milliseconds_below_ten_seconds(value, text):
    assert seconds(value) == text


def test_times_of_one_sentence_share_the_unit_of_the_longest():
    assert seconds_alike(0.34, 9.9, None) == ("340 ms", "9,900 ms", "–")
    assert seconds_alike(0.34, 12.34, None) == ("0.34 s", "12.3 s", "–")


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, "–"), (0, "0 %"), (1, "100 %"), (0.9996, "99.9 %"), (0.993, "99.3 %"), (0.06, "6 %"),
        (0.0125, "1.2 %"), (0.061, "6 %"), (0.02, "2 %"), (0.01, "1 %"), (0.42, "42 %"), (-0.25, "−25 %"),
    ],
)  # fmt: skip
def test_shares_are_never_rounded_up_to_all(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"), [(5, "5.00"), (9.999, "10.0"), (0.9999, "1.00"), (-25, "−25.0"), (0, "0"), (262.1, "262")]
)
def test_in_a_column_the_digits_of_a_number_are_fixed(value, text):
    assert number(value, fixed=True) == text


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [(0.9999, 1, "99.9 %"), (1.0, 1, "100.0 %"), (0.625, 0, "62 %"), (0.9999, 0, "99 %"), (None, 1, "–")],
)
def test_a_share_with_so_many_decimals_is_never_rounded_up_to_all(share, digits, text):
    assert percent(share, digits=digits) == text


@pytest.mark.parametrize(
    ("length_s", "text"),
    [
        (None, "–"), (0.2, "1 s"), (40, "40 s"), (89.4, "89 s"), (100, "2 min"), (1020, "17 min"), (3600, "60 min"),
        (7200, "2 h"), (9000, "2.5 h"),
    ],
)  # fmt: skip
def test_a_span_is_said_as_people_do(length_s, text):
    assert span(length_s) == text


def test_an_axis_in_percent_gets_a_number():
    assert in_percent(0.25) == 25
    assert in_percent(None) is None
