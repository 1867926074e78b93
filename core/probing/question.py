"""The one tiny streamed request of a probe, and what its arrivals tell. An indication, never a measurement."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from statistics import median
from typing import Any

from core.plan import Endpoint
from core.probing.attention import Attention
from core.probing.courier import Courier, Exchange
from core.records import Failure, FailureKind
from core.wire.errors import parameter_change
from core.wire.openai import Answer, StreamDecoder, path, request_body
from core.words import say

PROMPT = "Count from one to ten in words."
TOKENS = 24
CAP = 512_000
MOST_CHANGES = 2
FASTEST_CHUNKS_PER_S = 20_000  # no single stream is this fast: what looks so was held back
FEWEST_CHUNKS = 4  # fewer say nothing about the rhythm
HELD_BACK_US = 50_000  # a first token earlier than this was not held back
BURST_CHUNKS = 8
BURST_PAUSE_US = 10_000  # shorter pauses may be this machine's own
FAST_CHUNKS_PER_S = 1_000  # a reader so late that chunks of this pace run together has seen nothing
BUSY_SHARE = 0.9  # of this machine: a server on it may be the one who was held up
CHANGES: dict[str | None, dict[str, Any]] = {
    "use max_completion_tokens": {"token_parameter": "max_completion_tokens"},
    "use max_tokens": {"token_parameter": "max_tokens"},
    "drop stream_options": {"stream_options": False},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """The parameters that endpoints differ in."""

    token_parameter: str = "max_tokens"  # noqa: S105 -- a parameter's name
    stream_options: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back.

    Attributes:
        failure: Why there is no usable answer; an answer cut by the probe itself is usable.
        cut: The probe ended the answer, by time or by size.
        changes: Sentences on parameters that the server made us change.
        rhythm: "yes", "in bursts", "buffered" or "no": how it streams, as it looked from here.
        late_s: How late this process itself was at worst while the answer came.
        busy_share: How busy this machine was meanwhile, None where it does not tell.
    """

    exchange: Exchange
    answer: Answer | None
    failure: Failure | None
    cut: bool
    ask: Ask
    changes: tuple[str, ...]
    rhythm: str | None
    late_s: float = 0.0
    busy_share: float | None = None

    def held_up(self, *, here: bool) -> bool:
        """Whether this machine may have made a rhythm that is no even stream; `here` if the server runs on it, too."""
        chunk_us = self.answer.chunk_us if self.answer is not None else ()
        return not withstands(chunk_us, self.late_s) or (here and (self.busy_share or 0.0) >= BUSY_SHARE)


def question(
    courier: Courier,
    endpoint: Endpoint,
    model: str,
    remaining: Callable[[], float],
    attention: Callable[[], Attention] = Attention,
) -> Reply:
    """Ask for a few tokens; a parameter that the server refuses by name is changed, twice at most."""
    ask = Ask()
    changes: list[str] = []
    url = endpoint.base_url + path(endpoint.api)
    while True:
        body = request_body(
            model=model,
            api=endpoint.api,
            prompt=PROMPT,
            output_tokens=TOKENS,
            stream=True,
            token_parameter=ask.token_parameter,
            stream_options=ask.stream_options,
        )
        with attention() as awake:
            exchange = courier.send("POST", url, seconds=remaining(), cap=CAP, body=body)
        page = exchange.page
        change = parameter_change(page.status, page.body) if page is not None and page.status >= 400 else None
        changed = replace(ask, **CHANGES.get(change, {}))
        if changed == ask or len(changes) == MOST_CHANGES:
            reply = _reply(exchange, ask, tuple(changes))
            return replace(reply, late_s=awake.late_s, busy_share=awake.busy_share)
        ask = changed
        changes.append(say("The server asked to {change}; a run does so too.", change=change))


def rhythm(chunk_us: Sequence[int]) -> str:
    """How a stream arrives, told by its output chunks: "yes", "in bursts" or "buffered". In doubt "yes"."""
    chunks = len(chunk_us)
    if chunks < FEWEST_CHUNKS:
        return "yes"
    span_us = chunk_us[-1] - chunk_us[0]
    if (chunks - 1) * 1e6 > span_us * FASTEST_CHUNKS_PER_S:
        # What was held back came late; a fast server whose chunks a busy machine read together did not.
        return "buffered" if chunk_us[0] >= HELD_BACK_US else "yes"
    pauses = _pauses(chunk_us)
    few = 2 * (len(pauses) + 1) <= chunks + 1
    return "in bursts" if chunks >= BURST_CHUNKS and few and median(pauses) >= BURST_PAUSE_US else "yes"


def withstands(chunk_us: Sequence[int], late_s: float) -> bool:
    """Whether a reader this late, who may have read each chunk so much after it came, cannot have made this rhythm."""
    late_us = late_s * 1e6
    match rhythm(chunk_us):
        case "buffered":
            return (len(chunk_us) - 1) * 1e6 > (chunk_us[-1] - chunk_us[0] + late_us) * FAST_CHUNKS_PER_S
        case "in bursts":
            return late_us < median(_pauses(chunk_us)) / 2
        case _:
            return True


def _pauses(chunk_us: Sequence[int]) -> list[int]:
    """Between chunks that did not come together: those of one read are stamped a few microseconds apart."""
    together_us = (chunk_us[-1] - chunk_us[0]) / (len(chunk_us) - 1) / 10
    return [after - before for before, after in pairwise(chunk_us) if after - before > together_us]


def _reply(exchange: Exchange, ask: Ask, changes: tuple[str, ...]) -> Reply:
    page = exchange.page
    if page is None:
        return Reply(
            exchange=exchange, answer=None, failure=exchange.failure, cut=False, ask=ask, changes=changes, rhythm=None
        )
    decoder = StreamDecoder(
        status=page.status,
        content_type=page.headers.get("content-type", ""),
        retry_after=page.headers.get("retry-after"),
        answered_at=page.dated or datetime.now(UTC),
    )
    for at_us, data in exchange.reads:
        decoder.feed(at_us, data)
    answer = decoder.finish(complete=exchange.complete)
    out_of_time = exchange.failure is not None and exchange.failure.kind is FailureKind.IDLE_TIMEOUT
    cut = (exchange.cut or out_of_time) and bool(answer.chunk_us)
    failure = None if cut else answer.failure
    if failure is not None and page.status < 400 and exchange.failure is not None:
        failure = exchange.failure  # the connection's own end says more than "truncated"
    return Reply(
        exchange=exchange,
        answer=answer,
        failure=failure,
        cut=cut,
        ask=ask,
        changes=changes,
        rhythm=None if failure is not None else rhythm(answer.chunk_us) if answer.streamed else "no",
    )
