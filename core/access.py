"""Who may talk to the app: the rule for the listening address, the password and the security headers.

Plain ASGI, for HTTP and websocket alike. Knows neither Streamlit nor any page.
"""

import base64
import binascii
import hmac
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from core.words import say

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Message, Receive, Send], Awaitable[None]]

# Everything comes from this server and goes to it: a foreign picture or script in a model's text is never fetched, and
# a script that got in could tell nobody what it saw. `{own}` is this server's websocket, which not every browser takes
# for 'self'.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self'{own}; worker-src 'self' blob:; object-src 'none'; "
    "base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
)
FIXED_HEADERS = (
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)
OWN_HEADERS = frozenset((b"content-security-policy", *(name for name, _ in FIXED_HEADERS)))
PLAIN_HOST = re.compile(r"[\w.-]+(:\d{1,5})?|\[[\da-f:.]+\](:\d{1,5})?", re.ASCII | re.IGNORECASE)
PORTS = {"http": 80, "https": 443}
READING = frozenset({"GET", "HEAD", "OPTIONS"})  # what a foreign page may ask for, and not see


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRule:
    """Whom the operator lets in.

    Attributes:
        password: Asked of every request with HTTP Basic sign-in, any user name; None asks for none.
        open: The operator said that anybody who reaches the address may come in.
    """

    password: str | None = None
    open: bool = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "AccessRule":
        """The rule that PACELINE_PASSWORD and PACELINE_OPEN state."""
        return cls(
            password=environment.get("PACELINE_PASSWORD") or None, open=environment.get("PACELINE_OPEN", "") == "1"
        )

    def refusal(self, address: str | None) -> str | None:
        """Why the app must not listen on `address`, None if it may. No address means all of the machine's."""
        if self.password or self.open or is_loopback(address):
            return None
        return say(
            "Paceline does not listen on {address} without an access rule: set PACELINE_PASSWORD, "
            "or PACELINE_OPEN=1 if anybody who reaches this address may start benchmarks.",
            address=address or say("all addresses"),
        )

    def admits(self, authorization: bytes) -> bool:
        """Whether an Authorization header carries the password; always true where none is set."""
        if not self.password:
            return True
        scheme, _, encoded = authorization.partition(b" ")
        if scheme.lower() != b"basic":
            return False
        try:
            _, _, given = base64.b64decode(encoded.strip(), validate=True).partition(b":")
        except binascii.Error:
            return False
        return hmac.compare_digest(given, self.password.encode())


def is_loopback(host: str | None) -> bool:
    """Whether a listening address or a Host names this machine alone."""
    bare = (host or "").strip().strip("[]").lower()
    if bare == "localhost" or bare.endswith(".localhost"):
        return True
    try:
        return ip_address(bare).is_loopback
    except ValueError:
        return False


def same_place(origin: str, host: str) -> bool:
    """Whether a page of `origin` was served by the very server that is asked as `host`: same name, same port."""
    try:
        page, asked = urlsplit(origin), urlsplit(f"//{host}")
        usual = PORTS.get(page.scheme)
        ours = (asked.hostname, asked.port or usual)
        theirs = (page.hostname, page.port or usual)
    except ValueError:
        return False
    return bool(usual and page.hostname) and theirs == ours


class Guard:
    """Lets a request through only if the rule admits it, and puts the security headers on every answer."""

    def __init__(self, app: AsgiApp, *, rule: AccessRule, origins: Collection[str] = ()) -> None:
        """Guard `app` by `rule`; pages of `origins` may talk to it besides its own."""
        self.app, self.rule = app, rule
        self.origins = frozenset(origin.rstrip("/").lower() for origin in origins)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One HTTP request, one websocket, or the server's start and stop."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refused(scope, headers)
        host = headers.get(b"host", "")
        if refused is None:
            await self.app(scope, receive, _with_headers(send, host))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "not admitted"})
        else:
            await _answer(_with_headers(send, host), *refused)

    def _refused(self, scope: Message, headers: Mapping[bytes, str]) -> tuple[int, str] | None:
        if not self.rule.admits(headers.get(b"authorization", "").encode("latin-1")):
            return 401, say("Sign in with the password that the operator of this Paceline set.")
        named = headers.get(b"host", "")
        if not self._is_own_page(scope, headers.get(b"origin"), named):
            return 403, say(
                "A page of another address may not use this Paceline. If that is its own address behind a proxy, name "
                "it in server.corsAllowedOrigins."
            )
        if self.rule.password or self.rule.open:
            return None
        # Without a rule only this machine may come in: neither through another listening address (uvicorn's own
        # --host) nor through a foreign name that a web page made point here (DNS rebinding).
        arrived_at = (scope.get("server") or ("127.0.0.1", 0))[0]
        host = named[: named.find("]") + 1] if named.startswith("[") else named.partition(":")[0]
        if is_loopback(arrived_at) and is_loopback(host):
            return None
        return 403, say(
            "This Paceline answers only to its own machine, as 127.0.0.1 or localhost. "
            "Set PACELINE_PASSWORD where it runs to open it to others."
        )

    def _is_own_page(self, scope: Message, origin: str | None, host: str) -> bool:
        """Whether our own page asks, or a program: any page can open a websocket to any port of the reader's machine.

        Streamlit itself takes a page of any port of this machine for its own.
        """
        if origin is None or (scope["type"] == "http" and scope.get("method", "GET") in READING):
            return True
        return same_place(origin, host) or origin.rstrip("/").lower() in self.origins


def policy(host: str) -> str:
    """The content security policy for a page that was asked for as `host`."""
    own = f" ws://{host} wss://{host}" if PLAIN_HOST.fullmatch(host) else ""
    return POLICY.format(own=own)


def _with_headers(send: Send, host: str) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in OWN_HEADERS]
            own = (b"content-security-policy", policy(host).encode())
            message = {**message, "headers": [*kept, own, *FIXED_HEADERS]}
        await send(message)

    return guarded


async def _answer(send: Send, status: int, sentence: str) -> None:
    body = sentence.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b'Basic realm="Paceline", charset="UTF-8"'))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
