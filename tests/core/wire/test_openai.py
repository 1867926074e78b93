"""The decoder against the truth rules, against every dialect of an error, and against a hostile server."""

import gc
import json
import tracemalloc
from array import array
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.records import FailureKind, ServerTimes, TokenSource
from core.wire import body as body_module
from core.wire import openai, sse
from core.wire.openai import StreamDecoder

DONE = b"data: [DONE]\n\n"
SSE = "text/event-stream; charset=utf-8"


def event(found):
    """One event as engines send it."""
    return b"data: " + json.dumps(found).encode() + b"\n\n"


def chunk(delta=None, finish=None, **more):
    """One chat chunk."""
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}
    return event({"object": "chat.completion.chunk", "model": "m", "choices": [choice], **more})


def text(content, finish=None, **more):
    """A chunk of answer text."""
    return chunk({"content": content}, finish, **more)


def decode(*reads, status=200, content_type=SSE, complete=True, **more):
    """The answer when read k arrives k milliseconds after the request."""
    decoder = StreamDecoder(status=status, content_type=content_type, **more)
    for number, data in enumerate(reads):
        decoder.feed(number * 1000, data)
    return decoder.finish(complete=complete)


def kind(answer):
    """Why it failed, None if it did not."""
    return answer.failure.kind if answer.failure else None


# -- times and counts -------------------------------------------------------------------------------------------------


def test_chunks_have_the_time_of_their_read():
    found = decode(chunk({"role": "assistant", "content": ""}), text("a"), text("b") + text("c", "stop"), DONE)

    assert found.chunk_us == array("i", [1000, 2000, 2000])
    assert (found.first_answer_us, found.last_token_us) == (1000, 2000)
    assert (found.first_token_event, found.first_content_event, found.last_token_event) == (1, 1, 3)
    assert (found.output_chunks, found.data_events, found.text) == (3, 5, "abc")


def test_an_event_that_only_the_end_completes_came_with_its_read():
    found = decode(text("a"), text("b", "stop").rstrip())

    assert found.chunk_us == array("i", [0, 1000])
    assert found.last_token_us == 1000


def test_a_time_beyond_a_c_int_is_held_at_its_end():
    decoder = StreamDecoder(status=200, content_type=SSE)
    decoder.feed(2**40, text("a", "stop"))

    assert decoder.finish(complete=True).chunk_us[0] == 2**31 - 1


def test_an_empty_delta_is_not_the_first_token():
    found = decode(chunk({"role": "assistant"}), chunk({"content": None}), chunk(), text("x", "stop"))

    assert (found.first_token_event, found.output_chunks) == (3, 1)


def test_thinking_and_tool_calls_are_tokens_but_no_answer_text():
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}
    found = decode(chunk({"reasoning": "hm"}), chunk({"tool_calls": [call]}), text("x", "stop"))

    assert (found.first_token_event, found.first_content_event, found.output_chunks) == (0, 2, 3)
    assert (found.reasoning_text, found.text) == ("hm", "x")
    assert found.tool_calls == [{"name": "f", "arguments": ""}]


def test_the_last_usage_counts_and_null_says_nothing():
    usage = {"prompt_tokens": 7, "completion_tokens": 1}
    found = decode(
        text("a", usage=usage), text("b", usage={**usage, "completion_tokens": 2}), chunk(finish="stop", usage=None)
    )

    assert (found.input_tokens, found.output_tokens, found.token_source) == (7, 2, TokenSource.USAGE)
    assert found.first_counted_event == 0


def test_a_usage_chunk_at_the_end_is_no_running_count():
    found = decode(text("a"), chunk(finish="stop"), event({"choices": [], "usage": {"completion_tokens": 2}}))

    assert (found.output_tokens, found.first_counted_event) == (2, None)


def test_without_usage_the_count_is_unknown_and_never_the_number_of_chunks():
    found = decode(text("a"), text("b", "stop"), DONE)

    assert (found.output_tokens, found.token_source, found.usage_place) == (None, TokenSource.NONE, None)


def test_usage_wins_over_x_groq():
    groq = {"usage": {"completion_tokens": 5, "prompt_time": 0.25, "completion_time": 0.5}}
    found = decode(text("a", "stop", x_groq=groq, usage={"completion_tokens": 6}))
    alone = decode(text("a", "stop", x_groq=groq))

    assert (found.output_tokens, found.usage_place) == (6, "usage")
    assert (alone.output_tokens, alone.usage_place) == (5, "x_groq")
    assert alone.server == ServerTimes(prefill_s=0.25, decode_s=0.5)


def test_usage_inside_the_last_choice_is_usage():
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": {"completion_tokens": 4}}]}

    assert decode(text("a"), event(last)).output_tokens == 4


def test_timings_are_the_servers_own_times():
    timings = {"prompt_ms": 40.0, "predicted_ms": 30.5, "cache_n": 3}
    found = decode(text("a", "stop", timings=timings))

    assert found.server == ServerTimes(prefill_s=0.04, decode_s=0.0305)
    assert found.cached_tokens == 3


def test_several_choices_are_told_one_after_the_other():
    both = {"choices": [{"index": 0, "delta": {"content": "a"}}, {"index": 1, "delta": {"content": "x"}}]}
    second = {"choices": [{"index": 1, "delta": {"content": "y"}, "finish_reason": "stop"}]}
    found = decode(event(both), text("b"), event(second), DONE)

    assert (found.text, found.output_chunks, found.finish_reason) == ("abxy", 3, "stop")


def test_a_long_answer_is_joined_whole():
    pieces = [f"w{number} " for number in range(5000)]
    found = decode(*map(text, pieces), chunk(finish="stop"))

    assert found.text == "".join(pieces)
    assert found.output_chunks == 5000


A_CALL = {"index": 0, "function": {"name": "f", "arguments": "x"}}
ONE_OF_EACH = (
    chunk({"reasoning": "hm"}), text("a"), chunk({"tool_calls": [A_CALL]}),
    event({"choices": [{"index": 1, "delta": {"content": "b"}}]}), chunk(finish="stop", usage={"completion_tokens": 9}),
)  # fmt: skip


def test_without_its_texts_an_answer_is_the_same():
    kept, bare = decode(*ONE_OF_EACH, DONE), decode(*ONE_OF_EACH, DONE, keep_text=False)

    assert (bare.text, bare.reasoning_text, bare.tool_calls) == ("", "", [{"name": "f", "arguments": ""}])
    assert (kept.text, kept.reasoning_text, kept.tool_calls) == ("ab", "hm", [{"name": "f", "arguments": "x"}])
    assert replace(kept, text="", reasoning_text="", tool_calls=bare.tool_calls) == bare
    assert bare.failure is None


def test_without_its_texts_an_empty_answer_is_still_empty_and_a_body_still_read():
    body = json.dumps({"choices": [{"message": {"content": "hello"}}], "usage": {"completion_tokens": 2}}).encode()
    found = decode(body, content_type="application/json", keep_text=False)

    assert kind(decode(chunk(finish="stop"), DONE, keep_text=False)) is FailureKind.EMPTY
    assert (found.failure, found.text, found.output_tokens) == (None, "", 2)


@pytest.mark.parametrize("channel", ["content", "reasoning"])
def test_a_text_without_end_is_cut_and_says_so(channel):
    found = decode(*[chunk({channel: "x" * 100_000})] * 45, chunk(finish="stop"))

    kept = found.text or found.reasoning_text
    assert len(kept) == 4_000_001
    assert kept.endswith("x…")
    assert (found.output_chunks, found.failure) == (45, None)


def test_many_choices_are_kept_within_bounds():
    found = decode(*(event({"choices": [{"index": index, "delta": {"content": "x"}}]}) for index in range(1000)), DONE)

    assert (found.text, found.output_chunks) == ("x" * 129, 1000)


def test_nothing_grows_with_the_length_of_a_text_that_nobody_wants():
    read = text("x" * 10_000)
    decoder = StreamDecoder(status=200, content_type=SSE, keep_text=False)
    tracemalloc.start()
    for _ in range(500):
        decoder.feed(1, read)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(decoder.chunk_us) == 500
    assert peak < 500_000


# -- how it ended -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [DONE, chunk(finish="stop"), b"data: [DONE]", b"data:[DONE]\r\n\r\n"])
@pytest.mark.parametrize("complete", [True, False])
def test_done_or_a_finish_reason_makes_a_stream_whole(end, complete):
    assert decode(text("a"), end, complete=complete).failure is None


@pytest.mark.parametrize("reads", [[text("a")], [text("a", "")], [text("a"), b'data: {"id'], [b""], [], [b": hm\n\n"]])
@pytest.mark.parametrize("complete", [True, False])
def test_neither_is_truncated(reads, complete):
    assert kind(decode(*reads, complete=complete)) is FailureKind.TRUNCATED


def test_an_event_that_the_end_cuts_off_is_none():
    found = decode(text("a"), chunk(finish="stop"), b'data: {"usage": {"completion_tokens": 2}')

    assert (kind(found), found.data_events, found.output_tokens) == (None, 2, None)


def test_no_output_is_empty():
    found = decode(chunk({"role": "assistant"}), chunk(finish="stop"), DONE)

    assert (kind(found), found.first_token_event, found.chunk_us) == (FailureKind.EMPTY, None, array("i"))


def test_an_event_that_is_no_json_is_malformed_and_the_rest_is_still_read():
    found = decode(text("a"), b"data: <oops\x00>\n\n", text("b", "stop"), DONE)

    assert (kind(found), found.text, found.data_events) == (FailureKind.MALFORMED, "ab", 4)
    assert found.failure.message == "An event is no JSON: <oops >"


ERRORS = {
    "object": event({"error": {"message": "no luck", "code": 500}}),
    "string": event({"error": "no luck"}),
    "flat object": event({"object": "error", "message": "no luck", "code": 400}),
    "flat named": b"event: error\n" + event({"message": "no luck"}),
    "named text": b"event: error\ndata: no luck\n\n",
    "named and cut": b"event: error\ndata: no luck",
    "beside empty choices": event({"choices": [], "error": {"message": "no luck"}}),
    "beside output": text("c", error={"message": "no luck"}),
    "in a choice": event({"choices": [{"delta": {}, "finish_reason": "error", "error": {"message": "no luck"}}]}),
    "beside usage": event({"usage": {"completion_tokens": 1}, "error": {"message": "no luck"}}),
    "of Groq": chunk(x_groq={"error": "no luck"}),
    "detail": event({"detail": "no luck"}),
    "code and message": event({"code": 1301, "message": "no luck"}),
    "code and msg": event({"code": 1301, "msg": "no luck"}),
    "error_msg": event({"error_code": 17, "error_msg": "no luck"}),
    "nested": event({"error": {"error": {"message": "no luck"}}}),
}


@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
@pytest.mark.parametrize("after", [b"", DONE, text("b", "stop") + DONE, b"data: {no json}\n\n"])
def test_an_error_inside_a_200_always_wins(error, after):
    found = decode(text("a"), error, *([after] if not error.endswith(b"luck") else []))

    assert kind(found) is FailureKind.STREAM_ERROR
    assert found.failure.message == found.error_message == "no luck"
    assert found.failure.status == 200
    assert found.text.startswith("a")


@pytest.mark.parametrize("nothing", [None, "", False, {}, []])
def test_an_error_field_that_says_nothing_is_no_error(nothing):
    assert decode(text("a", "stop", error=nothing)).failure is None


def test_finish_reason_error_alone_is_an_error():
    found = decode(text("a"), chunk(finish="error"), DONE)

    assert (kind(found), found.finish_reason, found.error_message) == (FailureKind.STREAM_ERROR, "error", None)


def test_an_error_without_a_sentence_is_still_an_error():
    found = decode(text("a"), event({"error": {"code": 5}}), DONE)

    assert kind(found) is FailureKind.STREAM_ERROR
    assert '"code":5' in found.failure.message


# -- bodies that are no stream ----------------------------------------------------------------------------------------

COMPLETION = {
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
}


@pytest.mark.parametrize("content_type", ["application/json", SSE, "", "text/plain", "application/octet-stream"])
@pytest.mark.parametrize("before", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
def test_one_json_body_is_an_answer_that_was_not_streamed(content_type, before):
    raw = before + json.dumps(COMPLETION).encode()
    if before == b"\xef\xbb\xbf":
        raw = raw.removeprefix(before)
    found = decode(raw[:9], raw[9:], content_type=content_type)

    assert found.failure is None
    assert (found.text, found.input_tokens, found.output_tokens) == ("hi", 3, 2)
    assert (found.streamed, found.chunk_us, found.first_token_event) == (False, array("i"), None)
    assert (found.first_answer_us, found.last_token_us) == (None, 1000)


def test_a_stream_with_the_type_of_json_is_a_stream():
    found = decode(text("a", "stop"), content_type="application/json")

    assert (found.failure, found.streamed, found.text) == (None, True, "a")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", FailureKind.TRUNCATED),
        (b" \n", FailureKind.TRUNCATED),
        (b'{"choices": [', FailureKind.TRUNCATED),
        (b'{"choices": []}}', FailureKind.MALFORMED),
        (b'{"choices" ', FailureKind.TRUNCATED),
        (b'{"status": "ok"}', FailureKind.MALFORMED),
        (b"[1]", FailureKind.MALFORMED),
        (b"42", FailureKind.MALFORMED),
        (b'{"choices": []}', FailureKind.EMPTY),
        (b'{"choices": [{"message": {"content": ""}}]}', FailureKind.EMPTY),
        (b'{"error": {"message": "no luck"}}', FailureKind.STREAM_ERROR),
        (b'{"error": "no luck"}', FailureKind.STREAM_ERROR),
        (b'{"detail": "no luck"}', FailureKind.STREAM_ERROR),
        (b'{"choices": [{"message": {"content": "x"}}], "error": "no luck"}', FailureKind.STREAM_ERROR),
        (b'{"choices": [{"message": {"content": "x"}, "finish_reason": "error"}]}', FailureKind.STREAM_ERROR),
    ],
)
def test_a_json_body_that_is_no_good_answer_is_a_failure(body, expected):
    assert kind(decode(body, content_type="application/json")) is expected


def test_a_json_body_that_the_connection_cut_is_truncated():
    assert (
        kind(decode(b'{"choices": [] oops', content_type="application/json", complete=False)) is FailureKind.TRUNCATED
    )


def test_a_page_for_people_is_no_answer():
    found = decode(b"<html><body>Please sign in</body></html>", content_type="text/html")

    assert kind(found) is FailureKind.MALFORMED
    assert "Please sign in" in found.failure.message


def test_other_statuses_have_the_servers_sentence():
    decoder = StreamDecoder(status=429, content_type="application/json", retry_after="3")
    for part in (b'{"error": {"mess', b'age": "slow down"}}'):
        decoder.feed(5, part)
    found = decoder.finish(complete=True)

    assert (kind(found), found.failure.message) == (FailureKind.HTTP_429, "slow down")
    assert (found.failure.status, found.failure.retry_after_s) == (429, 3.0)


# -- a hostile server -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"42", b"null", b"[]", b'"text"', b"true", b"{}", b"[[1]]", b"1.5e3"])
def test_an_event_that_is_no_object_brings_nothing(data):
    found = decode(text("a"), b"data: " + data + b"\n\n", text("b", "stop"))

    assert (found.failure, found.text, found.data_events, found.output_chunks) == (None, "ab", 3, 2)


@pytest.mark.parametrize("count", [-1, 1.5, 10**12, 10**40, "12", True, [], {}, 1e308])
def test_a_count_that_can_be_none_is_unknown(count):
    usage = dict.fromkeys(("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens"), count)
    found = decode(text("a", "stop", usage={**usage, "prompt_tokens_details": count}))

    assert (found.input_tokens, found.output_tokens, found.cached_tokens) == (None, None, None)
    assert (found.reasoning_tokens, found.token_source) == (None, TokenSource.NONE)


def test_a_whole_float_is_a_count():
    assert decode(text("a", "stop", usage={"completion_tokens": 3.0})).output_tokens == 3


@pytest.mark.parametrize("depth", [500, 1100, 200_000])
@pytest.mark.parametrize("place", ["error", "content", "usage", "choices", "arguments"])
def test_deep_nesting_is_a_value_and_no_exception(depth, place):
    deep = b"[" * depth + b"]" * depth
    objects = {
        "error": b'{"error": %b}',
        "content": b'{"choices": [{"delta": {"content": %b}}]}',
        "usage": b'{"usage": %b}',
        "choices": b'{"choices": %b}',
        "arguments": b'{"choices": [{"delta": {"tool_calls": [{"function": {"arguments": {"a": %b}}}]}}]}',
    }
    found = decode(text("a"), b"data: " + objects[place] % deep + b"\n\n", text("b", "stop"))

    assert found.text == "ab"
    assert kind(found) in {None, FailureKind.MALFORMED, FailureKind.STREAM_ERROR}


def test_halves_of_a_character_in_two_events_become_one():
    found = decode(b'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n', text("\ude80", "stop"))

    assert (found.failure, found.text) == (None, "🚀")


def test_a_lone_half_is_replaced_so_that_the_text_can_be_stored():
    found = decode(b'data: {"choices":[{"delta":{"content":"a\\ud83d"},"finish_reason":"stop"}]}\n\n')

    assert (found.failure, found.text) == (None, "a\ufffd")


def test_bytes_that_are_no_utf8_are_replaced_as_in_every_event_stream():
    found = decode(b'data: {"choices":[{"delta":{"content":"a\xff"},"finish_reason":"stop"}]}\n\n')

    assert (found.failure, found.text) == (None, "a\ufffd")


@pytest.mark.parametrize("constant", [b"NaN", b"Infinity", b"-Infinity"])
def test_not_a_number_is_no_json(constant):
    assert kind(decode(b'data: {"choices":[],"x":%b}\n\n' % constant, DONE)) is FailureKind.MALFORMED


def test_an_event_above_the_limit_is_malformed_and_the_rest_is_read(monkeypatch):
    monkeypatch.setattr(sse, "MAX_EVENT", 2000)
    monkeypatch.setattr(sse, "MAX_LINE", 2016)
    found = decode(text("a"), *[b"data: " + b"{" * 1500, b"{" * 1500, b"\n\n"], text("b", "stop"))

    assert (kind(found), found.text) == (FailureKind.MALFORMED, "ab")
    assert "16 MB" in found.failure.message


def test_one_line_without_end_is_an_answer_of_bounded_size():
    decoder = StreamDecoder(status=200, content_type=SSE)
    for _ in range(20):
        decoder.feed(0, b"data: " + b"x" * 1_000_000)
    found = decoder.finish(complete=False)

    assert kind(found) is FailureKind.MALFORMED
    assert len(found.failure.message) < 600


def test_a_json_body_above_the_limit_is_malformed(monkeypatch):
    monkeypatch.setattr(openai, "MAX_BODY", 100)
    found = decode(json.dumps(COMPLETION).encode(), content_type="application/json")

    assert body_module.MAX_BODY == 16 * 1024 * 1024
    assert (kind(found), found.text) == (FailureKind.MALFORMED, "")


def test_a_finished_decoder_leaves_no_cycle_behind():
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            decode(chunk({"reasoning": "hm"}), text("a"), b"data: x\n\n", ERRORS["object"], text("b", "stop"), DONE)
            decode(json.dumps(COMPLETION).encode(), content_type="application/json")
            decode(b"no", status=500)
        assert gc.collect() == 0
    finally:
        gc.enable()


FIELDS = [
    "choices", "delta", "message", "content", "text", "reasoning", "reasoning_content", "tool_calls", "function",
    "function_call", "name", "arguments", "index", "finish_reason", "usage", "prompt_tokens", "completion_tokens",
    "prompt_tokens_details", "cached_tokens", "completion_tokens_details", "reasoning_tokens", "x_groq", "timings",
    "prompt_ms", "predicted_ms", "cache_n", "error", "object", "model", "detail", "code", "type", "msg", "loc",
    "refusal", "metadata", "raw", "thinking",
]  # fmt: skip
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.just("error")
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=12,
)
deltas = st.dictionaries(st.sampled_from(FIELDS), values, max_size=4)
choices = st.lists(
    st.fixed_dictionaries({}, optional={"delta": deltas | values, **dict.fromkeys(FIELDS[4:14], values)})
)
objects = st.fixed_dictionaries({}, optional={"choices": choices | values, **dict.fromkeys(FIELDS[14:], values)})
payloads = (
    (objects | values).map(lambda found: json.dumps(found).encode())
    | st.sampled_from(
        [b"[DONE]", b"", b" ", b"{not json}", b'"\\ud83d"', b"\xff", b'{"choices":[{"delta":{"content":"y"}}]}']
    )
    | st.binary(max_size=20)
)
names = st.sampled_from([b"", b"", b"", b": hm\n", b"event: error\n", b"event: x\n", b"id: 3\n"])
events = st.tuples(names, payloads).map(lambda pair: pair[0] + b"data: " + pair[1] + b"\n\n")
streams = st.lists(events | events.map(lambda data: data.replace(b"\n", b"\r\n")), max_size=8).map(b"".join)
bodies = streams | (objects | values).map(lambda found: json.dumps(found).encode()) | st.binary(max_size=60)
types = st.sampled_from([SSE, "application/json", "text/html", "", "\x00"])


@given(
    body=bodies,
    content_type=types,
    cuts=st.lists(st.integers(1, 2000), max_size=12),
    status=st.sampled_from([200, 500]),
)
@settings(deadline=None, max_examples=250)
def test_whatever_comes_is_a_value_and_the_same_for_any_cut(body, content_type, cuts, status):
    def answer(reads):
        decoder = StreamDecoder(status=status, content_type=content_type)
        for data in reads:
            decoder.feed(7, data)
        return decoder.finish(complete=True)

    edges = sorted({0, len(body), *(cut for cut in cuts if cut < len(body))})
    whole = answer([body])

    assert answer([body[a:b] for a, b in pairwise(edges)]) == whole
    assert answer([body[at : at + 1] for at in range(len(body))]) == whole
    assert answer(body.splitlines(keepends=True)) == whole
    whole.text.encode()
    whole.reasoning_text.encode()
    if whole.failure is not None:
        assert len(whole.failure.message) <= 600
        assert whole.failure.message.isprintable()
