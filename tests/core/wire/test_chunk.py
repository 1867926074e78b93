"""Fields of a completion object in the dialects that servers speak."""

import pytest

from core.wire.chunk import (
    MAX_CALL_NAME,
    MOST_CALLS,
    Counts,
    ToolCalls,
    content_texts,
    json_text,
    read_odd_json,
    server_times,
    thinking_text,
    token_count,
)
from core.wire.kept import Room


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 2}, (3, 2, None, None)),
        ({"completion_tokens_details": {"reasoning_tokens": 1}}, (None, None, 1, None)),
        ({"reasoning_tokens": 1}, (None, None, 1, None)),
        ({"prompt_tokens_details": {"cached_tokens": 0}}, (None, None, None, 0)),
        ({"prompt_cache_hit_tokens": 8}, (None, None, None, 8)),
        ({"cached_tokens": 8}, (None, None, None, 8)),
        ({"prompt_tokens_details": None, "completion_tokens_details": 7}, (None, None, None, None)),
        ([], (None, None, None, None)),
    ],
)
def test_usage_is_read_in_its_dialects(usage, counts):
    found = Counts()
    found.take(usage)

    assert (found.input, found.output, found.reasoning, found.cached) == counts


def test_running_totals_overwrite_and_null_does_not():
    found = Counts()
    for output in (1, 2, None, -5):
        found.take({"completion_tokens": output})

    assert found.output == 2


@pytest.mark.parametrize(
    ("found", "count"), [(0, 0), (3, 3), (3.0, 3), (3.5, None), (-1, None), (True, None), ("3", None), (10**10, None)]
)
def test_a_count_is_a_whole_number_that_can_be_one(found, count):
    assert token_count(found) == count


def calls(*deltas, choice=0):
    """The joined calls of these deltas."""
    tools = ToolCalls(Room())
    return [tools.take(choice, {"tool_calls": delta}) for delta in deltas], tools.joined()


def test_a_call_is_joined_by_its_index():
    brought, joined = calls(
        [{"index": 0, "function": {"name": "a", "arguments": ""}}, {"index": 1, "function": {"name": "b"}}],
        [{"index": 1, "function": {"arguments": "2"}}],
        [{"index": 0, "function": {"arguments": "1"}}],
        [{"index": 0, "id": "only"}],
    )

    assert brought == [True, True, True, False]
    assert joined == [{"name": "a", "arguments": "1"}, {"name": "b", "arguments": "2"}]


def test_without_an_index_a_name_begins_the_next_call():
    _, joined = calls(
        [{"function": {"name": "a", "arguments": "1"}}],
        [{"function": {"arguments": "2"}}],
        [{"function": {"name": "b", "arguments": {"c": 3}}}],
    )

    assert joined == [{"name": "a", "arguments": "12"}, {"name": "b", "arguments": '{"c":3}'}]


def test_a_name_that_is_repeated_is_told_once():
    _, joined = calls(*[[{"index": 0, "function": {"name": "a", "arguments": "x"}}]] * 3)

    assert joined == [{"name": "a", "arguments": "xxx"}]


def test_calls_are_kept_within_bounds_and_are_output_beyond_them():
    tools = ToolCalls(Room(10))
    for index in range(1000):
        assert tools.take(0, {"tool_calls": [{"index": index, "function": {"name": "n" * 1000, "arguments": "abc"}}]})
    for piece in range(1000):
        assert tools.take(0, {"tool_calls": [{"index": 0, "function": {"name": f"{piece} "}}]})

    joined = tools.joined()
    assert len(joined) == MOST_CALLS
    assert {len(call["name"]) for call in joined} == {MAX_CALL_NAME}
    assert [call["arguments"] for call in joined[:5]] == ["abc", "abc", "abc", "a…", "…"]


def test_the_old_function_call_is_a_call():
    tools = ToolCalls(Room())

    assert tools.take(0, {"function_call": {"name": "a", "arguments": "{}"}})
    assert tools.joined() == [{"name": "a", "arguments": "{}"}]


@pytest.mark.parametrize("found", [None, 5, "x", [5], [{}], [{"function": 5}], [{"function": {"name": 5}}]])
def test_what_is_no_call_brings_none(found):
    assert calls(found) == ([False], [])


def test_content_may_be_a_list_of_parts():
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "a"},
        {"type": "text", "text": 5},
        7,
    ]

    assert content_texts(parts) == ("a", "hm")
    assert content_texts("a") == ("a", "")
    assert content_texts(5) == ("", "")


def test_thinking_under_both_names_is_told_once():
    assert thinking_text({"reasoning": "hm", "reasoning_content": "hm"}) == "hm"
    assert thinking_text({"reasoning": "hm", "reasoning_content": None}) == "hm"
    assert thinking_text({"reasoning": {"text": "hm"}}) == ""


@pytest.mark.parametrize("found", [None, -1, True, "3", float("inf"), float("nan"), 1e12])
def test_a_time_that_can_be_none_is_unknown(found):
    assert server_times({"prompt_ms": found, "predicted_ms": found}, None) is None


def test_odd_json_is_read_and_no_json_refused():
    assert read_odd_json(b'"a\xff"') == "a\ufffd"
    for payload in (b"NaN", b"{", b"[" * 100_000, b"9" * 5000, b'"' + b"x" * 2_000_000 + b'"'):
        with pytest.raises(ValueError):  # noqa: PT011 -- any of them is a ValueError
            read_odd_json(payload)


def test_json_that_is_too_deep_to_be_written_is_no_text():
    deep = []
    for _ in range(5000):
        deep = [deep]

    assert json_text(deep) == ""
    assert json_text({"a": "é"}) == '{"a":"é"}'
