"""What leaves the machine has no secrets in it."""

import pytest

from core import redaction


@pytest.mark.parametrize(
    "name",
    ["Authorization", "X-Api-Key", "api_key", "X-Auth-Token", "Cookie", "Ocp-Apim-Subscription-Key", "My-Secret"],
)
def test_headers_that_smell_of_a_secret_lose_their_value(name):
    assert redaction.headers([(name, "abc123")]) == [(name, "…")]


def test_other_headers_keep_theirs():
    assert redaction.headers([("X-Team", "blue"), ("X-Keyboard", "de")]) == [("X-Team", "blue"), ("X-Keyboard", "de")]


def test_a_body_loses_secrets_at_any_depth_and_keeps_max_tokens():
    body = {"max_tokens": 5, "stop_token_ids": [1], "extra": [{"api_key": "abc", "password": 3}], "user": "me"}

    assert redaction.body(body) == {
        "max_tokens": 5,
        "stop_token_ids": [1],
        "extra": [{"api_key": "…", "password": "…"}],
        "user": "me",
    }


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Incorrect API key provided: sk-abcdef1234567890.", "Incorrect API key provided: sk-…."),
        ("bad header 'Bearer abc.def-ghi'", "bad header 'Bearer …'"),
        ("the model is overloaded", "the model is overloaded"),
        ("task-oriented models ask-me", "task-oriented models ask-me"),
    ],
)
def test_a_server_that_quotes_the_key_is_not_quoted(said, shown):
    assert redaction.text(said) == shown
