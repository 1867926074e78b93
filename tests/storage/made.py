"""Runs and records for the tests of storage: plain ones to vary. Knows no database."""

from array import array
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from core.plan import Configuration, Endpoint, Load, RunPlan
from core.records import Failure, FailureKind, RequestRecord, TokenSource
from core.run import Run, RunState
from storage.runs import RunRow, RunStore

STARTED = datetime(2026, 11, 29, 12, 0, 0, 123456, tzinfo=UTC)


def endpoint(name: str = "spark", **changes: Any) -> Endpoint:
    """An endpoint of the user's."""
    return Endpoint(name=name, **{"base_url": "http://127.0.0.1:8000/v1"} | changes)


def configuration(configuration_id: str = "c1", **changes: Any) -> Configuration:
    """A configuration at it."""
    return Configuration(
        id=configuration_id, **{"label": configuration_id, "endpoint": endpoint(), "model": "llama-3-8b"} | changes
    )


def run(run_id: str = "r1", **changes: Any) -> Run:
    """A run that has begun."""
    plan = RunPlan(configuration=configuration(), load=Load(concurrency=4))
    return Run(id=run_id, **{"name": run_id, "started_at": STARTED, "state": RunState.RUNNING, "plan": plan} | changes)


def ended(found: Run, **changes: Any) -> Run:
    """The same run, completed a minute later."""
    return replace(found, **{"state": RunState.COMPLETED, "ended_at": STARTED.replace(minute=1)} | changes)


def record(index: int = 0, *, gap_us: int = 10_000, chunks: int = 5, **changes: Any) -> RequestRecord:
    """A streamed answer: sent at `index` tenths of a second, first chunk after 50 ms, then one every `gap_us`."""
    sent = index / 10
    times = array("i", [50_000 + gap_us * place for place in range(chunks)])
    values = {
        "sent_s": sent,
        "first_token_s": sent + times[0] / 1e6,
        "first_answer_s": sent + times[0] / 1e6,
        "last_token_s": sent + times[-1] / 1e6,
        "ended_s": sent + times[-1] / 1e6 + 0.001,
        "input_tokens": 20,
        "output_tokens": chunks,
        "token_source": TokenSource.USAGE,
        "finish_reason": "length",
        "chunk_us": times,
    }
    return RequestRecord(request_id=f"q{index}", index=index, **values | changes)


def failed(index: int = 0, kind: FailureKind = FailureKind.HTTP_5XX, message: str = "overloaded") -> RequestRecord:
    """A request that the server refused."""
    return RequestRecord(
        request_id=f"q{index}",
        index=index,
        sent_s=index / 10,
        ended_s=index / 10 + 0.02,
        failure=Failure(kind=kind, message=message, status=503, retry_after_s=1.5),
    )


def plain(one: RequestRecord) -> RequestRecord:
    """The record with its times as a list, to compare."""
    return replace(one, chunk_us=list(one.chunk_us))


def row_of(runs: RunStore, run_id: str) -> RunRow:
    """The one row of a run in the list."""
    (found,) = runs.list_runs(ids=[run_id])
    return found
