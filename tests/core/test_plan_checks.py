"""The kinds and sizes of a plan's values, each with the last that is taken and the first that is refused."""

import json

import orjson
import pytest

from core.base_url import PlanError
from core.plan_checks import MOST_DEPTH, above_zero, flag, is_deeper, json_object, number, whole


def nested(depth):
    body = {}
    for _ in range(depth - 1):
        body = {"a": body}
    return body


def test_what_is_within_its_bounds_is_taken():
    whole("Requests", 1, 1, 3)
    whole("Requests", 3, 1, 3)
    number("Seconds", 0.1, 0.1, 5)
    number("Seconds", 5, 0.1, 5)
    above_zero("idle_s", 1e-9, 5)
    flag("stream", False)


@pytest.mark.parametrize(
    ("check", "values", "sentence"),
    [
        (whole, (2.5, 1, 3000), "Name is 2.5: give a whole number from 1 to 3,000."),
        (whole, (True, 0, 3), "Name is True: give a whole number from 0 to 3."),
        (whole, ("3", 0, 3), "Name is '3': give a whole number from 0 to 3."),
        (number, ("hot", 0, 3), "Name is 'hot': give a number from 0 to 3."),
        (number, (float("nan"), 0.1, 3), "Name is nan: give a number from 0.1 to 3."),
        (above_zero, (0, 1800), "Name is 0: give a number above 0 and at most 1,800."),
        (flag, ("no",), "Name is 'no': give true or false."),
        (json_object, ([],), 'Name is not a JSON object: write it as {"key": value}.'),
        (json_object, ({"a": [10**30]},), f"Name cannot be sent as JSON: it has the value {10**30}."),
        (json_object, ({"a": {"b": float("nan")}},), "Name cannot be sent as JSON: it has the value nan."),
        (json_object, ({"a": {1}},), "Name cannot be sent as JSON: it has the value {1}."),
        (json_object, ({7: 1},), "Name cannot be sent as JSON: its key 7 is not text."),
        (json_object, ({None: 1},), "Name cannot be sent as JSON: its key None is not text."),
        (json_object, ({"a": "\ud800"},), "Name cannot be sent as JSON: it has a text with half a character."),
        (json_object, (nested(MOST_DEPTH + 1),), "Name cannot be sent as JSON: it is nested more than 48 deep."),
    ],
)
def test_what_is_not_is_refused_with_one_sentence(check, values, sentence):
    with pytest.raises(PlanError) as caught:
        check("Name", *values)

    assert str(caught.value) == sentence


def test_a_value_of_any_length_is_told_in_short():
    with pytest.raises(PlanError) as caught:
        number("Temperature", "x" * 1_000_000, 0, 2)

    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("inside", [[], {}, [1, "a"], {"a": [2]}])
def test_depth_is_counted_through_lists_and_objects_alike(inside):
    deep = inside
    for place in range(10):
        deep = [0, deep, None] if place % 2 else {"a": 1, "b": deep}
    levels = 10 + (2 if inside == {"a": [2]} else 1)

    assert is_deeper(deep, levels - 1)
    assert not is_deeper(deep, levels)
    assert not is_deeper("text", 0)


@pytest.mark.parametrize(
    "body", [{}, {"a": None, "b": [True, 1.5, "ä"], "c": {"d": []}}, {"n": [2**64 - 1, -(2**63)]}, nested(MOST_DEPTH)]
)
def test_a_body_that_is_taken_can_be_sent_and_read_back(body):
    json_object("Extra body", body)

    assert orjson.loads(orjson.dumps(body)) == body == json.loads(json.dumps(body))
