"""Which requests keep an SLO, and how many of them a second. Knows one request at a time and no run's statistics."""

from collections.abc import Iterable

from core.metrics import PER_REQUEST
from core.records import Outcome, RequestRecord
from core.slo import SUCCESS_RATE, Slo
from core.timeline import per_second


def is_good(record: RequestRecord, slo: Slo) -> bool:
    """Whether one request counts for goodput: it succeeded, and each of its own metrics keeps its limit.

    A metric that does not exist for it, such as TPOT of one token, is not kept. The success rate limits runs only.
    """
    if record.warmup or record.outcome is not Outcome.OK:
        return False
    return all(limit.keeps(PER_REQUEST[limit.metric](record)) for limit in slo.limits if limit.metric != SUCCESS_RATE)


def goodput_per_s(records: Iterable[RequestRecord], slo: Slo, duration_s: float | None) -> float | None:
    """Good requests / duration (last end - first sent), 1/s; None without a duration."""
    return per_second(sum(is_good(record, slo) for record in records), duration_s)
