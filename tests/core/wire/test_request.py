"""The body of a request: what is sent when, and that nothing is sent unasked."""

import json

import pytest

from core.wire import openai
from core.wire.request import path, request_body


def body(**more):
    """A small chat request."""
    asked = {"model": "m", "api": "chat", "prompt": "hi", "output_tokens": 5, "stream": True, **more}
    return json.loads(request_body(**asked))


def test_a_streamed_chat_request_asks_for_usage():
    assert body() == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": 5,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_a_completion_has_a_prompt():
    sent = body(api="completions")

    assert sent["prompt"] == "hi"
    assert "messages" not in sent


@pytest.mark.parametrize("more", [{"stream": False}, {"stream_options": False}])
def test_usage_is_not_asked_for_where_it_cannot_be(more):
    assert "stream_options" not in body(**more)


def test_what_is_not_asked_for_is_not_sent():
    assert not {"temperature", "ignore_eos", "cache_prompt", "seed"} & set(body())


def test_what_is_asked_for_is_sent():
    sent = body(temperature=0.0, ignore_eos=True, token_parameter="max_completion_tokens", extra_body={"min_p": 0.1})

    assert (sent["temperature"], sent["ignore_eos"], sent["max_completion_tokens"], sent["min_p"]) == (
        0.0,
        True,
        5,
        0.1,
    )
    assert "max_tokens" not in sent


def test_the_extra_body_has_the_last_word():
    assert body(temperature=0.0, extra_body={"temperature": 1.0})["temperature"] == 1.0


def test_separators_are_the_shortest():
    sent = request_body(model="m", api="chat", prompt="大模型", output_tokens=5, stream=True, extra_body={})

    assert b'"stream":true' in sent
    assert "大模型".encode() in sent


def test_each_api_has_its_path():
    assert (path("chat"), path("completions")) == ("/chat/completions", "/completions")
    assert (openai.path, openai.request_body) == (path, request_body)
