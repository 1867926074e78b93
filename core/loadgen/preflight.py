"""One or two tiny requests before a run: what does this endpoint accept, and does it stop when the client goes away?

It may change a parameter once, and says so; a measured run never changes anything.
"""

import asyncio
import json
import re
from dataclasses import replace
from time import monotonic, monotonic_ns
from urllib.parse import urlsplit

from core.loadgen.connection import Connection
from core.loadgen.dialling import Dialler
from core.loadgen.exchange import Exchange
from core.loadgen.prompts import Prompts, Shape
from core.loadgen.seen import Prepared
from core.loadgen.watch import passed
from core.plan import Limits, RunPlan
from core.records import Failure, FailureKind, RequestRecord
from core.run import Preflight
from core.wire.errors import parameter_change, parameter_change_in
from core.words import say

CHANGED = {
    "drop stream_options": say("stream_options was left out: the endpoint does not accept it."),
    "use max_completion_tokens": say("max_completion_tokens was sent instead of max_tokens, as the endpoint asks."),
    "use max_tokens": say("max_tokens was sent instead of max_completion_tokens, as the endpoint asks."),
    "drop ignore_eos": say("ignore_eos was left out: the endpoint does not accept it, so answers may end early."),
    "drop temperature": say("temperature was left out: the endpoint does not accept it."),
}
PROBE_WORDS, PROBE_TOKENS = 24, 4
LONG_TOKENS = 400  # long enough that generation is still going when the client leaves
PASSING = {FailureKind.HTTP_429, FailureKind.HTTP_5XX, FailureKind.CONNECTION_LOST}
PAUSE_S = 0.5
LOOK_S = 0.002
EARLY_CLOSE_S = 0.05
GONE_WITHIN_S = 2.0
FINISHES_WITHIN_S = 30.0
GET_LIMITS = Limits(connect_s=3.0, first_byte_s=3.0, idle_s=3.0, total_s=3.0)
BUSY_METRIC = re.compile(
    rb"^(?:vllm:num_requests_running|llamacpp:requests_processing)(?:\{[^}]*\})? ([0-9.e+]+)", re.MULTILINE
)


class Preflighter:
    """Finds the shape of request that an endpoint accepts."""

    def __init__(self, plan: RunPlan, *, tag: str, key_header: tuple[str, str] | None) -> None:
        self._plan = plan
        self._tag = tag + "-p"
        self._key_header = key_header
        self._dialler = Dialler(asyncio.get_running_loop(), plan.configuration.endpoint)
        self._numbers = iter(range(1_000_000))
        self._keeps_connection: bool | None = None
        self._limits = plan.limits  # a cold model may take as long as in the run itself

    async def run(self) -> tuple[Preflight, Shape]:
        """What was found, and the shape that the measured requests take."""
        shape = Shape(ignore_eos=self._plan.workload.ignore_eos)
        changes: list[str] = []
        tried_again = False
        while True:
            record, exchange = await self._ask(shape, PROBE_WORDS, PROBE_TOKENS)
            failure = record.failure
            if failure is None or failure.kind is FailureKind.EMPTY:
                return await self._found(shape, changes, record), self._calibrated(shape, record)
            change = parameter_change(failure.status or 0, exchange.message.body())
            if failure.kind is FailureKind.STREAM_ERROR:  # some refuse a parameter inside a 200
                change = parameter_change_in(failure.message)
            changed = shape.changed(change) if change else None
            if change and changed is not None and changed != shape and change not in changes:
                shape = changed
                changes.append(change)
            elif failure.kind in PASSING and not tried_again:
                tried_again = True
                await asyncio.sleep(min(failure.retry_after_s or PAUSE_S, 5.0))
            else:
                return await self._refused(failure, changes), shape

    async def _found(self, shape: Shape, changes: list[str], record: RequestRecord) -> Preflight:
        obeyed = None if record.output_tokens is None else record.output_tokens <= PROBE_TOKENS + 1
        return Preflight(
            streams=record.streamed if record.failure is None else None,
            usage=record.output_tokens is not None,
            max_tokens_obeyed=obeyed,
            token_parameter=shape.token_parameter,
            stream_options=shape.stream_options,
            ignore_eos=shape.ignore_eos if self._plan.workload.ignore_eos else None,
            stops_on_disconnect=await self._stops_on_disconnect(shape) if record.streamed else None,
            keeps_connection=self._keeps_connection,
            changes=tuple(CHANGED[change] for change in changes),
        )

    async def _refused(self, failure: Failure, changes: list[str]) -> Preflight:
        message = failure.message
        if failure.kind in (FailureKind.HTTP_401, FailureKind.HTTP_403):
            name = self._plan.configuration.endpoint.key_name
            key = say("the key named {name}", name=name) if name else say("no key")
            message = say(
                "{status}: the server did not accept {key}, sent to {place}. It said: {sentence}",
                status=failure.status, key=key, place=self._dialler.place, sentence=failure.message,
            )  # fmt: skip
        elif failure.kind is FailureKind.HTTP_429:
            wait = say(", asks to wait {s:g} s", s=failure.retry_after_s) if failure.retry_after_s is not None else ""
            message = say("429: too many requests{wait}. It said: {sentence}", wait=wait, sentence=failure.message)
        elif failure.kind is FailureKind.HTTP_404:
            models = await self._models()
            there = say(" The server has: {models}.", models=", ".join(models[:8])) if models else ""
            message = say("404 for model {model}: {sentence}", model=self._plan.configuration.model, sentence=message)
            message += there
        return Preflight(changes=tuple(CHANGED[change] for change in changes), failure_message=message)

    def _calibrated(self, shape: Shape, record: RequestRecord) -> Shape:
        """Measure the chat template: prompt tokens beyond one a word belong to it."""
        if record.input_tokens is None:
            return shape
        extra = record.input_tokens - PROBE_WORDS
        if extra < -PROBE_WORDS // 2 or extra > PROBE_WORDS * 4:
            return replace(shape, tokens_per_word=max(record.input_tokens, 1) / PROBE_WORDS)
        return replace(shape, overhead_tokens=float(extra))

    # -- asking -----------------------------------------------------------------------------------------------------

    async def _ask(self, shape: Shape, words: int, tokens: int) -> tuple[RequestRecord, Exchange]:
        exchange = self._exchange(shape, words, tokens)
        dialled = await self._dialler.dial()
        if isinstance(dialled, Failure):
            exchange.failure = dialled
            exchange.ended_ns = monotonic_ns()
        else:
            dialled.send(exchange)
            await self._until_ended(exchange, self._limits)
            if not dialled.lost:
                await asyncio.sleep(EARLY_CLOSE_S)
            self._keeps_connection = not dialled.lost
            dialled.close()
        exchange.decode(None)
        return exchange.record(exchange.sent_ns, keep_text=True), exchange

    def _exchange(self, shape: Shape, words: int, tokens: int) -> Exchange:
        workload = replace(self._plan.workload, input_tokens=words)
        prompts = Prompts(
            replace(self._plan, workload=workload), tag=self._tag, key_header=self._key_header,
            shape=replace(shape, overhead_tokens=0.0, tokens_per_word=1.0),
        )  # fmt: skip
        index = next(self._numbers)
        body = prompts.body(prompts.prompt(index, warmup=True), output_tokens=tokens, stream=workload.stream)
        return Exchange(prompts.wrap(body, index=index, warmup=True, output_tokens=tokens), ended=lambda _: None)

    async def _until_ended(self, exchange: Exchange, limits: Limits) -> None:
        while not exchange.ended_ns:
            await asyncio.sleep(LOOK_S)
            now = monotonic_ns()
            found = passed(exchange, limits, now)
            if found is not None:
                exchange.fail(found[0], found[1], now_ns=now)

    # -- does it stop when the client goes away? ----------------------------------------------------------------------

    async def _stops_on_disconnect(self, shape: Shape) -> bool | None:
        """Begin a long answer, leave, and look whether the server still works on it; None where that cannot be seen."""
        if await self._busy() != 0:
            return None  # it does not tell, or others use it too
        exchange = self._exchange(shape, PROBE_WORDS, LONG_TOKENS)
        dialled = await self._dialler.dial()
        if isinstance(dialled, Failure):
            return None
        dialled.send(exchange)
        patience = monotonic() + 10.0
        while not exchange.ended_ns and exchange.bytes_seen < 400 and monotonic() < patience:  # noqa: ASYNC110 -- counting reads
            await asyncio.sleep(LOOK_S)
        seen_busy = not exchange.ended_ns and await self._busy()
        dialled.close()
        if not seen_busy:
            return None
        patience = monotonic() + GONE_WITHIN_S
        while monotonic() < patience:
            await asyncio.sleep(0.1)
            if await self._busy() == 0:
                return True
        patience = monotonic() + FINISHES_WITHIN_S
        while await self._busy() and monotonic() < patience:  # noqa: ASYNC110 -- polls the server: the run shall not begin beside our answer
            await asyncio.sleep(PAUSE_S)
        return False

    async def _busy(self) -> int | None:
        """Requests that the server works on, from llama.cpp's /slots or a /metrics page; None if it does not tell."""
        slots = await self._get("/slots", from_root=True)
        if slots.startswith(b"["):
            try:
                return sum(bool(slot["is_processing"]) for slot in json.loads(slots))
            except (ValueError, TypeError, KeyError):
                return None
        found = BUSY_METRIC.findall(await self._get("/metrics", from_root=True))
        return round(sum(float(value) for value in found)) if found else None

    async def _models(self) -> list[str]:
        try:
            listed = json.loads(await self._get("/models", from_root=False))
            return [str(model["id"])[:120] for model in listed["data"]]
        except (ValueError, TypeError, KeyError, RecursionError):
            return []

    async def _get(self, path: str, *, from_root: bool) -> bytes:
        """The body of a small GET, b"" if there is none."""
        dialled = await self._dialler.dial()
        if not isinstance(dialled, Connection):
            return b""
        parts = urlsplit(self._plan.configuration.endpoint.base_url)
        lines = [
            f"GET {'' if from_root else parts.path.rstrip('/')}{path} HTTP/1.1",
            f"Host: {parts.netloc}",
            "Accept-Encoding: identity",
            "Connection: close",
            *([f"{self._key_header[0]}: {self._key_header[1]}"] if self._key_header else []),
        ]
        payload = "\r\n".join(lines).encode() + b"\r\n\r\n"
        prepared = Prepared(index=0, warmup=True, request_id="", payload=payload, input_tokens=0, output_tokens=0)
        exchange = Exchange(prepared, ended=lambda _: None, keep_body=True)
        dialled.send(exchange)
        await self._until_ended(exchange, GET_LIMITS)
        dialled.close()
        exchange.decode(None)
        return exchange.message.body() if exchange.message.status == 200 else b""
