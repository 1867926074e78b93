"""Error bodies of every shape: the server's own sentence, the kind of failure, and what a preflight may change."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.records import FailureKind
from core.wire.errors import clean, http_failure, parameter_change, parameter_change_in, says_error


def failure(status, found, **more):
    """The failure behind a JSON body."""
    return http_failure(status, "application/json", json.dumps(found).encode(), **more)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ({"error": {"message": "no luck", "type": "x", "code": None}}, "no luck"),
        ({"error": "no luck"}, "no luck"),
        ({"error": {"error": {"message": "no luck"}}}, "no luck"),
        ({"object": "error", "message": "no luck"}, "no luck"),
        ({"message": "no luck"}, "no luck"),
        ({"Message": "no luck"}, "no luck"),
        ({"msg": "no luck", "code": 3}, "no luck"),
        ({"error_code": 3, "error_msg": "no luck"}, "no luck"),
        ({"detail": "no luck"}, "no luck"),
        ({"detail": {"message": "no luck"}}, "no luck"),
        ({"errors": [{"message": "no luck"}, {"message": "nor hope"}]}, "no luck; nor hope"),
        ([{"error": {"message": "no luck"}}], "no luck"),
        ("no luck", "no luck"),
        ({"error": "invalid_token", "error_description": "The token expired"}, "invalid_token: The token expired"),
        ({"status": 404, "error": "Not Found", "message": "no such path"}, "Not Found: no such path"),
        ({"type": "about:blank", "title": "Bad", "detail": "no luck"}, "no luck: Bad"),
        ({"detail": [{"loc": ["body", "n"], "msg": "too big", "input": 9}]}, "body.n: too big"),
        ({"error": {"message": "Provider failed", "metadata": {"raw": "no luck"}}}, "Provider failed: no luck"),
        ({"error": {"message": "a\nb\t\u202ec\x00"}}, "a b c"),
    ],
)
def test_the_servers_own_sentence_is_found_in_any_shape(found, sentence):
    assert failure(418, found).message == sentence


@pytest.mark.parametrize(
    ("status", "content_type", "body", "message"),
    [
        (
            502,
            "text/html",
            b"<html><head><style>b{}</style></head><h1>502 Bad Gateway</h1>nginx",
            "502 Bad Gateway nginx",
        ),
        (503, "text/html", b"<h1>Please wait</h1>", "503 Service Unavailable: Please wait"),
        (500, "text/plain", b"", "The server answered 500 Internal Server Error and nothing else."),
        (599, "", b"", "The server answered 599 and nothing else."),
        (500, "text/plain", b"Internal Server Error", "500 Internal Server Error"),
        (500, "application/json", b'{"error": {"mess', '500 Internal Server Error: {"error": {"mess'),
        (500, "application/json", b'{"code": 7}', '500 Internal Server Error: {"code": 7}'),
        (500, "", b"\xff\xfe\x00oops", "500 Internal Server Error: \ufffd\ufffd oops"),
        (301, "", b"", "The server answered 301 Moved Permanently and nothing else."),
    ],
)
def test_other_bodies_are_told_with_their_status(status, content_type, body, message):
    assert http_failure(status, content_type, body).message == message


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, "http_401"), (403, "http_403"), (404, "http_404"), (429, "http_429"), (400, "http_4xx"),
        (307, "http_4xx"), (422, "http_4xx"), (500, "http_5xx"), (503, "http_5xx"), (529, "http_5xx"),
    ],
)  # fmt: skip
def test_the_status_gives_the_kind(status, kind):
    found = failure(status, {"error": "no luck"})

    assert (found.kind, found.status) == (kind, status)


@pytest.mark.parametrize(
    ("status", "found"),
    [
        (400, {"error": {"message": "This model's maximum context length is 2048 tokens."}}),
        (400, {"error": {"message": "request too big", "type": "exceed_context_size_error"}}),
        (400, {"error": {"message": "Too big.", "code": "context_length_exceeded"}}),
        (400, {"message": "The input (5000 tokens) is longer than the model's context length (4096 tokens)."}),
        (422, {"error": "Input validation error: `inputs` must have less than 1024 tokens. Given: 1456"}),
        (413, {"detail": "prompt is too long"}),
        (500, {"error": "the prompt exceeds the context window"}),
    ],
)
def test_an_overflow_of_the_context_is_known_by_the_engines_words(status, found):
    assert failure(status, found).kind is FailureKind.CONTEXT_OVERFLOW


@pytest.mark.parametrize(
    ("status", "found"),
    [
        (429, {"error": "Rate limit: prompt is too long for this minute"}),
        (401, {"error": "context length"}),
        (404, {"error": "model with context length 9 does not exist"}),
        (400, {"error": "max_tokens too large"}),
        (503, {"error": "Model is overloaded"}),
    ],
)
def test_other_refusals_are_no_overflow(status, found):
    assert failure(status, found).kind not in {FailureKind.CONTEXT_OVERFLOW, FailureKind.OUT_OF_MEMORY}


@pytest.mark.parametrize(
    "message",
    [
        "CUDA out of memory. Tried to allocate 2.00 GiB.", "torch.OutOfMemoryError", "cudaMalloc failed: out of memory",
        "ggml: failed to allocate buffer", "std::bad_alloc", "显存不足",
    ],
)  # fmt: skip
def test_a_lack_of_memory_is_known_by_the_engines_words(message):
    assert failure(500, {"error": {"message": message}}).kind is FailureKind.OUT_OF_MEMORY
    assert failure(429, {"error": {"message": message}}).kind is FailureKind.HTTP_429


def test_a_wait_is_kept_with_its_refusal_whether_told_in_seconds_or_as_a_date():
    at = datetime(2026, 10, 21, 7, 28, tzinfo=UTC)
    until = "Wed, 21 Oct 2026 07:28:30 GMT"

    assert failure(429, {"error": "wait"}, retry_after="2").retry_after_s == 2.0
    assert failure(503, {"error": "wait"}, retry_after=until, answered_at=at).retry_after_s == 30.0
    assert failure(503, {"error": "wait"}, retry_after=until).retry_after_s is None


def test_a_long_sentence_is_shortened():
    found = failure(400, {"error": {"message": "x" * 10_000}})

    assert len(found.message) == 500
    assert found.message.endswith("x…")


def test_a_huge_body_is_shortened_too():
    assert len(http_failure(500, "application/json", b'{"error": "' + b"y" * 3_000_000).message) == 500


@pytest.mark.parametrize("depth", [300, 5_000])
@pytest.mark.parametrize("around", [b'{"error":%b}', b'{"detail":%b}', b"%b"])
def test_deep_nesting_is_a_value_and_no_exception(depth, around):
    found = http_failure(400, "application/json", around % (b'{"error":[' * depth + b"1" + b"]}" * depth))

    assert found.kind is FailureKind.HTTP_4XX
    assert found.message.startswith("400 Bad Request: ")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "message", "detail", "msg", "loc", "type", "code", "errors", "metadata", "raw"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(
    status=st.integers(100, 599),
    content_type=st.sampled_from(["application/json", "text/html", ""]) | st.text(max_size=5),
    body=values.map(lambda found: json.dumps(found).encode()) | st.binary(max_size=80),
    retry_after=st.none() | st.text(max_size=5),
)
@settings(deadline=None, max_examples=300)
def test_any_body_gives_one_printable_sentence(status, content_type, body, retry_after):
    found = http_failure(status, content_type, body, retry_after)

    assert found.message.isprintable()
    assert 0 < len(found.message) <= 500
    assert found.kind in FailureKind
    assert parameter_change(status, body) is None or status in {400, 404, 422, 500, 501}


@given(st.text(max_size=2000))
def test_a_clean_sentence_stays_as_it_is(text):
    once = clean(text)

    assert clean(once) == once


# -- what a preflight may change --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "found", "change"),
    [
        (422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"],
                           "msg": "Extra inputs are not permitted"}]}, "drop stream_options"),
        (400, {"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this model. "
                                    "Use 'max_completion_tokens' instead."}}, "use max_completion_tokens"),
        (400, {"error": {"message": "Unrecognized argument supplied: max_completion_tokens"}}, "use max_tokens"),
        (400, {"error": {"message": "'max_completion_tokens' is not supported. Use 'max_tokens' instead."}},
         "use max_tokens"),
        (400, {"error": {"message": "'max_tokens' is incompatible with this model, use max_completion_tokens"}},
         "use max_completion_tokens"),
        (400, {"error": {"message": "max_completion_tokens is too large: 99999"}}, None),
        (422, {"detail": "Unexpected fields in the request: {'ignore_eos'}"}, "drop ignore_eos"),
        (500, {"error": "generate() got an unexpected keyword argument 'ignore_eos'"}, "drop ignore_eos"),
        (400, {"error": {"message": "Unsupported value: 'temperature' does not support 0 with this model."}},
         "drop temperature"),
        (400, {"message": "max_tokens too large"}, None),
        (400, {"error": "max_tokens must be at least 1, got -3"}, None),
        (400, {"error": "temperature must be at least 0"}, None),
        (429, {"error": "stream_options is not supported"}, None),
        (401, {"error": "invalid key; stream_options"}, None),
    ],
)  # fmt: skip
def test_a_refusal_may_ask_for_one_change(status, found, change):
    assert parameter_change(status, json.dumps(found).encode()) == change


def test_a_refusal_that_is_no_json_may_ask_too():
    assert parameter_change(400, b"unknown field `stream_options`, expected one of `model`") == "drop stream_options"
    assert parameter_change_in("Unknown parameter: ignore_eos") == "drop ignore_eos"
    assert parameter_change(500, b"") is None


# -- errors inside a 200 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "found",
    [{"error": {}}, {"error": 5, "choices": []}, {"object": "error"}, {"errors": ["x"]}, {"msg": "x", "code": 1}],
)
def test_an_object_that_is_an_error(found):
    assert says_error(found)


@pytest.mark.parametrize(
    "found",
    [{}, {"choices": []}, {"usage": None, "code": 1, "message": "x"}, {"error": None}, {"error": False},
     {"error": {}, "choices": [1]}, {"message": "ping"}, {"type": "ping"}, {"detail": "", "id": 3}],
)  # fmt: skip
def test_an_object_that_is_none(found):
    assert not says_error(found)


ASKED = "http://h:8000/v1/chat/completions"


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("https://llm.example.com/v1/chat/completions", "https://llm.example.com/v1"),
        ("https://llm.example.com/v1/completions?state=secret#x", "https://llm.example.com/v1"),
        ("https://me:secret@llm.example.com/", "https://llm.example.com"),
        ("/v2/chat/completions/", "http://h:8000/v2"),
        ("//other/v1/chat/completions", "http://other/v1"),
        ("https://h:8000/v1/chat/completions", "https://h:8000/v1"),
    ],
)
def test_a_redirect_says_where_it_leads(location, shown):
    failure = http_failure(307, "text/html", b"<html>Temporary Redirect</html>", location=location, asked=ASKED)

    assert failure.message == f"The server redirects to {shown}: use that address as base URL."
    assert (failure.kind, failure.status) == (FailureKind.HTTP_4XX, 307)


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        (ASKED, "http://h:8000/v1"),
        (ASKED + "/?again=1", "http://h:8000/v1"),
        ("/v1/chat/completions", "http://h:8000/v1"),
        ("http://h:8000/", "http://h:8000"),
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("http://[::1/ok", "http://[::1/ok"),
        ("http://[", "http://["),
        ("http://h:99999999/v1", "http://h:99999999/v1"),
        ("http://h/\x1b[31m\u202e" + "x" * 9000, "http://h/ [31m " + "x" * 285),
        ("http://h/" + "x" * 9000, "http://h/" + "x" * 291),
    ],
)
def test_a_redirect_to_no_other_base_url_is_none_to_follow(location, shown):
    failure = http_failure(307, "", b"", location=location, asked=ASKED)

    assert failure.message.startswith(f"The server redirects to {shown}, which is no other base URL")
    assert (failure.kind, failure.status) == (FailureKind.HTTP_4XX, 307)


@pytest.mark.parametrize(("status", "location"), [(307, None), (307, ""), (307, "?a=b"), (400, "https://other/v1")])
def test_what_is_no_redirect_to_anywhere_is_told_as_ever(status, location):
    assert http_failure(status, "", b"gone", location=location) == http_failure(status, "", b"gone")
