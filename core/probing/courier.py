"""HTTP requests of a probe, each bounded in time and size. The key goes to its own hosts only, redirects included.

No proxy, no .netrc, no cookies of others, no retry: what a measured run does not have, a probe does not have.
"""

import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from core.hosts import address
from core.keys import Key, allowed
from core.plan import Endpoint
from core.probing.connection_end import HeldSocket, client_failure
from core.probing.page import Page, redirect_target
from core.records import Failure, FailureKind
from core.words import say

MOST_REDIRECTS = 3


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One request under way and what has come back.

    Attributes:
        page: None until the headers of an answer came.
        reads: (microseconds after sent, body bytes) of each read.
        complete: The body ended as it should, not cut by us and not by the other side.
        failure: Why it ended early.
    """

    url: str
    sent: float
    page: Page | None = None
    reads: list[tuple[int, bytes]] = field(default_factory=list)
    complete: bool = False
    cut: bool = False
    failure: Failure | None = None

    @property
    def body(self) -> bytes:
        """What came of the body."""
        return b"".join(data for _, data in self.reads)


class Courier:
    """Carries requests to one endpoint, over one connection at a time. Use as a context manager."""

    def __init__(
        self, endpoint: Endpoint, key: Key | None, context: ssl.SSLContext, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._endpoint = endpoint
        self._key = key
        self._clock = clock
        self._lock = threading.Lock()
        self._socket = HeldSocket()
        self._serial = 0
        self._expired = False
        self._client = httpx.Client(
            verify=context,
            trust_env=False,
            follow_redirects=False,
            limits=httpx.Limits(max_connections=1),
            headers={"accept-encoding": "identity", "user-agent": "paceline-probe"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _fault: BaseException | None, _at: TracebackType | None
    ) -> None:
        self._client.close()

    def get(self, url: str, *, seconds: float, cap: int) -> Page | Failure:
        """Fetch a page; redirects are followed within the same server only."""
        ends = self._clock() + seconds
        followed = 0
        while True:
            exchange = self.send("GET", url, seconds=max(0.05, ends - self._clock()), cap=cap)
            page = exchange.page
            if page is None:
                return exchange.failure or Failure(kind=FailureKind.CONNECTION_LOST, message=say("no answer came"))
            target = page.redirected_to
            if target is None or followed == MOST_REDIRECTS or not self._same_server(url, target):
                return page
            url = target
            followed += 1

    def send(self, method: str, url: str, *, seconds: float, cap: int, body: bytes | None = None) -> Exchange:
        """Send one request and read its answer, at most `cap` bytes for at most `seconds`."""
        exchange = Exchange(url=url, sent=self._clock())
        fault: Exception | None = None
        with self._limited(seconds):
            try:
                self._carry(exchange, self._request(exchange, method, seconds, body), cap)
            except (httpx.HTTPError, httpx.InvalidURL) as raised:
                fault = raised
        if fault is not None or (self._expired and not exchange.cut):
            # A body without a length seems whole when its socket is shut: the clock knows better.
            exchange.complete = False
            exchange.failure = client_failure(
                fault, started=exchange.page is not None, seconds=seconds, expired=self._expired
            )
        if exchange.page is not None:
            exchange.page = _finished(exchange, self._redacted)
        return exchange

    def _request(self, exchange: Exchange, method: str, seconds: float, body: bytes | None) -> httpx.Request:
        def trace(event: str, info: dict[str, Any]) -> None:
            self._socket.trace(event, info)
            if event == "http11.send_request_headers.started":
                exchange.sent = self._clock()

        limits = httpx.Timeout(seconds, connect=min(seconds, self._endpoint.limits.connect_s))
        return self._client.build_request(
            method,
            exchange.url,
            content=body,
            headers=self._headers(exchange.url, body is not None),
            extensions={"trace": trace, "timeout": limits.as_dict()},
        )

    def _carry(self, exchange: Exchange, request: httpx.Request, cap: int) -> None:
        response = self._client.send(request, stream=True)
        try:
            hide = str if self._key is None else self._key.hide
            headers = {name.lower(): hide(value) for name, value in response.headers.items()}
            exchange.page = Page(path=request.url.path, status=response.status_code, headers=headers)
            size = 0
            for data in response.iter_raw():
                exchange.reads.append((int((self._clock() - exchange.sent) * 1e6), data))
                size += len(data)
                if size >= cap:
                    exchange.cut = True
                    return
            exchange.complete = True
        finally:
            response.close()

    def _headers(self, url: str, with_body: bool) -> list[tuple[str, str]]:
        headers = list(self._endpoint.headers)
        if self._key is not None and allowed(self._key, *address(url)):
            headers.append(self._key.header())
        if with_body:
            headers += [("content-type", "application/json"), ("accept", "text/event-stream, application/json")]
        return headers

    @contextmanager
    def _limited(self, seconds: float) -> Iterator[None]:
        """Shut the socket when the time is up: httpx limits each read, not all of them together."""
        self._expired = False
        serial = self._serial

        def expire() -> None:
            with self._lock:
                if serial != self._serial:
                    return
                self._expired = True
                self._socket.shut()

        timer = threading.Timer(seconds, expire)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            with self._lock:
                self._serial += 1
            timer.cancel()

    def _same_server(self, url: str, target: str) -> bool:
        """Whether a redirect stays: the same address, or the same host from http to https on the web's own ports."""
        before, after = urlsplit(url), urlsplit(target)
        if address(url) == address(target):
            same = before.scheme == after.scheme
        else:
            upgrade = before.scheme == "http" and after.scheme == "https"
            same = upgrade and (before.hostname, address(url)[1], address(target)[1]) == (after.hostname, 80, 443)
        return same and (self._key is None or allowed(self._key, *address(target)))

    def _redacted(self, data: bytes) -> bytes:
        return data if self._key is None else self._key.hide_in(data)


def _finished(exchange: Exchange, redacted: Callable[[bytes], bytes]) -> Page:
    page = exchange.page
    assert page is not None
    body = exchange.body
    if page.headers.get("content-encoding", "identity") in ("gzip", "deflate"):
        body = _unpacked(body)
    location = page.headers.get("location") if page.status in (301, 302, 303, 307, 308) else None
    return Page(
        path=page.path,
        status=page.status,
        headers=page.headers,
        body=redacted(body),
        cut=exchange.cut,
        redirected_to=redirect_target(exchange.url, location) if location else None,
    )


def _unpacked(body: bytes) -> bytes:
    """Decompress what was compressed although `identity` was asked for, at most tenfold."""
    try:
        return zlib.decompressobj(wbits=47).decompress(body, 10 * len(body))
    except zlib.error:
        return body
