"""What the simulator reads out of a model name and a body, and what it answers."""

import json

import pytest

from core.servers import pace
from core.servers.pace import Asked, Pace


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gt-ttft50000-itl10000", Pace(ttft_us=50_000, itl_us=10_000)),
        ("gt-ttft0-itl0", Pace(ttft_us=0, itl_us=0)),
        ("gt-ttft10-itl71-burst4", Pace(ttft_us=10, itl_us=71, burst=4)),
        ("gt-ttft1000-grow500-serial", Pace(ttft_us=1000, grow_us=500, serial=True)),
        ("gt-early", Pace(early=True)),
        ("llama-3-70b", Pace(ttft_us=50_000, itl_us=10_000)),
        ("burst0", Pace(burst=1)),
        ("", Pace()),
    ],
)
def test_a_model_name_sets_the_pace(model, expected):
    assert Pace.of(model) == expected


def test_the_newer_length_parameter_wins():
    assert Asked.of({"max_tokens": 5, "max_completion_tokens": 7}).tokens == 7


@pytest.mark.parametrize("length", [None, 0, -1, "9", [], 1.5])
def test_a_length_that_is_none_falls_back_to_128(length):
    assert Asked.of({"max_tokens": length}).tokens == 128


def test_a_word_of_the_prompt_is_a_token():
    messages = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": "a b"}]},
    ]

    assert Asked.of({"messages": messages}).prompt_tokens == 4
    assert Asked.of({"prompt": ["a b", "c"]}).prompt_tokens == 3


@pytest.mark.parametrize("body", [[], None, "text", 3])
def test_a_body_that_is_no_object_is_refused(body):
    with pytest.raises(ValueError, match="not a JSON object"):
        Asked.of(body)


@pytest.mark.parametrize("chat", [True, False])
def test_the_tail_ends_the_stream_and_counts_only_if_asked(chat):
    silent = Asked.of({"model": "m", "max_tokens": 3, "stream": True})
    counting = Asked.of({"model": "m", "max_tokens": 3, "stream": True, "stream_options": {"include_usage": True}})

    without, with_usage = (payloads(pace.tail(asked, chat=chat)) for asked in (silent, counting))

    assert without[-1] == with_usage[-1] == "[DONE]"
    assert json.loads(without[0])["choices"][0]["finish_reason"] == "length"
    assert len(without) == 2
    assert json.loads(with_usage[1])["usage"]["completion_tokens"] == 3


def test_a_whole_answer_has_as_many_words_as_asked():
    head, _, body = pace.whole(Asked.of({"model": "m", "max_tokens": 25}), chat=True).partition(b"\r\n\r\n")

    answer = json.loads(body)

    assert b"content-length: %d" % len(body) in head
    assert len(answer["choices"][0]["message"]["content"].split()) == 25
    assert answer["usage"]["completion_tokens"] == 25


def payloads(framed):
    """The data of each event, with the HTTP chunk framing checked and removed."""
    found = []
    while framed:
        size, _, rest = framed.partition(b"\r\n")
        part, framed = rest[: int(size, 16)], rest[int(size, 16) + 2 :]
        if part:
            assert part.startswith(b"data: ")
            assert part.endswith(b"\n\n")
            found.append(part[6:-2].decode())
    return found
