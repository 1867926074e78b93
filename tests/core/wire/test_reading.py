"""What objects add up to, without any event around them."""

import pytest

from core.wire.reading import ANSWER, NOTHING, OUTPUT, Reading


def take(*found):
    """What each object brought, and the reading."""
    reading = Reading()
    return [reading.take(one, index) for index, one in enumerate(found)], reading


def choice(delta, **more):
    """An object with one choice."""
    return {"choices": [{"index": 0, "delta": delta, **more}]}


@pytest.mark.parametrize(
    ("delta", "brought"),
    [
        ({}, NOTHING), ({"role": "assistant", "content": ""}, NOTHING), ({"content": None}, NOTHING),
        ({"content": "a"}, ANSWER), ({"role": "assistant", "content": "a"}, ANSWER), ({"refusal": "no"}, ANSWER),
        ({"reasoning": "a"}, OUTPUT), ({"content": "", "reasoning_content": "a"}, OUTPUT),
        ({"content": "a", "reasoning_content": "b"}, ANSWER), ({"content": [{"type": "text", "text": "a"}]}, ANSWER),
        ({"tool_calls": [{"index": 0, "function": {"name": "a"}}]}, OUTPUT),
        ({"tool_calls": [{"index": 0, "function": {"name": "a"}}], "content": "b"}, ANSWER),
        ({"content": 5}, NOTHING), ({"content": {"text": "a"}}, NOTHING),
    ],
)  # fmt: skip
def test_a_delta_brings_answer_text_or_other_output_or_nothing(delta, brought):
    assert take(choice(delta))[0] == [brought]


def test_legacy_text_is_answer_text():
    assert take({"choices": [{"text": "a"}]}, {"choices": [{"text": ""}]}, {"choices": [{"text": None}]})[0] == [
        ANSWER,
        NOTHING,
        NOTHING,
    ]


@pytest.mark.parametrize("choices", [None, 5, {}, {"0": {}}, "x", [], [5], [[]], [None]])
def test_choices_of_another_type_bring_nothing(choices):
    assert take({"choices": choices})[0] == [NOTHING]


@pytest.mark.parametrize(
    ("reasons", "last"), [((None, "stop", None), "stop"), (("", ""), None), (("length", ""), "length"), ((5, {}), None)]
)
def test_the_last_finish_reason_that_says_something_counts(reasons, last):
    assert take(*(choice({}, finish_reason=reason) for reason in reasons))[1].finish_reason == last


def test_the_first_model_name_is_kept():
    reading = take({"model": ""}, {"model": 5}, {"model": "a\nb"}, {"model": "c"})[1]

    assert reading.model == "a b"


def test_the_first_error_is_kept():
    reading = take({"error": "first"}, {"error": "second"})[1]

    assert reading.error == "first"


def test_the_object_after_which_the_output_was_counted_is_known():
    usage = [{"completion_tokens": 0}, {"completion_tokens": 3}, {"completion_tokens": 6}]

    assert take(*({"usage": one} for one in usage))[1].counted_at == 1
