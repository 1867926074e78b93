"""Sign-in problems: each kind has its own words and next step, wherever in the probe it comes."""

import base64
import json

import pytest

from core.probe import CheckName, CheckState, ProbeState, probe
from core.records import FailureKind
from tests.core.answering_server import AnsweringServer, chat, models, reply
from tests.core.probing.asking import CHAT, MODELS, SECRET, endpoint, probed

UNAUTHORIZED = {
    "error": {"message": "Incorrect API key provided", "type": "invalid_request_error", "code": "invalid_api_key"}
}


EXPIRED_CHALLENGE = 'WWW-Authenticate: Bearer error="invalid_token", error_description="The access token expired"'
SIGN_IN = {
    "no key": (reply(401, UNAUTHORIZED), None, ProbeState.KEY_MISSING, "wants a key", "secrets.toml"),
    "a wrong key": (
        reply(401, UNAUTHORIZED), SECRET,
        ProbeState.KEY_REFUSED, "does not accept this key", "Type another",
    ),
    "an expired key": (
        reply(401, {"error": {"message": "Signature has expired", "code": "token_expired"}}), SECRET,
        ProbeState.KEY_REFUSED, "the key has expired", "Get a new one",
    ),
    "a challenge that says expired": (
        reply(401, {"detail": "Unauthorized"}, EXPIRED_CHALLENGE), SECRET,
        ProbeState.KEY_REFUSED, "the key has expired", "Get a new one",
    ),
    "forbidden": (
        reply(403, {"error": {"message": "Project does not have access to this resource"}}), SECRET,
        ProbeState.KEY_REFUSED, "not allowed to do this", "Ask for access",
    ),
    "forbidden without a key": (
        reply(403, {"detail": "no"}), None, ProbeState.KEY_MISSING, "the server refuses", "ask who runs it",
    ),
    "a failed token exchange": (
        reply(400, {"error": "invalid_grant", "error_description": "AADSTS70008: The refresh token has expired."}),
        SECRET,
        ProbeState.KEY_REFUSED, "exchange for an access token was refused", "Renew the credentials",
    ),
    "a failed exchange inside a 502": (
        reply(502, {"message": "upstream auth failed: invalid_client"}), SECRET,
        ProbeState.KEY_REFUSED, "exchange for an access token was refused", "Renew the credentials",
    ),
    "a login page": (
        reply(200, "<!doctype html><title>Sign in</title><form><input type='password'></form>"), None,
        ProbeState.KEY_MISSING, "A sign-in page answers", "meant for programs",
    ),
    "a redirect to a login": (
        reply(302, "", "Location: https://sso.example.com/oauth2/authorize?client_id=x"), SECRET,
        ProbeState.KEY_REFUSED, "A sign-in page answers", "meant for programs",
    ),
}  # fmt: skip


@pytest.mark.parametrize("place", [MODELS, CHAT])
@pytest.mark.parametrize("case", SIGN_IN)
def test_sign_in_problems_are_told_apart_and_never_called_speed(case, place):
    answer, key, state, what, next_step = SIGN_IN[case]
    answers = {MODELS: models("m"), CHAT: chat(), place: answer}

    result = probed(answers, key=key)

    assert (result.state, what in result.what, next_step in result.next_step) == (state, True, True), result
    assert "slow" not in result.what + result.next_step
    assert "busy" not in result.what + result.next_step


def test_the_key_is_named_with_its_origin_its_host_and_the_servers_own_words():
    result = probed({MODELS: reply(401, UNAUTHORIZED)}, key=SECRET)

    assert "Sent the key you typed (from this session) to 127.0.0.1:" in result.sent
    assert "“Incorrect API key provided”" in result.sent
    assert result.problem is not None
    assert (result.problem.kind, result.problem.status) == (FailureKind.HTTP_401, 401)
    assert result.check(CheckName.MODELS).detail == "401"
    assert result.check(CheckName.STREAMS).state is CheckState.NOT_TRIED


def test_a_jwt_that_has_ended_is_told_with_its_date():
    claims = base64.urlsafe_b64encode(json.dumps({"exp": 1_772_500_000}).encode()).decode().rstrip("=")

    result = probed({MODELS: reply(401, {"detail": "Unauthorized"})}, key=f"eyJhbGciOiJIUzI1NiJ9.{claims}.c2ln")

    assert "401: the key has expired on 03 Mar 2026, 01:06 UTC." in result.what


def test_a_key_that_is_not_for_this_host_is_never_sent(monkeypatch, tmp_path):
    (tmp_path / "secrets.toml").write_text(f'[api_keys.LAB]\nvalue = "{SECRET}"\nhosts = ["llm.example.com"]\n')
    monkeypatch.setenv("PACELINE_SECRETS", str(tmp_path / "secrets.toml"))
    with AnsweringServer({MODELS: models("m"), CHAT: chat()}) as server:
        result = probe(endpoint(server, key_name="LAB"))

        assert server.asked == []
    assert result.state is ProbeState.KEY_MISSING
    assert "llm.example.com only" in result.what
    assert result.check(CheckName.CONNECTS).state is CheckState.YES
    assert result.check(CheckName.KEY).state is CheckState.NO
