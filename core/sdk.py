"""One answer through the openai SDK, as an application gets it. Importing this takes a second: import it when needed.

The SDK never sees a key. Our own hook puts it on requests to the key's hosts and takes everything else off that the
SDK picks up from the environment; redirects are not followed, nothing is retried, and the answer's size is bounded.
"""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import httpx2
import openai

from core.hosts import address
from core.keys import Key, KeyProblem, SessionKeys, allowed, find_key
from core.plan import Endpoint
from core.probing.circumstances import Circumstances
from core.probing.connection_end import HeldSocket, client_failure
from core.probing.diagnosis import diagnose
from core.probing.page import Page, redirect_target
from core.probing.sign_in import sign_in_problem
from core.quantities import number
from core.records import Failure, FailureKind
from core.tls import client_context
from core.trial_lane import Lane
from core.wire.errors import clean, http_failure, parameter_change
from core.wire.retry_after import http_date
from core.words import say

MOST_BYTES = 8_000_000
MOST_CHANGES = 2
PLACEHOLDER = "no-key"
SENDING = "http11.send_request_headers.started"  # the connection stands by then, TLS included
Trace = Callable[[str, dict[str, Any]], None]
OWN_HEADERS = frozenset(
    {"host", "accept", "accept-encoding", "connection", "content-length", "content-type", "user-agent"}
)
# What a server can send so that the SDK stumbles inside: none of it is a fault of ours.
STUMBLES = (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)


class TooLarge(httpx2.ReadError):
    """The answer is larger than a trial reads."""


def answer(lane: Lane, session: SessionKeys | None) -> None:
    """Ask for one answer and write it into the lane, to its end, whatever that is."""
    endpoint = lane.contestant.endpoint
    try:
        lane.key = find_key(endpoint, session=session)
        context = client_context(verify=endpoint.verify, ca_file=endpoint.ca_file)
    except KeyProblem as problem:
        lane.end(str(problem))
        return
    except OSError as fault:
        lane.end(say("The CA file cannot be used: {fault}.", fault=fault))
        return
    held = HeldSocket()
    if not lane.begin(held.shut_for_good):
        return
    out_of_time = threading.Event()

    def expire() -> None:
        out_of_time.set()
        held.shut_for_good()

    timer = threading.Timer(lane.total_s, expire)
    timer.daemon = True
    timer.start()
    try:
        with http_client(endpoint, lane.key, context, _traced(lane, held), lane.total_s) as client:
            _converse(lane, client, out_of_time)
    finally:
        timer.cancel()


def _traced(lane: Lane, held: HeldSocket) -> Trace:
    def trace(event: str, info: dict[str, Any]) -> None:
        if event == SENDING:
            lane.sending()
        held.trace(event, info)

    return trace


def http_client(endpoint: Endpoint, key: Key | None, context: Any, trace: Trace, seconds: float) -> httpx2.Client:
    """A client for the SDK that lets a key go to its own hosts only."""

    def before(request: httpx2.Request) -> None:
        wanted = {name.lower() for name, _ in endpoint.headers}
        for name in list(request.headers):
            if name not in OWN_HEADERS and name not in wanted and not name.startswith("x-stainless-"):
                del request.headers[name]
        if key is not None and allowed(key, *address(str(request.url))):
            name, value = key.header()
            request.headers[name] = value
        request.extensions["trace"] = trace

    return httpx2.Client(
        transport=_Capped(
            httpx2.HTTPTransport(verify=context, trust_env=False, limits=httpx2.Limits(max_connections=1))
        ),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(seconds, connect=min(seconds, endpoint.limits.connect_s)),
        event_hooks={"request": [before]},
    )


def _converse(lane: Lane, client: httpx2.Client, out_of_time: threading.Event) -> None:
    started = False
    try:
        stream = _open(lane, client)
        started = True
        kind = stream.response.headers.get("content-type", "")
        with stream:
            finished = _read(lane, stream)
    except openai.APIStatusError as fault:
        lane.end(_status_sentence(lane, fault))
    except (openai.APIConnectionError, httpx2.HTTPError, httpx2.StreamError) as fault:
        _ended_early(lane, fault, started=started, expired=out_of_time.is_set())
    except openai.OpenAIError as fault:
        lane.end(_sentence(lane, Failure(kind=FailureKind.STREAM_ERROR, message=clean(str(fault))), None))
    except STUMBLES:
        lane.end(_sentence(lane, Failure(kind=FailureKind.MALFORMED, message=say("unreadable"), status=200), None))
    else:
        if not finished and out_of_time.is_set():  # a body without a length seems whole when its socket is shut
            _ended_early(lane, TimeoutError(), started=True, expired=True)
        lane.end("" if finished else _incomplete(lane, kind))


def _open(lane: Lane, client: httpx2.Client) -> "openai.Stream[Any]":
    endpoint = lane.contestant.endpoint
    sdk = openai.OpenAI(
        base_url=endpoint.base_url,
        api_key=PLACEHOLDER,
        max_retries=0,
        http_client=client,
        default_headers={**dict(endpoint.headers), "accept-encoding": "identity"},
    )
    extra: dict[str, Any] = {"max_tokens": lane.asked_tokens, "stream_options": {"include_usage": True}}
    for _ in range(MOST_CHANGES):
        try:
            return _create(sdk, lane, extra)
        except openai.APIStatusError as fault:
            changed = _changed(extra, parameter_change(fault.status_code, fault.response.content))
            if changed is None:
                raise
            extra = changed
    return _create(sdk, lane, extra)


def _create(sdk: openai.OpenAI, lane: Lane, extra: dict[str, Any]) -> "openai.Stream[Any]":
    model = lane.contestant.model
    if lane.contestant.endpoint.api == "completions":
        # The SDK loads its parts when they are first named: that is part of no answer's time.
        completions = sdk.completions
        lane.asking()
        return completions.create(model=model, prompt=lane.prompt, stream=True, extra_body=extra)
    messages: Any = [{"role": "user", "content": lane.prompt}]
    chat = sdk.chat.completions
    lane.asking()
    return chat.create(model=model, messages=messages, stream=True, extra_body=extra)


def _changed(extra: dict[str, Any], change: str | None) -> dict[str, Any] | None:
    if change == "use max_completion_tokens" and "max_tokens" in extra:
        rest = {name: value for name, value in extra.items() if name != "max_tokens"}
        return {**rest, "max_completion_tokens": extra["max_tokens"]}
    if change == "drop stream_options" and "stream_options" in extra:
        return {name: value for name, value in extra.items() if name != "stream_options"}
    return None


def _read(lane: Lane, stream: "openai.Stream[Any]") -> bool:
    """Read to the end; whether it was one."""
    finished = False
    for chunk in stream:
        usage = getattr(chunk, "usage", None)
        tokens = getattr(usage, "completion_tokens", None)
        if type(tokens) is int and tokens > 0:
            lane.count(tokens)
        for choice in chunk.choices or ():
            text, reasoning, tool = _output(choice)
            if (text or reasoning or tool) and not lane.add(text, reasoning):
                return True
            finished = finished or bool(choice.finish_reason)
    return finished


def _output(choice: Any) -> tuple[str, str, bool]:
    delta = getattr(choice, "delta", None)
    if delta is None:
        return str(getattr(choice, "text", None) or ""), "", False
    reasoning = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
    return str(delta.content or ""), str(reasoning or ""), bool(delta.tool_calls)


def _ended_early(lane: Lane, fault: Exception, *, started: bool, expired: bool) -> None:
    failure = client_failure(fault, started=started, seconds=lane.total_s, expired=expired)
    if lane.has_output and failure.kind is FailureKind.IDLE_TIMEOUT:
        lane.cut(say("Cut after {seconds} s.", seconds=number(lane.total_s)))
        lane.end()
        return
    if any(isinstance(link, TooLarge) for link in (fault, fault.__cause__, fault.__context__)):
        lane.end(say("The answer is larger than a trial reads ({size} MB).", size=MOST_BYTES // 1_000_000))
        return
    lane.end(_sentence(lane, failure, None))


def _status_sentence(lane: Lane, fault: openai.APIStatusError) -> str:
    response = fault.response
    body = response.content if response.is_closed else b""
    headers = response.headers
    failure = http_failure(
        response.status_code,
        headers.get("content-type", ""),
        body,
        headers.get("retry-after"),
        answered_at=http_date(headers.get("date")) or datetime.now(UTC),
    )
    location = response.headers.get("location") if response.is_redirect else None
    page = Page(
        path=response.url.path,
        status=response.status_code,
        headers={name.lower(): value for name, value in response.headers.items()},
        body=body,
        redirected_to=redirect_target(str(response.url), location) if location else None,
    )
    said = "" if page.looks_like_html or page.redirected_to else say(" It answered “{text}”.", text=failure.message)
    return _sentence(lane, failure, page, said)


def _incomplete(lane: Lane, content_type: str) -> str:
    if "event-stream" not in content_type:
        return say("The answer did not come as a stream.")
    kind = FailureKind.TRUNCATED if lane.has_output else FailureKind.EMPTY
    return _sentence(lane, Failure(kind=kind, message=kind.value), None)


def _sentence(lane: Lane, failure: Failure, page: Page | None, said: str = "") -> str:
    contestant = lane.contestant
    seen = Circumstances(
        endpoint=contestant.endpoint,
        key=lane.key,
        asked="" if page is None else page.path,
        page=page,
        sign_in=None if page is None else sign_in_problem(page, failure.message, lane.key),
        model=contestant.model,
    )
    words = diagnose(failure, seen)
    if failure.kind is FailureKind.STREAM_ERROR:
        said = say(" It said “{text}”.", text=failure.message)
    return f"{words.what}{said} {words.next_step}".strip()


class _Capped(httpx2.BaseTransport):
    """A transport whose answers end at MOST_BYTES and are never unpacked: `identity` was asked for."""

    def __init__(self, inner: httpx2.BaseTransport) -> None:
        self._inner = inner

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self._inner.handle_request(request)
        assert isinstance(response.stream, httpx2.SyncByteStream)
        headers = [(name, value) for name, value in response.headers.raw if name.lower() != b"content-encoding"]
        return httpx2.Response(
            status_code=response.status_code,
            headers=headers,
            stream=_CappedStream(response.stream),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._inner.close()


class _CappedStream(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream) -> None:
        self._inner = inner

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for data in self._inner:
            size += len(data)
            if size > MOST_BYTES:
                raise TooLarge("too large")
            yield data

    def close(self) -> None:
        self._inner.close()
