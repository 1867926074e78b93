"""The steady state of a closed loop: from the first moment of full concurrency to the last, and a run's numbers in it.

Pure arithmetic over records. Never decides whether it is shown.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.goodput import goodput_per_s
from core.records import Outcome, RequestRecord
from core.slo import Slo
from core.summary import Summary, summarise
from core.timeline import arrivals_us, per_second

Window = tuple[float, float]


def steady_window(records: Sequence[RequestRecord], concurrency: int) -> Window | None:
    """When so many measured requests were in flight for the first time and for the last; None if they never were."""
    changes = sorted(
        change
        for record in records
        if not record.warmup and record.sent_s is not None and record.ended_s is not None
        for change in ((record.sent_s, 1), (record.ended_s, -1))
    )
    in_flight, begin_s, end_s = 0, None, None
    for at_s, change in changes:  # at one moment what ended is taken away first
        if in_flight == concurrency and change < 0:
            end_s = at_s
        in_flight += change
        if in_flight == concurrency and begin_s is None:
            begin_s = at_s
    return (begin_s, end_s) if begin_s is not None and end_s is not None and end_s > begin_s else None


def sent_within(records: Sequence[RequestRecord], window: Window) -> list[RequestRecord]:
    """The requests whose latencies are the window's."""
    begin_s, end_s = window
    return [record for record in records if record.sent_s is not None and begin_s <= record.sent_s < end_s]


def in_steady_state(records: Sequence[RequestRecord], window: Window, slo: Slo | None = None) -> Summary:
    """The numbers of a window: latencies and counts of the requests sent in it, and per second what came in it.

    Output tokens count where they arrived, whichever request they belong to, spread evenly over its chunks; requests
    count where they ended.
    """
    begin_s, end_s = window
    found = summarise(sent_within(records, window))
    answered = [record for record in records if not record.warmup and record.outcome is Outcome.OK]
    counted = all(record.output_tokens is not None for record in answered)
    tokens = sum(_tokens_within(record, window) for record in answered) if counted else None
    ended = [record for record in answered if record.ended_s is not None and begin_s <= record.ended_s <= end_s]
    span_s = end_s - begin_s
    rates = {
        "output_tokens_per_s": per_second(tokens, span_s),
        "requests_per_s": per_second(len(ended), span_s),
        "goodput_per_s": None if slo is None else goodput_per_s(ended, slo, span_s),
    }
    return replace(found, throughput=rates, duration_s=span_s, mean_in_flight=_mean(records, window))


def _tokens_within(record: RequestRecord, window: Window) -> float:
    arrivals = arrivals_us(record)
    if not len(arrivals) or not record.output_tokens or record.sent_s is None:
        return 0.0
    begin_s, end_s = window
    inside = sum(begin_s <= record.sent_s + arrival / 1e6 <= end_s for arrival in arrivals)
    return record.output_tokens * inside / len(arrivals)


def _mean(records: Sequence[RequestRecord], window: Window) -> float:
    begin_s, end_s = window
    busy_s = sum(
        max(0.0, min(record.ended_s, end_s) - max(record.sent_s, begin_s))
        for record in records
        if not record.warmup and record.sent_s is not None and record.ended_s is not None
    )
    return busy_s / (end_s - begin_s)
