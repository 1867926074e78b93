"""A whole probe of a server that answers: every row, the words, the model it chooses."""

import contextlib

from core.probe import CheckName, CheckState, ProbeState, probe
from tests.core.answering_server import AnsweringServer, chat, models, stream
from tests.core.probing.asking import CHAT, MODELS, SECRET, endpoint, probed, typed_key


def test_a_ready_endpoint_fills_every_row_and_says_so_in_a_sentence():
    result = probed({MODELS: models("m"), CHAT: chat()}, key=SECRET)

    states = {check.name: check.state for check in result.checks}
    assert list(states) == list(CheckName)
    assert states[CheckName.TLS] is CheckState.NOT_TRIED
    assert states[CheckName.ENGINE] is CheckState.DOUBT
    assert all(states[name] is CheckState.YES for name in CheckName if name not in (CheckName.TLS, CheckName.ENGINE))
    assert result.ok
    assert "first token of m after" in result.what
    assert result.first_token_s is not None
    assert result.first_token_s > 0
    assert result.next_step == ""
    assert result.problem is None


def test_a_key_over_plain_http_to_another_machine_is_warned_of():
    with AnsweringServer({MODELS: models("m"), CHAT: chat()}) as server:
        target = endpoint(f"http://0.0.0.0:{server.port}/v1")  # this machine by another name
        result = probe(target, session=typed_key(target))

    assert result.check(CheckName.KEY).state is CheckState.DOUBT
    assert any("over plain http" in note for note in result.notes)
    assert result.state is ProbeState.READY


def test_a_model_for_chat_is_chosen_from_a_long_list():
    with AnsweringServer({MODELS: models("text-embedding-3", "whisper-1", "gpt-x", "gpt-y"), CHAT: chat()}) as server:
        result = probe(endpoint(server))

        asked = [asked.json["model"] for asked in server.asked if asked.method == "POST"]
    assert asked == ["gpt-x"]
    assert "Asked gpt-x, one of 4 models." in result.notes


def test_ipv6_works():
    with contextlib.suppress(OSError), AnsweringServer({MODELS: models("m"), CHAT: chat()}, host="::1") as server:
        result = probe(endpoint(f"http://[::1]:{server.port}/v1"))

        assert result.state is ProbeState.READY
        assert server.asked[0].headers["host"] == f"[::1]:{server.port}"


def test_completions_are_asked_where_the_endpoint_speaks_them():
    events = [{"choices": [{"text": text, "index": 0}]} for text in "abcdef"]
    events.append({"choices": [{"text": "", "finish_reason": "length"}], "usage": {"completion_tokens": 6}})
    with AnsweringServer({MODELS: models("m"), "POST /v1/completions": stream(*events, pause_s=0.003)}) as server:
        result = probe(endpoint(server, api="completions"))

    assert result.state is ProbeState.READY
    assert result.usage is True
