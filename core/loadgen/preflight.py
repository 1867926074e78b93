"""One or two tiny requests before a run: what does this endpoint accept, and does it stop when the client goes away?

An ordinary endpoint is asked once, for 4 tokens. One that tells how much it works on is asked a second time: that
answer is left as soon as it is seen, and looking after it takes at most 5 s (`core.loadgen.leaving`). Each parameter
that is refused costs one request more, a passing trouble one in all: at most 8, nearly always 1 or 2. Beside them stand
GETs of the server's own pages, 2 s each at most. A parameter may be changed once, and that is said; a measured run
never changes anything.
"""

import asyncio
from dataclasses import replace
from time import monotonic_ns
from typing import Any

from core.loadgen.dialling import Dialler
from core.loadgen.exchange import Exchange
from core.loadgen.identifying import server_facts, with_body
from core.loadgen.known_texts import known_texts
from core.loadgen.leaving import stops_on_disconnect, token_s
from core.loadgen.lookup import Lookup, until_ended
from core.loadgen.message import Message
from core.loadgen.prompts import Prompts, Shape
from core.loadgen.tokenizing import Tokenizing
from core.plan import RunPlan
from core.records import Failure, FailureKind, RequestRecord
from core.run import Preflight
from core.several import some
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
PASSING = {FailureKind.HTTP_429, FailureKind.HTTP_5XX, FailureKind.CONNECTION_LOST}
PAUSE_S = 0.5
EARLY_CLOSE_S = 0.05


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
        self._lookup = Lookup(plan.configuration.endpoint, self._dialler, key_header)
        self._answer: Message | None = None
        self.told_limits: dict[str, int | float] = {}
        self._tokenizing = Tokenizing(self._lookup, plan.configuration.model)
        self._question = ""

    async def run(self) -> tuple[Preflight, Shape]:
        """What was found, and the shape that the measured requests take."""
        shape = Shape(ignore_eos=self._plan.workload.ignore_eos)
        changes: list[str] = []
        tried_again = False
        while True:
            record, exchange = await self._ask(shape, PROBE_WORDS, PROBE_TOKENS)
            failure = record.failure
            if failure is None or failure.kind is FailureKind.EMPTY:
                measured = await self._calibrated(shape, record)  # before another question is asked
                return await self._found(measured, changes, record), measured
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

    async def server(self) -> dict[str, Any]:
        """What answers, as far as it tells; asked after `run`, without another request to the model."""
        return await server_facts(self._lookup, self._plan.configuration.model, self._answer)

    async def _found(self, shape: Shape, changes: list[str], record: RequestRecord) -> Preflight:
        obeyed = None if record.output_tokens is None else record.output_tokens <= PROBE_TOKENS + 1
        return Preflight(
            streams=record.streamed if record.failure is None else None,
            usage=record.output_tokens is not None,
            max_tokens_obeyed=obeyed,
            token_parameter=shape.token_parameter,
            stream_options=shape.stream_options,
            ignore_eos=shape.ignore_eos if self._plan.workload.ignore_eos else None,
            stops_on_disconnect=await self._stops(shape, record) if record.streamed else None,
            keeps_connection=self._keeps_connection,
            changes=tuple(CHANGED[change] for change in changes),
            template_tokens=round(shape.overhead_tokens) if shape.overhead_is_counted else None,
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
            asked_s = failure.retry_after_s
            wait = "" if asked_s is None else say(", asks to wait {s:,.0f} s", s=asked_s)
            message = say("429: too many requests{wait}. It said: {sentence}", wait=wait, sentence=failure.message)
        elif failure.kind is FailureKind.HTTP_404:
            message = say("404 for model {model}: {sentence}", model=self._plan.configuration.model, sentence=message)
            names = await self._lookup.model_names()
            message += say(" The server has: {models}.", models=some(names)) if names else ""
        return Preflight(changes=tuple(CHANGED[change] for change in changes), failure_message=message)

    async def _calibrated(self, shape: Shape, record: RequestRecord) -> Shape:
        """How long our texts are for this model: by its server's own count, else by what it counted of the question."""
        counted = record.input_tokens
        known = await known_texts(self._tokenizing, self._plan.workload.language)
        if known is not None:
            asked = await self._tokenizing.count(self._question) if counted is not None else None
            overhead = 0 if counted is None or asked is None else counted - asked
            told = counted is not None and asked is not None
            return replace(shape, known=known, overhead_tokens=float(max(0, overhead)), overhead_is_counted=told)
        if counted is None:
            return shape
        extra = counted - PROBE_WORDS
        has_system = self._plan.workload.system_prompt is not None
        if not has_system and (extra < -PROBE_WORDS // 2 or extra > PROBE_WORDS * 4):
            return replace(shape, tokens_per_word=max(counted, 1) / PROBE_WORDS)
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
            await until_ended(exchange, self._limits)
            if not dialled.lost:
                await asyncio.sleep(EARLY_CLOSE_S)
            self._keeps_connection = not dialled.lost
            dialled.close()
        self._answer = with_body(b"".join(data for _, data in exchange.reads))
        exchange.decode(None)
        self.told_limits.update(exchange.message.limits())
        return exchange.record(exchange.sent_ns, keep_text=True), exchange

    def _exchange(self, shape: Shape, words: int, tokens: int) -> Exchange:
        unmeasured = replace(shape, overhead_tokens=0.0, tokens_per_word=1.0, known=None)
        prompts = Prompts(self._plan, tag=self._tag, key_header=self._key_header, shape=unmeasured)
        index = next(self._numbers)
        self._question = prompts.text(index, words, warmup=True)
        body = prompts.body(self._question, output_tokens=tokens, stream=self._plan.workload.stream)
        prepared = prompts.wrap(body, index=index, warmup=True, input_tokens=words, output_tokens=tokens)
        return Exchange(prepared, ended=lambda _: None)

    async def _stops(self, shape: Shape, tiny: RequestRecord) -> bool | None:
        return await stops_on_disconnect(
            self._lookup, self._dialler, lambda tokens: self._exchange(shape, PROBE_WORDS, tokens), token_s(tiny)
        )
