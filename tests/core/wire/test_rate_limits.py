"""Limits in the headers of answers: each family of names, and what is none."""

from datetime import UTC, datetime

import pytest

from core.wire.rate_limits import per_minute, reset_s, told_limits

AT = datetime(2025, 8, 21, 12, 41, 0, tzinfo=UTC)


def openai(limit, left, reset, what="requests"):
    return {
        f"x-ratelimit-limit-{what}": limit,
        f"x-ratelimit-remaining-{what}": left,
        f"x-ratelimit-reset-{what}": reset,
    }


def test_openai_names_tell_limits_what_is_left_and_when_it_is_whole_again():
    assert told_limits(openai("5000", "4999", "12ms") | openai("160000", "159976", "9ms", "tokens")) == {
        "requests_per_minute": 5000, "requests_remaining": 4999, "requests_reset_s": pytest.approx(0.012),
        "tokens_per_minute": 160_000, "tokens_remaining": 159_976, "tokens_reset_s": pytest.approx(0.009),
    }  # fmt: skip


def test_requests_counted_by_the_day_under_the_same_names_are_no_limit_a_minute():
    told = told_limits(openai("14400", "14370", "2m59.56s") | openai("18000", "17997", "7.66s", "tokens"))

    assert told["requests_per_day"] == 14_400
    assert per_minute(told) == (None, 18_000)
    assert "requests_per_day" in told_limits(openai("14400", "14399", "6s"))


@pytest.mark.parametrize("reset", ["30s", "60", "0", "1s"])
def test_a_minute_that_ends_at_a_fixed_moment_is_a_minute(reset):
    assert told_limits(openai("1000", "999", reset))["requests_per_minute"] == 1000


def test_anthropic_names_are_understood_with_dates_as_resets():
    told = told_limits(
        {
            "anthropic-ratelimit-requests-limit": "1000", "anthropic-ratelimit-requests-remaining": "999",
            "anthropic-ratelimit-requests-reset": "2025-08-21T12:41:30Z",
            "anthropic-ratelimit-input-tokens-limit": "80000", "anthropic-ratelimit-output-tokens-limit": "16000",
        },
        AT,
    )  # fmt: skip

    assert told["requests_reset_s"] == 30.0
    assert per_minute(told) == (1000, 96_000)


def test_names_that_say_their_window_are_believed():
    told = told_limits({"x-ratelimit-limit-requests-day": "100", "x-ratelimit-limit-tokens-minute": "60000"})

    assert told == {"requests_per_day": 100, "tokens_per_minute": 60_000}


@pytest.mark.parametrize("limit", ["-1", "0", "", "many", "1e3", "9" * 40, "²", "1.5"])
def test_what_is_no_limit_tells_nothing(limit):
    assert told_limits(openai(limit, "-1", "0", "tokens")) == {}


def test_other_headers_tell_nothing():
    assert told_limits({"retry-after": "3", "x-ratelimit-limit": "5", "x-ratelimit-limit-images": "5"}) == {}
    assert per_minute({}) == (None, None)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("6m0s", 360), ("1h2m3.5s", 3723.5), ("120ms", 0.12), ("59", 59), ("1d", 86_400), ("0.5", 0.5), ("2m", 120)],
)
def test_spans_are_read(text, seconds):
    assert reset_s(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "soon", "-1", "nan", "inf", "2025-08-21T12:41:30Z", "9" * 400, "s", "1x"])
def test_what_is_no_span_is_none(text):
    assert reset_s(text) is None
