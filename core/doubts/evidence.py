"""What the doubts look at: a run, its summary, and its requests sorted out once. Judges nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from core import metrics
from core.percentile import percentile
from core.records import Outcome, RequestRecord
from core.run import Run
from core.summary import Summary, summarise


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A run as the doubts see it.

    Attributes:
        measured: Requests that are no warm-up, in the order of sending.
        answered: Those that succeeded.
        streamed: Those of them that came as a stream.
    """

    run: Run
    summary: Summary
    measured: tuple[RequestRecord, ...]
    answered: tuple[RequestRecord, ...]
    streamed: tuple[RequestRecord, ...]


def evidence(run: Run, summary: Summary | None = None) -> Evidence:
    """Sort out a run's requests; `summary` spares computing it again."""
    measured = sorted(
        (record for record in run.requests if not record.warmup),
        key=lambda record: (record.sent_s is None, record.sent_s or 0.0, record.index),
    )
    answered = tuple(record for record in measured if record.outcome is Outcome.OK)
    return Evidence(
        run=run,
        summary=summary or summarise(run.requests, run.plan.slo),
        measured=tuple(measured),
        answered=answered,
        streamed=tuple(record for record in answered if record.streamed),
    )


def middle(values: Sequence[float], p: float = 50) -> float | None:
    """A percentile of values in any order, None if there are none."""
    return percentile(sorted(values), p) if values else None


def median_decode_span_s(seen: Evidence) -> float | None:
    """Median of last chunk - first chunk; from the summary where a run is read without its requests."""
    spans = [span for record in seen.streamed if (span := metrics.decode_span_s(record)) is not None]
    if spans:
        return middle(spans)
    tpot, tokens = seen.summary.statistic("tpot_s", "p50"), seen.summary.statistic("output_tokens", "p50")
    return tpot * (tokens - 1) if tpot is not None and tokens is not None and tokens > 1 else None
