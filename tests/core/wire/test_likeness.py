"""Cutting a text out of a chunk gives what parsing it gives, or is not done at all."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.wire.likeness import Likeness
from core.wire.openai import StreamDecoder


def chunk(text: str, **more) -> dict:
    return {
        "id": "c1",
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"content": text}, **more}],
    }


def learned(found: dict) -> tuple[Likeness, bytes]:
    likeness, payload = Likeness(), orjson.dumps(found)
    likeness.learn(payload, found)
    return likeness, payload


def test_a_chunk_that_differs_in_its_text_alone_is_cut():
    likeness, _ = learned(chunk(" the", finish_reason=None))

    assert likeness.text(orjson.dumps(chunk(" model", finish_reason=None))) == " model"
    assert likeness.text(orjson.dumps(chunk("naïve 日本", finish_reason=None))) == "naïve 日本"


@pytest.mark.parametrize(
    "payload",
    [
        orjson.dumps(chunk("a", finish_reason="stop")),
        orjson.dumps(chunk('say "hi"', finish_reason=None)),
        orjson.dumps(chunk("back\\slash", finish_reason=None)),
        orjson.dumps(chunk("line\n", finish_reason=None)),
        orjson.dumps(chunk("", finish_reason=None)),
        orjson.dumps(chunk("a", finish_reason=None) | {"usage": {"completion_tokens": 1}}),
        orjson.dumps(chunk("a", finish_reason=None)).replace(b'"a"', b'"a\x01"'),
        orjson.dumps(chunk("a", finish_reason=None)).replace(b'"a"', b'"\xff"'),
        orjson.dumps(chunk("a", finish_reason=None))[:-3],
        b"[DONE]",
        b"",
    ],
)
def test_anything_else_is_left_to_the_parser(payload):
    likeness, _ = learned(chunk(" the", finish_reason=None))

    assert likeness.text(payload) is None


@pytest.mark.parametrize(
    "found",
    [
        chunk("x", finish_reason="stop"),
        chunk("x") | {"usage": {"completion_tokens": 1}},
        chunk("x") | {"timings": {}},
        chunk("x") | {"error": None},
        {"choices": [{"index": 0, "delta": {"content": "x", "role": "assistant"}}]},
        {"choices": [{"index": 1, "delta": {"content": "x"}}]},
        {"choices": [{"delta": {"content": "x"}}, {"delta": {"content": "y"}}]},
        {"id": "x", "choices": [{"delta": {"content": "x"}}]},
    ],
)
def test_nothing_is_learned_from_a_chunk_that_says_more_or_says_it_twice(found):
    likeness, payload = learned(found)

    assert likeness.text(payload) is None


def test_a_text_that_stands_elsewhere_in_other_letters_is_not_mistaken():
    # The content is an escaped "x"; the plain one is somebody else's.
    payload = b'{"meta":"x","choices":[{"delta":{"content":"\\u0078"}}]}'
    likeness = Likeness()
    likeness.learn(payload, orjson.loads(payload))

    assert likeness.text(payload) is None


def test_a_key_that_comes_twice_is_not_mistaken():
    payload = b'{"choices":[{"delta":{"content":"x"}}],"choices":[{"delta":{"content":"\\u0078"}}]}'
    likeness = Likeness()
    likeness.learn(payload, orjson.loads(payload))

    assert likeness.text(payload.replace(b'"x"', b'"y"')) is None


def test_completions_text_is_cut_too():
    found = {"choices": [{"index": 0, "text": " a", "logprobs": None, "finish_reason": None}]}
    likeness, _ = learned(found)
    found["choices"][0]["text"] = " b"

    assert likeness.text(orjson.dumps(found)) == " b"


texts = st.text(max_size=8)
chunks = st.one_of(
    st.builds(chunk, texts),
    st.builds(chunk, texts, finish_reason=st.sampled_from([None, "stop", ""])),
    st.builds(lambda text, n: chunk(text) | {"usage": {"completion_tokens": n}}, texts, st.integers(0, 9)),
    st.builds(lambda text: {"choices": [{"index": 0, "delta": {"content": text, "role": "assistant"}}]}, texts),
    st.builds(lambda text: {"choices": [{"index": 0, "text": text}]}, texts),
    st.just({"choices": []}),
    st.just({"error": {"message": "no"}}),
)


@given(st.lists(st.tuples(chunks, st.booleans()), max_size=12))
def test_a_stream_means_the_same_with_and_without_it(found):
    def decoded(tries: int):
        decoder = StreamDecoder(status=200, content_type="text/event-stream")
        decoder._likeness.tries = tries
        decoder.feed(0, b": hello\n\n")
        for at_us, (one, ascii_only) in enumerate(found):
            payload = orjson.dumps(one)
            if ascii_only:
                payload = payload.decode().encode("ascii", "backslashreplace") if payload.isascii() else payload
            decoder.feed(at_us, b"data: " + payload + b"\n\n")
        decoder.feed(99, b"data: [DONE]\n\n")
        return decoder.finish(complete=True)

    assert decoded(tries=10**6) == decoded(tries=0)
