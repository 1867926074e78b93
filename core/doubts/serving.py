"""Doubts about how the server worked through the requests: a cold start, one at a time. Knows times, no texts."""

from collections.abc import Iterator
from itertools import pairwise

from core.doubts.evidence import Evidence, middle
from core.doubts.finding import Finding
from core.metrics import ttft_s
from core.quantities import number, seconds, seconds_alike
from core.records import RequestRecord
from core.words import say

COLD_FACTOR, COLD_LEAST_S, COLD_OTHERS = 2.0, 0.05, 4
SERIAL_LEAST = 4
SERIAL_SHARE = 0.9  # of neighbours that must not overlap
SERIAL_IN_FLIGHT = 1.5
DECODE_SHARE = 0.1  # of the service time: without visible decoding nothing can be seen to overlap


def cold_doubts(seen: Evidence) -> Iterator[Finding]:
    """A first request that waited far longer than the others."""
    waits = [wait for record in seen.answered if (wait := ttft_s(record)) is not None]
    if len(waits) <= COLD_OTHERS or seen.measured[0] is not seen.answered[0]:
        return
    # The 75th percentile: the rest of a first wave may be cold too, and a queue makes later ones wait, not the first.
    usual = middle(waits[1:], 75)
    if usual is None or waits[0] < COLD_FACTOR * usual or waits[0] - usual < COLD_LEAST_S:
        return
    first, others = seconds_alike(waits[0], middle(waits[1:]))
    yield Finding(
        kind="cold_first_request",
        level="act",
        what=say(
            "The first request waited {first} for its first token, the others {usual}.",
            first=first,
            usual=others,
        ),
        why=say("Something was still being loaded or compiled, and that is in the mean and the highest percentiles."),
        do=say("Measure again with warm-up requests; they are left out of every number.")
        if not seen.run.plan.load.warmup_requests
        else say("Measure again with more warm-up requests than {count}.", count=seen.run.plan.load.warmup_requests),
    )


def _decoding(record: RequestRecord) -> tuple[float, float] | None:
    first, last = record.first_token_s, record.last_token_s
    return (first, last) if first is not None and last is not None and last >= first else None


def serial_doubts(seen: Evidence) -> Iterator[Finding]:
    """Answers that never overlap although several requests were in flight: first tokens at multiples of the service."""
    in_flight = seen.summary.mean_in_flight
    spans = sorted(span for record in seen.streamed if (span := _decoding(record)))
    if in_flight is None or in_flight < SERIAL_IN_FLIGHT or len(spans) < SERIAL_LEAST:
        return
    service = middle([later[0] - earlier[0] for earlier, later in pairwise(spans)])
    decoding = middle([last - first for first, last in spans])
    if service is None or decoding is None or decoding <= DECODE_SHARE * service:
        return
    apart = sum(later[0] >= earlier[1] for earlier, later in pairwise(spans))
    if apart < SERIAL_SHARE * (len(spans) - 1):
        return
    yield Finding(
        kind="one_after_another",
        level="act",
        what=say(
            "{count} requests were in flight, but their answers came one after another, a first token every {service}.",
            count=f"{in_flight:.1f}",
            service=seconds(service),
        ),
        why=say("The server does not batch: TTFT here is the wait in its queue, and more load adds no throughput."),
        do=say("Give the server more slots or batching, or compare it at one request in flight.")
        if seen.run.plan.load.variable == "concurrency"
        else say(
            "Give the server more slots or batching, or offer less than {most} requests/s.", most=number(1 / service)
        ),
    )
