"""Whether a server stops generating when its client goes away, seen by beginning an answer and leaving it.

Only where the server tells how much it works on, and only in a few seconds: a run waits for this.
"""

import asyncio
from collections.abc import Callable
from itertools import pairwise
from statistics import median
from time import monotonic

from core.loadgen.dialling import Dialler
from core.loadgen.exchange import Exchange
from core.loadgen.lookup import LOOK_S, Lookup
from core.records import Failure, RequestRecord

LASTS_S = 2.0  # so long the answer should take that is begun and left
FEWEST_TOKENS, MOST_TOKENS = 4, 400
BEGINS_WITHIN_S = 2.0
BEGUN_BYTES = 400  # a head and the first chunk
PACE_READS, PACE_S = 8, 0.25  # then its own pace is looked at, for so many reads or so long
POLL_S = 0.05
# Shares of what the answer still would have taken: idle before the one it was stopped, busy after the other it was not.
SOON, LATE = 0.3, 0.6
LEAST_REST_S = 0.5  # with less of the answer left, an end of its own and a stop are not told apart
MOST_S = 5.0  # of all this together


def token_s(tiny: RequestRecord) -> float | None:
    """About how long a token takes here, from the arrivals of a tiny answer; None if they do not tell.

    By the median gap: one stall of this machine, or two chunks in one read, shall not decide.
    """
    chunks = tiny.chunk_us
    gap_us = median(after - before for before, after in pairwise(chunks)) if len(chunks) > 1 else 0
    tokens_a_chunk = max(1.0, ((tiny.output_tokens or 0) - 1) / (len(chunks) - 1)) if len(chunks) > 1 else 1.0
    return gap_us / 1e6 / tokens_a_chunk or None


async def stops_on_disconnect(
    lookup: Lookup, dialler: Dialler, ask: Callable[[int], Exchange], each_s: float | None
) -> bool | None:
    """Begin an answer of about 2 s, leave it, and look whether the server still works on it; None where unseen.

    `ask` makes a request for so many tokens, `each_s` is how long each takes.
    """
    if each_s is None or each_s * FEWEST_TOKENS > LASTS_S or await lookup.busy() != 0:
        return None  # too fast or too slow to be caught at it; or it does not tell, or others use it, too
    tokens = min(max(round(LASTS_S / each_s), FEWEST_TOKENS), MOST_TOKENS)
    ends = monotonic() + MOST_S
    exchange = ask(tokens)
    dialled = await dialler.dial()
    if isinstance(dialled, Failure):
        return None
    try:
        dialled.send(exchange)
        begun = await _begun(exchange)
        alone = begun is not None and await lookup.busy() == 1  # more than one: others use it, too
        over = exchange.ended_ns  # a look may take longer than the answer
    finally:
        dialled.close()
    if begun is None or not alone or over:
        return None
    left, own_s = monotonic(), _gap_s(exchange) or each_s
    least_s, most_s = (tokens * pace_s - (left - begun) for pace_s in sorted((each_s, own_s)))
    return await _stopped(lookup, left, least_s, most_s, ends)


async def _begun(exchange: Exchange) -> float | None:
    """When output came, None if it did not within a while; its pace can be told by then."""
    patience = monotonic() + BEGINS_WITHIN_S
    begun: float | None = None
    while not exchange.ended_ns:
        now = monotonic()
        if begun is None and exchange.bytes_seen >= BEGUN_BYTES:
            begun = now
        if begun is None and now > patience:
            break
        if begun is not None and (len(exchange.reads) >= PACE_READS or now > begun + PACE_S):
            break
        await asyncio.sleep(LOOK_S)
    return begun


def _gap_s(exchange: Exchange) -> float | None:
    """The pace of the answer itself: the tiny one may have come while this machine was held up."""
    reads = exchange.reads
    return (reads[-1][0] - reads[0][0]) / 1e9 / (len(reads) - 1) if len(reads) >= PACE_READS else None


async def _stopped(lookup: Lookup, left: float, least_s: float, most_s: float, ends: float) -> bool | None:
    """Also waits until the server is idle again: the run shall not begin beside our answer.

    The rest of the answer would have taken `least_s` to `most_s` by the paces that were seen. A look takes time: what
    it tells was so at some moment between its beginning and its end, so a busy server counts as busy when the look
    began, an idle one as idle when it ended.
    """
    busy_s, sure = 0.0, True
    while True:
        began = monotonic()
        busy = await lookup.busy()
        if busy == 0:
            break
        if busy == 1:
            busy_s = began - left
        else:
            sure = False  # it does not tell any more, or works for others
        if monotonic() >= ends:
            break
        await asyncio.sleep(POLL_S)
    idle_s = monotonic() - left
    if not sure or most_s < LEAST_REST_S:
        return None
    if busy == 0 and least_s >= LEAST_REST_S and idle_s < SOON * least_s:
        return True
    return False if busy_s >= LATE * most_s else None
