"""What a report keeps and shows: everything but the key, and nothing cut to pieces by a key that is none."""

import json

import pytest

from core.probe import CheckName, CheckState, ProbeResult, ProbeState
from tests.core.answering_server import chat, models, reply
from tests.core.probing.asking import CHAT, MODELS, probed

ANSWERS = {MODELS: models("none-model", "m"), CHAT: chat()}


@pytest.mark.parametrize(
    "key", ["none", "1", "e", "usage", "2026", "key", "yes", "ready", "data", "id", "choices", "["]
)
def test_a_key_that_is_a_mere_placeholder_spoils_no_result(key):
    result = probed(ANSWERS, key=key)

    assert result.state is ProbeState.READY
    assert "first token of none-model after" in result.what
    assert result.models == ("none-model", "m")
    assert {check.name for check in result.checks if check.state is CheckState.NO} == set()
    assert ProbeResult.from_dict(json.loads(json.dumps(result.to_dict()))) == result


def test_a_short_key_that_the_server_says_back_is_hidden_where_it_stands_alone():
    said = {"error": {"message": "No such key: abc123. Did you mean abc1234?"}}

    result = probed({MODELS: models("m"), CHAT: reply(401, said)}, key="abc123")

    assert result.problem is not None
    assert result.problem.message == "No such key: [the key]. Did you mean abc1234?"
    assert "No such key: [the key]." in result.sent
    assert result.check(CheckName.ANSWERS).state is CheckState.NO
