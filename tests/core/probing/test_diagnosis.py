"""Every refusal of a server is a sentence with the next step."""

import pytest

from core.plan import Endpoint
from core.probe import CheckName, ProbeState
from core.probing.circumstances import Circumstances, Diagnosis
from core.probing.diagnosis import diagnose, proxy_hint
from core.records import Failure, FailureKind
from tests.core.answering_server import chat, models, paced, recording, reply, stream, tokens
from tests.core.probing.asking import CHAT, FASTLLM_MODELS, MODELS, probed, recorded

REFUSALS = {
    "another path": (
        {"GET /openai/v1/models": models("m")}, None,
        ProbeState.WRONG_ADDRESS, "has nothing at /v1/models", "/openai/v1: make that the base URL",
    ),
    "a redirect to itself": (
        {MODELS: reply(302, "", "Location: /v1/models")}, None,
        ProbeState.WRONG_ADDRESS, "/v1; that was not followed", "that is no other base URL",
    ),
    "a redirect to another address": (
        {MODELS: reply(302, "", "Location: https://me:secret@other.example/v2/models")}, None,
        ProbeState.WRONG_ADDRESS, "redirects to https://other.example/v2; that was", "make it the base URL",
    ),
    "a redirect to what is no web": (
        {MODELS: reply(302, "", "Location: file:///etc/passwd")}, None,
        ProbeState.WRONG_ADDRESS, "redirects to file:///etc/passwd; that was", "that is no other base URL",
    ),
    "no such path": ({}, None, ProbeState.WRONG_ADDRESS, "404: 127.0.0.1", "under /v1"),
    "a web page": (
        {MODELS: reply(200, "<html><head><title>Welcome to nginx!</title></head>")}, None,
        ProbeState.WRONG_ADDRESS, "A web page answers", "Check port and path",
    ),
    "other JSON": (
        {MODELS: reply(200, {"hello": "world"})}, None,
        ProbeState.WRONG_ADDRESS, "is no model list", "Check port and path",
    ),
    "an empty list": ({MODELS: models()}, None, ProbeState.WRONG_MODEL, "its list is empty", "Load a model"),
    "a wrong model": (
        {MODELS: recording("vllm-0.32_models"), CHAT: recording("vllm-0.32_wrong_model")}, "no-such-model",
        ProbeState.WRONG_MODEL, "no model named no-such-model", "Choose one that it lists: smollm2",
    ),
    "a wrong model of FastLLM": (
        {MODELS: FASTLLM_MODELS, CHAT: recording("fastllm-1.9_wrong_model")}, "no-such-model",
        ProbeState.WRONG_MODEL, "no model named no-such-model", "Choose one that it lists: smollm2",
    ),
    "a wrong model of transformers serve": (
        {MODELS: recording("transformers-serve_models"), CHAT: recording("transformers-serve_wrong_model")},
        "no-such-model",
        ProbeState.FAULTY, "500 Internal Server Error", "does not list no-such-model",
    ),
    "too many requests": (
        {MODELS: models("m"), CHAT: reply(429, {"error": {"message": "Rate limit reached"}}, "Retry-After: 20")}, None,
        ProbeState.BUSY, "429: the server allows no more requests", "in 20 s",
    ),
    "a spent account": (
        {MODELS: reply(429, {"error": {"message": "You exceeded your current quota, check your plan."}})}, None,
        ProbeState.KEY_REFUSED, "has no credit or quota left", "waiting does not help",
    ),
    "a quota that comes back": (
        {MODELS: reply(429, {"error": {"message": "You exceeded your current quota, please retry in 20 s."}})}, None,
        ProbeState.BUSY, "allows no more requests", "Wait and probe again",
    ),
    "a payment that is due": (
        {MODELS: reply(402, {"error": {"message": "Insufficient credits"}})}, None,
        ProbeState.KEY_REFUSED, "402: the account behind this key", "Top it up",
    ),
    "still loading": (
        {MODELS: reply(503, {"error": {"message": "Loading model", "code": 503}})}, None,
        ProbeState.BUSY, "is still loading", "Wait and probe again",
    ),
    "a gateway alone": (
        {MODELS: reply(502, "<html><h1>502 Bad Gateway</h1></html>")}, None,
        ProbeState.FAULTY, "a gateway answers, and the server behind it does not", "Start the server behind it",
    ),
    "an error inside a stream": (
        {MODELS: models("m"), CHAT: stream({"error": {"message": "CUDA error: device-side assert"}})}, None,
        ProbeState.FAULTY, "an error inside its stream", "log",
    ),
    "nothing at all": (
        {MODELS: models("m"), CHAT: stream({"choices": [{"delta": {}, "finish_reason": "stop"}]})}, None,
        ProbeState.FAULTY, "The model answered nothing", "Choose a chat model",
    ),
    "a broken stream": (
        {MODELS: models("m"), CHAT: stream(*tokens("a", "b")[:2], done=False)}, None,
        ProbeState.FAULTY, "broke off", "log",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS)
def test_every_refusal_is_a_sentence_with_the_next_step(case):
    answers, model, state, what, next_step = REFUSALS[case]

    result = probed(answers, model=model)

    assert (result.state, what in result.what, next_step in result.next_step) == (state, True, True), result
    assert not result.ok
    assert result.problem is not None


def test_a_gateway_without_a_model_list_can_answer_for_a_named_model():
    result = probed({CHAT: chat()}, model="m")

    assert result.state is ProbeState.READY
    assert result.models_total is None
    assert result.check(CheckName.MODELS).detail == "404"


def test_a_server_that_takes_any_name_is_noted():
    answers = recorded("llamacpp-2026.10") | {CHAT: paced("llamacpp-2026.10_wrong_model")}

    result = probed(answers, model="any-name")

    assert result.engine == "llama.cpp"
    assert any("answers for any-name although it does not list it" in note for note in result.notes)


def words(kind: FailureKind, message: str = "x", **seen) -> Diagnosis:
    target = Endpoint(name="lab", base_url="https://llm.example.com:8443/v1")
    return diagnose(
        Failure(kind=kind, message=message, status=seen.pop("status", None)), Circumstances(endpoint=target, **seen)
    )


def test_the_words_for_what_no_local_server_can_show():
    assert "no route to host" in words(FailureKind.REFUSED, "no route to host").what
    assert "firewall" in words(FailureKind.CONNECT_TIMEOUT).next_step
    assert "renewed on the server" in words(FailureKind.TLS, "certificate has expired").next_step
    assert "which TLS versions" in words(FailureKind.TLS, "no protocols available").next_step
    assert "out of memory" in words(FailureKind.OUT_OF_MEMORY, status=500).what
    assert words(FailureKind.HTTP_4XX, status=599).what == "599: the server refuses the request."
    assert "llm.example.com:8443" in words(FailureKind.IDLE_TIMEOUT).what


@pytest.mark.parametrize("kind", FailureKind)
def test_every_kind_of_failure_has_words_and_a_next_step(kind):
    found = words(kind, status=400)

    assert found.what
    assert found.next_step
    assert "{" not in found.what + found.next_step


def test_a_proxy_that_is_not_used_is_mentioned():
    assert proxy_hint({"HTTPS_PROXY": "http://proxy:3128"}) == " HTTPS_PROXY is set, but Paceline connects directly."
    assert proxy_hint({}) == ""
