"""Who may come in, over HTTP and websocket."""

import base64

import pytest

from core.access import AccessRule, Guard, is_loopback


def basic(password, user="anyone"):
    return b"Basic " + base64.b64encode(f"{user}:{password}".encode())


def scope(kind="http", *, host="127.0.0.1:8501", server="127.0.0.1", authorization=b""):
    headers = [(b"host", host.encode())] + ([(b"authorization", authorization)] if authorization else [])
    return {"type": kind, "headers": headers, "server": (server, 8501)}


async def inner(scope, _receive, send):
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-frame-options", b"ALLOWALL")]})
    await send({"type": "http.response.body", "body": b"in"})


async def sent_for(rule, asked):
    sent = []

    async def send(message):
        sent.append(message)

    await Guard(inner, rule=rule)(asked, None, send)
    return sent


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "::1", "[::1]", "127.8.9.1"])
def test_a_loopback_address_needs_no_rule(address):
    assert AccessRule().refusal(address) is None
    assert is_loopback(address)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.4", "example.org", None, "", "unix:///x"])
def test_another_address_needs_a_rule(address):
    refusal = AccessRule().refusal(address)

    assert refusal is not None
    assert "PACELINE_PASSWORD" in refusal
    assert AccessRule(password="x").refusal(address) is None
    assert AccessRule(open=True).refusal(address) is None


def test_the_rule_comes_from_the_environment():
    assert AccessRule.from_environment({}) == AccessRule()
    assert AccessRule.from_environment({"PACELINE_PASSWORD": ""}) == AccessRule()
    assert AccessRule.from_environment({"PACELINE_PASSWORD": "p", "PACELINE_OPEN": "1"}) == AccessRule(
        password="p", open=True
    )
    assert AccessRule.from_environment({"PACELINE_OPEN": "0"}) == AccessRule()


async def test_the_security_headers_replace_what_the_app_sends():
    start, body = await sent_for(AccessRule(), scope())

    names = [name for name, _ in start["headers"]]
    headers = dict(start["headers"])
    assert body["body"] == b"in"
    assert names.count(b"x-frame-options") == 1
    assert headers[b"x-frame-options"] == b"SAMEORIGIN"
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert b"frame-ancestors 'self'" in headers[b"content-security-policy"]


@pytest.mark.parametrize("given", [b"", b"Basic", b"Basic !!!", basic("wrong"), b"Bearer secret", basic("")])
async def test_a_wrong_password_is_asked_for_again(given):
    start, _ = await sent_for(AccessRule(password="secret"), scope(authorization=given))

    assert start["status"] == 401
    assert dict(start["headers"])[b"www-authenticate"].startswith(b"Basic ")


@pytest.mark.parametrize("password", ["secret", "with:colon", "süß"])
async def test_the_right_password_lets_in(password):
    start, _ = await sent_for(AccessRule(password=password), scope(authorization=basic(password), host="far.example"))

    assert start["status"] == 200


async def test_a_websocket_without_the_password_is_closed_before_it_opens():
    rule = AccessRule(password="secret")

    assert (await sent_for(rule, scope("websocket")))[0]["type"] == "websocket.close"
    assert (await sent_for(rule, scope("websocket", authorization=basic("secret"))))[0]["type"] == "websocket.accept"


@pytest.mark.parametrize("kind", ["http", "websocket"])
async def test_without_a_rule_a_foreign_host_name_or_address_is_refused(kind):
    for asked in (scope(kind, host="evil.example:8501"), scope(kind, server="192.168.1.4"), scope(kind, host="")):
        first = (await sent_for(AccessRule(), asked))[0]
        assert first.get("status") == 403 or first["type"] == "websocket.close"
        opened = (await sent_for(AccessRule(open=True), asked))[0]
        assert opened.get("status") == 200 or opened["type"] == "websocket.accept"


@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501", "localhost"])
async def test_without_a_rule_this_machine_comes_in(host):
    assert (await sent_for(AccessRule(), scope(host=host)))[0]["status"] == 200


async def test_start_and_stop_pass_through():
    passed = []

    async def app(scope, _receive, _send):
        passed.append(scope["type"])

    await Guard(app, rule=AccessRule(password="x"))({"type": "lifespan"}, None, None)

    assert passed == ["lifespan"]
