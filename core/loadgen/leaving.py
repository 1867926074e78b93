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
POLL_S = 0.05
SOON, LATE = 0.3, 0.6  # of the answer's length: idle before the one it was stopped, after the other it was not
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
        seen_busy = begun is not None and not exchange.ended_ns and await lookup.busy()
    finally:
        dialled.close()
    return await _stopped(lookup, begun, tokens * each_s, ends) if begun is not None and seen_busy else None


async def _begun(exchange: Exchange) -> float | None:
    """When output came, None if it did not within a while."""
    patience = monotonic() + BEGINS_WITHIN_S
    while exchange.bytes_seen < BEGUN_BYTES and not exchange.ended_ns:
        if monotonic() > patience:
            return None
        await asyncio.sleep(LOOK_S)
    return monotonic()


async def _stopped(lookup: Lookup, begun: float, lasts_s: float, ends: float) -> bool | None:
    """Also waits until the server is idle again: the run shall not begin beside our answer."""
    while await lookup.busy() != 0 and monotonic() < ends:  # noqa: ASYNC110 -- only the server knows
        await asyncio.sleep(POLL_S)
    share = (monotonic() - begun) / lasts_s
    return True if share < SOON else None if share < LATE else False
