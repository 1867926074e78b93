"""A trial through the openai SDK against small real servers: live answers, honest ends, and keys that stay at home."""

import gzip
import importlib
import json
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import trustme

from core.keys import SessionKeys
from core.plan import PlanError
from core.probing.connection_end import HeldSocket
from core.tryit import Contestant, Trial, TrialLimits, TrialState, TrialView
from tests.core.answering_server import (
    AnsweringServer,
    chat,
    free_port,
    models,
    paced,
    recording,
    reply,
    stream,
    tokens,
    wait_until,
)
from tests.core.probing.asking import CHAT, SECRET, endpoint, typed_key

importlib.import_module("core.sdk")  # it takes seconds on a busy machine: not within any test's time
ROOT = Path(__file__).parents[2]


def contestant(server: AnsweringServer | str, label: str = "a", **kwargs) -> Contestant:
    return Contestant(label=label, endpoint=endpoint(server, **kwargs), model="m")


def ended(*contestants: Contestant, session: SessionKeys | None = None, **limits) -> tuple[TrialView, ...]:
    trial = Trial("Say hello.", contestants, session=session, limits=TrialLimits(**({"total_s": 5.0} | limits)))
    assert trial.wait(20)
    assert not trial.running
    return trial.snapshot()


def answered(answer, *, key: bool = False, **limits) -> TrialView:
    with AnsweringServer({CHAT: answer}) as server:
        one = contestant(server)
        return ended(one, session=typed_key(one.endpoint) if key else None, **limits)[0]


def test_a_reader_that_was_held_up_while_the_answer_came_says_so():
    held = threading.Event()

    def hold(asked):
        first, *rest = [part for part in chat("one ", "two ")(asked) if isinstance(part, bytes)]
        held.set()
        yield first
        began = time.monotonic()
        while time.monotonic() - began < 0.5:
            sum(range(5_000_000))  # this process is the reader's too, and one call does not let go of it
        yield from rest

    view = answered(hold)

    assert held.is_set()
    assert view.state is TrialState.DONE
    assert view.late_s > 0.02
    assert view.held_up


def test_four_answers_grow_at_once_and_end_apart():
    gates = [threading.Event() for _ in range(4)]

    def gated(gate):
        def answer(asked):
            *events, last = [part for part in chat("one ", "two ")(asked) if isinstance(part, bytes)]
            yield from events[:3]
            gate.wait(20)
            yield from [*events[3:], last]

        return answer

    servers = [AnsweringServer({CHAT: gated(gate)}) for gate in gates]
    for server in servers:
        server.__enter__()
    try:
        trial = Trial("Say hello.", [contestant(server, label) for server, label in zip(servers, "abcd", strict=True)])
        wait_until(lambda: [view.text for view in trial.snapshot()] == ["one "] * 4)
        assert trial.running
        assert {view.state for view in trial.snapshot()} == {TrialState.ANSWERING}
        gates[2].set()
        wait_until(lambda: trial.snapshot()[2].state is TrialState.DONE)
        assert trial.snapshot()[1].state is TrialState.ANSWERING
        for gate in gates:
            gate.set()
        assert trial.wait(20)
    finally:
        for gate in gates:
            gate.set()
        for server in servers:
            server.__exit__()

    views = trial.snapshot()
    assert [view.label for view in views] == list("abcd")
    assert all(
        (view.state, view.text, view.chunks, view.output_tokens) == (TrialState.DONE, "one two ", 2, 2)
        for view in views
    )
    assert all(
        view.ttft_s is not None and view.elapsed_s is not None and 0 < view.ttft_s < view.elapsed_s for view in views
    )
    assert all(view.tokens_per_s is not None for view in views)


@pytest.mark.parametrize("engine", ["vllm-0.32", "llamacpp-2026.10", "fastllm-1.9", "transformers-serve"])
def test_the_answers_of_real_engines_are_read(engine):
    view = answered(paced(f"{engine}_chat_usage"))

    assert (view.state, view.error_sentence, view.output_tokens) == (TrialState.DONE, "", 12)
    assert view.text.startswith("Alejandro")


def test_thinking_is_kept_apart_and_counts_as_the_first_token():
    events = [{"choices": [{"delta": {"reasoning_content": "hm "}}]}, {"choices": [{"delta": {"reasoning": "well "}}]}]

    view = answered(stream(*events, *tokens("yes")))

    assert (view.reasoning, view.text, view.chunks) == ("hm well ", "yes", 3)


def test_without_usage_the_tokens_are_unknown_and_chunks_are_not_called_so():
    view = answered(stream(*tokens("a", "b", "c", usage=False), pause_s=0.004))

    assert (view.state, view.output_tokens, view.tokens_per_s) == (TrialState.DONE, None, None)
    assert view.chunks == 3
    assert view.chunks_per_s is not None


def test_legacy_completions_are_asked_where_the_endpoint_speaks_them():
    events = [{"choices": [{"text": text, "index": 0}]} for text in ("one ", "two")]
    events.append({"choices": [{"text": "", "finish_reason": "length"}]})
    with AnsweringServer({"POST /v1/completions": stream(*events)}) as server:
        (view,) = ended(contestant(server, api="completions"))

        assert server.asked[0].json["prompt"] == "Say hello."
    assert (view.state, view.text) == (TrialState.DONE, "one two")


STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
ENDS = {
    "no key": (reply(401, {"error": {"message": "No API key provided"}}), "the server wants a key", "No API key"),
    "a failed exchange": (reply(400, {"error": "invalid_grant"}), "exchange for an access token", "Renew the cred"),
    "a wrong model": (
        recording("fastllm-1.9_wrong_model").replace(b"no-such-model", b"m" * 13), "404", "does not exist",
    ),
    "too many requests": (
        reply(429, {"error": {"message": "slow down"}}, "Retry-After: 7"), "allows no more requests", "in 7 s",
    ),
    "a server error": (reply(500, "boom", content_type="text/plain"), "500 Internal Server Error", "boom"),
    "a web page": (reply(404, "<html><title>Not here</title></html>"), "A web page answers", "“Not here”"),
    "a redirect": (
        reply(307, "", "Location: http://other.example/v1/chat/completions"),
        "redirects to http://other.example/v1", "base URL",
    ),
    "a redirect to no address": (reply(307, "", "Location: http://[the key]/"), "307", "log"),
    "no stream": (recording("vllm-0.32_chat_not_streamed"), "did not come as a stream", ""),
    "a broken stream": (stream(*tokens("a", "b")[:2], done=False), "broke off", ""),
    "nothing": (stream({"choices": [{"delta": {}, "finish_reason": None}]}), "answered nothing", "chat model"),
    "an error in the stream": (stream({"error": {"message": "CUDA error"}}), "error inside its stream", "“CUDA error”"),
    "no JSON": (STREAM_HEAD + b"data: {oops\n\n", "cannot be read", ""),
    "choices that are none": (stream({"choices": "abc"}), "cannot be read", ""),
    "choices of numbers": (stream({"choices": [1, 2]}), "cannot be read", ""),
    "a number for an event": (stream(7), "cannot be read", ""),
    "deep JSON": (STREAM_HEAD + b"data: " + b"[" * 100_000 + b"\n\n", "cannot be read", ""),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.9\r\n\r\n", "does not speak HTTP", "port"),
    "a closed door": (b"", "closed the connection", "log"),
}  # fmt: skip


@pytest.mark.parametrize("case", ENDS)
def test_every_bad_end_is_a_sentence(case):
    answer, what, more = ENDS[case]

    view = answered(answer)

    assert (view.state, what in view.error_sentence, more in view.error_sentence) == (TrialState.FAILED, True, True), (
        view
    )
    assert "Traceback" not in view.error_sentence


def test_a_refused_connection_is_a_sentence():
    (view,) = ended(contestant(f"http://127.0.0.1:{free_port()}"))

    assert "Nothing listens at 127.0.0.1:" in view.error_sentence
    assert view.ttft_s is None


def test_nothing_is_retried():
    with AnsweringServer({CHAT: reply(503, {"error": "busy"}, "Retry-After: 0")}) as server:
        ended(contestant(server))

        assert len(server.asked) == 1


def test_a_refused_parameter_is_changed():
    def picky(asked):
        if "max_tokens" in asked.json:
            return reply(
                400, {"error": {"message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}
            )
        return chat()(asked)

    with AnsweringServer({CHAT: picky}) as server:
        (view,) = ended(contestant(server), output_tokens=33)

        assert server.asked[1].json["max_completion_tokens"] == 33
    assert view.state is TrialState.DONE


def test_cancelling_closes_the_streams_and_keeps_what_came():
    closed = threading.Event()

    def endless(_asked):
        try:
            yield b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
            while True:
                yield b'data: {"choices":[{"delta":{"content":"x"}}]}\n\n'
                yield 0.002
        finally:
            closed.set()

    with AnsweringServer({CHAT: endless}) as server, AnsweringServer({CHAT: lambda _asked: [30.0]}) as silent:
        trial = Trial("Go on.", [contestant(server), contestant(silent, "b")])
        wait_until(lambda: trial.snapshot()[0].chunks > 3 and len(silent.asked) == 1)

        trial.cancel()

        assert trial.wait(2)
        assert closed.wait(2)
    talker, mute = trial.snapshot()
    assert {talker.state, mute.state} == {TrialState.CANCELLED}
    assert talker.text.startswith("xxx")
    assert (talker.error_sentence, mute.error_sentence) == ("", "")
    trial.cancel()
    assert trial.snapshot()[0].state is TrialState.CANCELLED


def test_a_cancelled_trial_that_was_not_sent_yet_sends_nothing():
    with AnsweringServer({CHAT: chat()}) as server:
        trial = Trial("Go on.", [contestant(server)])
        trial.cancel()

        assert trial.wait(5)
    assert trial.snapshot()[0].state is TrialState.CANCELLED


def test_the_time_limit_keeps_what_came_and_says_so():
    def slow(_asked):
        yield b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
        yield b'data: {"choices":[{"delta":{"content":"x"}}]}\n\n'
        yield 30.0

    view = answered(slow, total_s=0.4)
    silent = answered(lambda _asked: [30.0], total_s=0.4)

    assert (view.state, view.text, view.note) == (TrialState.DONE, "x", "Cut after 0.4 s.")
    assert silent.state is TrialState.FAILED
    assert "no answer came within 0.4 s" in silent.error_sentence


def test_the_size_of_an_answer_is_bounded():
    def flood(_asked):
        yield b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
        while True:
            yield b'data: {"choices":[{"delta":{"content":"' + b"x" * 50_000 + b'"}}]}\n\n'

    def one_line(_asked):
        yield b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: "
        while True:
            yield b"x" * 1_000_000

    def endless_error(_asked):
        yield b"HTTP/1.1 500 No\r\ncontent-type: text/plain\r\n\r\n"
        while True:
            yield b"x" * 1_000_000

    view = answered(flood, characters=120_000)

    assert len(view.text) == 120_000
    assert view.note == "Cut after 120,000 characters."
    assert "larger than a trial reads" in answered(one_line).error_sentence
    assert "larger than a trial reads" in answered(endless_error).error_sentence


def test_a_compressed_answer_is_not_unpacked():
    bomb = gzip.compress(b"data: " + b"x" * 20_000_000)

    view = answered(reply(200, bomb, "content-encoding: gzip", content_type="text/event-stream"))

    assert view.state is TrialState.FAILED


def test_a_key_goes_to_its_host_and_a_redirect_never_gets_it():
    with AnsweringServer({"*": chat()}) as thief:
        with AnsweringServer(
            {CHAT: reply(307, "", f"Location: http://127.0.0.1:{thief.port}/v1/chat/completions")}
        ) as server:
            one = contestant(server)
            (view,) = ended(one, session=typed_key(one.endpoint))

            assert [asked.headers["authorization"] for asked in server.asked] == [f"Bearer {SECRET}"]
        assert thief.asked == []
    assert f"redirects to http://127.0.0.1:{thief.port}/v1" in view.error_sentence
    assert "The key was not sent there." in view.error_sentence


def test_the_environment_of_the_sdk_sends_nothing(monkeypatch, tmp_path):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Secret: {SECRET}")
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    (tmp_path / "netrc").write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with AnsweringServer({CHAT: chat()}) as server:
        (view,) = ended(contestant(server, headers=(("X-Team", "blue"),)))

        assert server.asked[0].headers["x-team"] == "blue"
        assert SECRET not in json.dumps(server.asked[0].headers)
        assert "authorization" not in server.asked[0].headers
    assert view.state is TrialState.DONE


def test_a_key_that_the_server_says_back_is_not_shown():
    said = answered(chat("your key ", SECRET[:9], SECRET[9:], "!"), key=True)
    refused = answered(reply(400, {"error": {"message": f"bad {SECRET}"}}), key=True)

    assert said.text == "your key [the key]!"
    assert SECRET not in refused.error_sentence
    assert "bad [the key]" in refused.error_sentence


def test_a_key_that_may_not_go_there_is_a_sentence_and_nothing_is_sent(monkeypatch, tmp_path):
    (tmp_path / "secrets.toml").write_text(f'[api_keys.LAB]\nvalue = "{SECRET}"\nhosts = ["llm.example.com"]\n')
    monkeypatch.setenv("PACELINE_SECRETS", str(tmp_path / "secrets.toml"))
    with AnsweringServer({CHAT: chat()}) as server:
        (view,) = ended(contestant(server, key_name="LAB"))

        assert server.asked == []
    assert "llm.example.com only" in view.error_sentence


def test_tls_is_verified_as_the_endpoint_says(tmp_path):
    ca, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ca.issue_cert("127.0.0.1").configure_cert(context)
    ca.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    with AnsweringServer({CHAT: chat()}, tls=context) as server:
        trusted, unknown, lost = ended(
            contestant(server, ca_file=str(tmp_path / "ca.pem")),
            contestant(server, "b"),
            contestant(server, "c", ca_file="/no/such/ca.pem"),
        )

    assert trusted.state is TrialState.DONE
    assert "TLS with 127.0.0.1:" in unknown.error_sentence
    assert "CA file cannot be used" in lost.error_sentence


def test_opening_the_connection_is_not_in_the_time_to_the_first_token(monkeypatch, tmp_path):
    ca, context = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ca.issue_cert("127.0.0.1").configure_cert(context)
    ca.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    spent, traced = [0.0], HeldSocket.trace

    def slowly(held, event, info):
        spent[0] += 1000.0 if event in ("connection.connect_tcp.started", "connection.start_tls.started") else 0.0
        traced(held, event, info)

    monkeypatch.setattr(HeldSocket, "trace", slowly)
    with AnsweringServer({CHAT: chat()}, tls=context) as server:
        one = contestant(server, ca_file=str(tmp_path / "ca.pem"))
        trial = Trial("Say hello.", [one], clock=lambda: time.monotonic() + spent[0])
        assert trial.wait(60)
        (view,) = trial.snapshot()

    assert view.state is TrialState.DONE
    assert view.elapsed_s > 2000
    assert 0 < view.ttft_s < 1000


@pytest.mark.parametrize("count", [0, 5])
def test_one_to_four_endpoints_can_be_tried(count):
    with pytest.raises(PlanError, match="one to four"):
        Trial("Hello", [contestant("http://127.0.0.1:1")] * count)
    with pytest.raises(PlanError, match="prompt is empty"):
        Trial("  ", [contestant("http://127.0.0.1:1")])


def test_a_page_can_import_the_trial_without_the_sdk():
    code = "import core.tryit, sys; sys.exit('openai' in sys.modules or 'httpx2' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_a_model_list_is_no_answer():
    assert answered(models("m")).error_sentence == "The answer did not come as a stream."


def test_the_sdk_can_be_loaded_before_it_is_needed():
    told = "import sys, time; from core.tryit import preload; assert 'core.sdk' not in sys.modules; preload()\n"
    wait = "while not hasattr(sys.modules.get('core.sdk'), 'answer'): time.sleep(0.01)\n"

    subprocess.run([sys.executable, "-c", told + wait], cwd=Path(__file__).parents[2], check=True, timeout=300)
