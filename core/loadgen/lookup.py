"""Pages of an endpoint's server, asked for before or after a measured run, never within it. All are bounded.

The key goes to the endpoint's own address only: no redirect is followed.
"""

import asyncio
import re
from time import monotonic_ns
from urllib.parse import urlsplit

from core.loadgen.connection import Connection
from core.loadgen.dialling import Dialler
from core.loadgen.exchange import Exchange
from core.loadgen.message import KEPT_BODY_BYTES
from core.loadgen.seen import Prepared
from core.loadgen.watch import passed
from core.plan import Endpoint, Limits
from core.probing.page import Page, model_entries
from core.records import FailureKind
from core.words import say

WITHIN_S = 2.0
LOOK_S = 0.002
LIMITS = Limits(connect_s=WITHIN_S, first_byte_s=WITHIN_S, idle_s=WITHIN_S, total_s=WITHIN_S)
MOST_MODELS, LONGEST_NAME = 1000, 120
BUSY_METRIC = re.compile(
    rb"^(?:vllm:num_requests_running|llamacpp:requests_processing)(?:\{[^}]*\})? ([0-9.e+]+)", re.MULTILINE
)


async def until_ended(exchange: Exchange, limits: Limits, *, most_bytes: int | None = None) -> None:
    """Wait for the end of an exchange, or give it up at one of its limits."""
    while not exchange.ended_ns:
        await asyncio.sleep(LOOK_S)
        now = monotonic_ns()
        found = passed(exchange, limits, now)
        if most_bytes is not None and exchange.bytes_seen > most_bytes:
            found = (FailureKind.MALFORMED, say("The page has more than {most:,} bytes.", most=most_bytes))
        if found is not None:
            exchange.fail(found[0], found[1], now_ns=now)


class Lookup:
    """Asks one endpoint's server for pages, each over a connection of its own."""

    def __init__(self, endpoint: Endpoint, dialler: Dialler, key_header: tuple[str, str] | None) -> None:
        parts = urlsplit(endpoint.base_url)
        self._base = parts.path.rstrip("/")
        self._root = self._base.removesuffix("/v1")
        self._dialler = dialler
        self._head = "\r\n".join([
            f"Host: {parts.netloc}",
            "Accept: application/json, text/plain",
            "Accept-Encoding: identity",
            "User-Agent: paceline",
            "Connection: close",
            *(f"{name}: {value}" for name, value in endpoint.headers),
            *([f"{key_header[0]}: {key_header[1]}"] if key_header else []),
        ])  # fmt: skip
        # Where the server may tell how busy it is; only the one that did, once it did.
        self._tells_busy: tuple[str, ...] = ("/slots", "/metrics")

    async def models(self) -> Page | None:
        """The model list."""
        return await self._page(self._base, "/models")

    async def model_names(self) -> tuple[str, ...]:
        """The names in it; none if there is no list."""
        page = await self.models()
        entries = [] if page is None else model_entries(page)
        return tuple(str(entry["id"])[:LONGEST_NAME] for entry in entries[:MOST_MODELS])

    async def page(self, path: str) -> Page | None:
        """A page of the server itself, which stands above `/v1`; None if nothing answers in time."""
        return await self._page(self._root, path)

    async def post(self, path: str, body: bytes) -> Page | None:
        """What the server itself, above `/v1`, answers to a JSON body; None if nothing comes in time."""
        return await self._page(self._root, path, body)

    async def busy(self) -> int | None:
        """Requests that the server works on, from llama.cpp's /slots or a /metrics page; None if it does not tell."""
        for path in self._tells_busy:
            page = await self.page(path)
            if page is None or page.status != 200:
                continue
            found = _busy_slots(page) if path == "/slots" else _running(page)
            if found is not None:
                self._tells_busy = (path,)
                return found
        return None

    async def _page(self, above: str, path: str, body: bytes | None = None) -> Page | None:
        dialled: object = None
        try:
            async with asyncio.timeout(WITHIN_S):
                dialled = await self._dialler.dial()
                return await self._answer(dialled, above, path, body) if isinstance(dialled, Connection) else None
        except TimeoutError:
            return None
        finally:
            if isinstance(dialled, Connection):
                dialled.close()

    async def _answer(self, connection: Connection, above: str, path: str, body: bytes | None) -> Page | None:
        verb, told = "GET", ""
        if body is not None:
            verb, told = "POST", f"\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        payload = f"{verb} {above}{path} HTTP/1.1\r\n{self._head}{told}\r\n\r\n".encode() + (body or b"")
        prepared = Prepared(index=0, warmup=True, request_id="", payload=payload, input_tokens=0, output_tokens=0)
        exchange = Exchange(prepared, ended=lambda _: None, keep_body=True)
        connection.send(exchange)
        await until_ended(exchange, LIMITS, most_bytes=KEPT_BODY_BYTES)
        exchange.decode(None)
        message = exchange.message
        return Page(path=path, status=message.status, headers=message.headers(), body=message.body())


def _busy_slots(page: Page) -> int | None:
    slots = page.json
    if not isinstance(slots, list) or not all(isinstance(slot, dict) and "is_processing" in slot for slot in slots):
        return None
    return sum(bool(slot["is_processing"]) for slot in slots)


def _running(page: Page) -> int | None:
    found = BUSY_METRIC.findall(page.body)
    try:
        return round(sum(map(float, found))) if found else None
    except (ValueError, OverflowError):  # two points in a number, or no number that ends
        return None
