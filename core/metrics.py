"""One record -> its metrics, one function a definition, and METRICS, the table of all definitions.

Never looks at a second record, never reads a clock. None means that the metric does not exist for this request.
"""

from collections.abc import Callable, Sequence
from operator import sub

from core.definitions.compared import COMPARED_TERMS
from core.definitions.request import REQUEST_TERMS
from core.definitions.run import RUN_TERMS
from core.definitions.spec import MetricSpec
from core.records import RequestRecord

DEFINITIONS_VERSION = 1
METRICS: dict[str, MetricSpec] = {spec.key: spec for spec in (*REQUEST_TERMS, *RUN_TERMS, *COMPARED_TERMS)}
INFINITY = float("inf")


def _span(later: float | None, earlier: float | None) -> float | None:
    # Imported times may run backwards or be no numbers: such a span was not observed.
    if later is None or earlier is None:
        return None
    span = later - earlier
    return span if 0 <= span < INFINITY else None


def ttft_s(record: RequestRecord) -> float | None:
    """First chunk of any channel - sent."""
    return _span(record.first_token_s, record.sent_s) if record.streamed else None


def ttfa_s(record: RequestRecord) -> float | None:
    """First chunk of answer text - sent."""
    return _span(record.first_answer_s, record.sent_s) if record.streamed else None


def e2e_s(record: RequestRecord) -> float | None:
    """Last chunk - sent; not streamed: end of the body - sent."""
    return _span(record.last_token_s, record.sent_s)


def waiting_share(ttft: float, e2e: float) -> float | None:
    """TTFT / E2E latency: how much of an answer's time was the wait for its first token; times may be NaN."""
    return ttft / e2e if e2e > 0 and ttft >= 0 else None


def decode_span_s(record: RequestRecord) -> float | None:
    """Last chunk - first chunk, if there were two."""
    if not record.streamed:
        return None
    span = _span(record.last_token_s, record.first_token_s)
    # Imported records may lack chunk times; two different times are then two chunks.
    chunks = len(record.chunk_us) or (2 if span else 1)
    return span if chunks >= 2 else None


def tpot_s(record: RequestRecord) -> float | None:
    """(Last chunk - first chunk) / (output tokens - 1); needs two tokens and two chunks."""
    span = decode_span_s(record)
    if span is None or record.output_tokens is None or record.output_tokens < 2:
        return None
    return span / (record.output_tokens - 1)


def decode_tps(record: RequestRecord) -> float | None:
    """1 / TPOT. None if all chunks came at one moment: no speed was seen then."""
    tpot = tpot_s(record)
    return 1 / tpot if tpot else None


def e2e_tps(record: RequestRecord) -> float | None:
    """Output tokens / E2E latency."""
    latency = e2e_s(record)
    return record.output_tokens / latency if latency and record.output_tokens is not None else None


def slip_s(record: RequestRecord) -> float | None:
    """Sent - scheduled; a hair below 0 if the timer fired early."""
    if record.sent_s is None or record.scheduled_s is None:
        return None
    slip = record.sent_s - record.scheduled_s
    return slip if abs(slip) < INFINITY else None


def scheduled_ttft_s(record: RequestRecord) -> float | None:
    """First chunk of any channel - scheduled: what a user waits who came when the schedule says."""
    return _span(record.first_token_s, record.scheduled_s) if record.streamed else None


def scheduled_e2e_s(record: RequestRecord) -> float | None:
    """Last chunk - scheduled."""
    return _span(record.last_token_s, record.scheduled_s)


def gaps_us(chunk_us: Sequence[int]) -> list[int]:
    """Microseconds between consecutive chunks."""
    return list(map(sub, chunk_us[1:], chunk_us))


def gaps_s(record: RequestRecord) -> list[float]:
    """Seconds between consecutive chunks; empty if there were fewer than two."""
    return [gap / 1e6 for gap in gaps_us(record.chunk_us)] if record.streamed else []


def chunks_are_tokens(record: RequestRecord) -> bool:
    """Whether this request's chunk gaps may be called inter-token latencies."""
    if not record.streamed or record.output_tokens is None or not len(record.chunk_us):
        return False
    return abs(record.output_tokens - len(record.chunk_us)) <= 1


def _count(name: str) -> Callable[[RequestRecord], float | None]:
    def value(record: RequestRecord) -> float | None:
        found: int | None = getattr(record, name)
        return None if found is None else float(found)

    return value


def connect_s(record: RequestRecord) -> float | None:
    """TCP and TLS set-up, where the connection was opened for this request."""
    return record.connect_s


# Metrics with at most one value a request; the pooled gaps are gap_s and itl_s.
PER_REQUEST: dict[str, Callable[[RequestRecord], float | None]] = {
    "ttft_s": ttft_s,
    "ttfa_s": ttfa_s,
    "tpot_s": tpot_s,
    "e2e_s": e2e_s,
    "decode_tps": decode_tps,
    "e2e_tps": e2e_tps,
    "slip_s": slip_s,
    "scheduled_ttft_s": scheduled_ttft_s,
    "scheduled_e2e_s": scheduled_e2e_s,
    "connect_s": connect_s,
    "input_tokens": _count("input_tokens"),
    "output_tokens": _count("output_tokens"),
    "cached_tokens": _count("cached_tokens"),
}
POOLED = ("gap_s", "itl_s")
