"""Who may come in, over HTTP and websocket."""

import base64

import pytest

from core.access import AccessRule, Guard, is_loopback, policy, same_place


def basic(password, user="anyone"):
    return b"Basic " + base64.b64encode(f"{user}:{password}".encode())


def scope(kind="http", *, host="127.0.0.1:8501", server="127.0.0.1", authorization=b"", origin=None, method="GET"):
    headers = [(b"host", host.encode())] + ([(b"authorization", authorization)] if authorization else [])
    headers += [] if origin is None else [(b"origin", origin.encode())]
    return {"type": kind, "headers": headers, "server": (server, 8501)} | ({"method": method} if kind == "http" else {})


async def inner(scope, _receive, send):
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-frame-options", b"ALLOWALL")]})
    await send({"type": "http.response.body", "body": b"in"})


async def sent_for(rule, asked, origins=()):
    sent = []

    async def send(message):
        sent.append(message)

    await Guard(inner, rule=rule, origins=origins)(asked, None, send)
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


FOREIGN = [
    "http://127.0.0.1:9999", "http://localhost:8501", "https://127.0.0.1", "http://127.0.0.1", "http://[::1]:8501",
    "https://evil.example", "http://127.0.0.1:8501.evil.example", "null", "", "file://", "http://", "http://a:b",
]  # fmt: skip


@pytest.mark.parametrize("rule", [AccessRule(), AccessRule(open=True)])
@pytest.mark.parametrize("origin", FOREIGN)
async def test_a_page_of_another_address_opens_no_websocket_and_changes_nothing(rule, origin):
    opened = await sent_for(rule, scope("websocket", origin=origin))
    posted = await sent_for(rule, scope(origin=origin, method="POST"))
    read = await sent_for(rule, scope(origin=origin))

    assert opened[0]["type"] == "websocket.close"
    assert posted[0]["status"] == 403
    assert b"server.corsAllowedOrigins" in posted[1]["body"]
    assert read[0]["status"] == 200


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        (None, "127.0.0.1:8501"),
        ("http://127.0.0.1:8501", "127.0.0.1:8501"),
        ("http://localhost:8501", "localhost:8501"),
        ("http://LOCALHOST:8501", "localhost:8501"),
        ("http://[::1]:8501", "[::1]:8501"),
        ("http://localhost", "localhost"),
        ("http://localhost", "localhost:80"),
    ],
)
async def test_its_own_page_and_a_program_open_a_websocket(origin, host):
    opened = await sent_for(AccessRule(), scope("websocket", host=host, origin=origin))

    assert opened[0]["type"] == "websocket.accept"


async def test_behind_a_proxy_with_tls_the_name_counts_and_another_name_must_be_given():
    asked = scope("websocket", host="pace.example", origin="https://pace.example")
    renamed = scope("websocket", host="10.0.0.2:8501", origin="https://pace.example")
    rule = AccessRule(open=True)

    assert (await sent_for(rule, asked))[0]["type"] == "websocket.accept"
    assert (await sent_for(rule, renamed))[0]["type"] == "websocket.close"
    assert (await sent_for(rule, renamed, origins=["https://Pace.example/"]))[0]["type"] == "websocket.accept"


def test_a_page_may_connect_to_its_own_server_only():
    assert " connect-src 'self' ws://localhost:8501 wss://localhost:8501; " in policy("localhost:8501")
    assert " connect-src 'self' ws://[::1]:8501 wss://[::1]:8501; " in policy("[::1]:8501")


@pytest.mark.parametrize("host", ["", "a; script-src *", "a b", "a\r\nx: y", "*", "*.example", "a:1,b", "a'self'", "ä"])
def test_a_host_that_is_none_adds_nothing_to_the_policy(host):
    assert " connect-src 'self'; " in policy(host)


def test_what_is_no_address_is_no_place():
    assert not same_place("http://a:99999999", "a:99999999")
    assert not same_place("http://[", "[")


async def test_start_and_stop_pass_through():
    passed = []

    async def app(scope, _receive, _send):
        passed.append(scope["type"])

    await Guard(app, rule=AccessRule(password="x"))({"type": "lifespan"}, None, None)

    assert passed == ["lifespan"]
