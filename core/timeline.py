"""When things happened in a run: output over time, the best second, a rate over a span.

Never computes a latency. Tokens are the server's, spread over the chunks or over the decoding of their request.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.records import Outcome, RequestRecord

SHORTEST_S = 1e-9  # the clock counts nanoseconds: what lies closer together was at one moment
MOST_INVENTED_CHUNKS = 1000  # for imported requests that come without chunk times


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Values over time: each stands for a step of `step_s`, `times_s` are the middles of the steps."""

    times_s: tuple[float, ...] = ()
    values: tuple[float, ...] = ()
    step_s: float = 0.0


def window_s(records: Iterable[RequestRecord]) -> tuple[float, float] | None:
    """First sent and last end of the measured requests; None if nothing was sent or no time passed."""
    measured = [record for record in records if not record.warmup]
    starts = [record.sent_s for record in measured if record.sent_s is not None]
    ends = [record.ended_s for record in measured if record.ended_s is not None and record.sent_s is not None]
    if not starts or not ends:
        return None
    start, end = min(starts), max(ends)
    return (start, end) if 0 < end - start < float("inf") else None


def per_second(amount: float | None, seconds: float | None) -> float | None:
    """A rate; None without a span, or with one so short that no rate of it is a number."""
    return amount / seconds if amount is not None and seconds is not None and seconds >= SHORTEST_S else None


def spread(spans: Iterable[tuple[float, float, float]], start: float, end: float, steps: int) -> list[float]:
    """How much of (from, to, amount) falls into each of `steps` equal steps; what lies outside goes to the edge."""
    width = (end - start) / steps
    inside = [0.0] * steps
    change = [0.0] * (steps + 1)  # running sums of it are the amounts of steps that a span covers whole
    for begin, finish, amount in spans:
        first = min(max(int((begin - start) / width), 0), steps - 1)
        last = min(max(int((finish - start) / width), first), steps - 1)
        if first == last:
            inside[first] += amount
            continue
        rate = amount / (finish - begin)
        head = rate * (start + (first + 1) * width - begin)
        whole = rate * width
        inside[first] += head
        inside[last] += amount - head - whole * (last - first - 1)
        change[first + 1] += whole
        change[last] -= whole
    running = 0.0
    for step in range(steps):
        running += change[step]
        inside[step] += running
    # Adding and taking away the same float leaves dust around 0.
    return [value if value > 1e-9 else 0.0 for value in inside]


def _series(records: Sequence[RequestRecord], spans: list[tuple[float, float, float]], steps: int) -> Series:
    window = window_s(records)
    if window is None or not spans:
        return Series()
    start, end = window
    width = (end - start) / steps
    amounts = spread(spans, start, end, steps)
    return Series(
        times_s=tuple(start + (step + 0.5) * width for step in range(steps)),
        values=tuple(amount / width for amount in amounts),
        step_s=width,
    )


def output_over_time(records: Sequence[RequestRecord], steps: int = 240) -> Series:
    """Output tokens/s of the whole run over time, each request's tokens spread over its decoding."""
    spans = []
    for record in records:
        if record.warmup or record.outcome is not Outcome.OK or not record.output_tokens:
            continue
        if record.last_token_s is None:
            continue
        begin = record.first_token_s if record.streamed and record.first_token_s is not None else record.last_token_s
        spans.append((begin, max(begin, record.last_token_s), float(record.output_tokens)))
    return _series(records, spans, steps)


def in_flight_over_time(records: Sequence[RequestRecord], steps: int = 240) -> Series:
    """Requests in flight, the mean of each step, whatever became of them; warm-up ones are left out."""
    spans = [
        (record.sent_s, record.ended_s, record.ended_s - record.sent_s)
        for record in records
        if not record.warmup and record.sent_s is not None and record.ended_s is not None
    ]
    return _series(records, spans, steps)


def arrivals_us(record: RequestRecord) -> Sequence[int]:
    """When each output chunk came, microseconds after the send; invented evenly where an import lacks them."""
    if record.sent_s is None or record.last_token_s is None:
        return ()
    if len(record.chunk_us):
        return record.chunk_us
    last = round((record.last_token_s - record.sent_s) * 1e6)
    if not record.streamed or record.first_token_s is None or not record.output_tokens:
        return (last,)
    first = round((record.first_token_s - record.sent_s) * 1e6)
    count = min(record.output_tokens, MOST_INVENTED_CHUNKS)
    return [first + (last - first) * place // max(count - 1, 1) for place in range(count)]


def best_second(answered: Iterable[RequestRecord]) -> float:
    """Most output tokens that arrived within one second, to the millisecond; tokens spread over their chunks."""
    per_ms: defaultdict[int, float] = defaultdict(float)
    for record in answered:
        arrivals = arrivals_us(record)
        if not len(arrivals) or not record.output_tokens or record.sent_s is None:
            continue
        weight = record.output_tokens / len(arrivals)
        sent_us = round(record.sent_s * 1e6)
        for arrival in arrivals:
            per_ms[(sent_us + arrival) // 1000] += weight
    moments = sorted(per_ms.items())
    best = within = 0.0
    oldest = 0
    for moment, tokens in moments:
        within += tokens
        while moments[oldest][0] <= moment - 1000:
            within -= moments[oldest][1]
            oldest += 1
        best = max(best, within)
    return best
