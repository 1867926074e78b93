"""A wait that an answer asks for, in seconds or as a date of any of HTTP's three forms."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.wire.retry_after import MAX_RETRY_AFTER_S, http_date, wait_s

AT = datetime(2026, 10, 21, 7, 28, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("2", 2.0), (" 2 ", 2.0), ("0.5", 0.5), ("0", 0.0), (None, None), ("", None), ("-1", None), ("nan", None),
     ("inf", None), ("soon", None), ("1e300", MAX_RETRY_AFTER_S)],
)  # fmt: skip
def test_seconds_are_taken_as_they_are_and_nonsense_says_nothing(said, seconds):
    assert wait_s(said, AT) == seconds
    assert wait_s(said, None) == seconds


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("Wed, 21 Oct 2026 07:28:30 GMT", 30.0),
        ("Wednesday, 21-Oct-26 07:28:30 GMT", 30.0),
        ("Wed Oct 21 07:28:30 2026", 30.0),
        ("wed, 21 oct 2026 07:28:30 gmt", 30.0),
        ("Wed, 21 Oct 2026 07:27:00 GMT", 0.0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", MAX_RETRY_AFTER_S),
    ],
)
def test_a_date_counts_from_when_the_answer_was_made_between_nothing_and_thirty_days(said, seconds):
    assert wait_s(said, AT) == seconds


def test_without_a_now_a_date_says_nothing():
    assert wait_s("Wed, 21 Oct 2026 07:28:30 GMT", None) is None


@pytest.mark.parametrize(
    "said",
    [
        "", None, "Wed, 31 Feb 2026 07:28:00 GMT", "Wed, 21 Oct 2026 25:28:00 GMT", "Wed, 21 Okt 2026 07:28:00 GMT",
        "Wed, 21 Oct 2026 07:28:00 CET", "2026-10-21T07:28:00Z", "Wed, 21 Oct 0000 07:28:00 GMT", "x" * 5000,
        "Wed, ٢١ Oct 2026 07:28:00 GMT",
    ],
)  # fmt: skip
def test_what_is_no_date_of_http_is_none(said):
    assert http_date(said) is None


def test_a_leap_second_is_a_date():
    assert http_date("Thu, 31 Dec 2026 23:59:60 GMT") == datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)


@given(ahead=st.integers(0, 86_400 * 20))
def test_any_date_as_servers_write_them_is_read_to_the_second(ahead):
    until = AT + timedelta(seconds=ahead)

    assert wait_s(until.strftime("%a, %d %b %Y %H:%M:%S GMT"), AT) == ahead


@given(said=st.text(max_size=80))
def test_whatever_was_said_is_a_wait_in_bounds_or_nothing(said):
    found = wait_s(said, AT)

    assert found is None or 0 <= found <= MAX_RETRY_AFTER_S
