"""Measures this machine: real runs of the load generator against a server whose every time is known.

Judges the load generator and the machine, never an endpoint.
"""

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

from core.calibration_result import Calibration, Level, LevelResult, in_streams
from core.environment import environment
from core.fleet.local import Listener, run_once
from core.percentile import percentile
from core.plan import Configuration, Load, RunPlan, Workload
from core.processor_time import process_seconds
from core.records import Outcome, RequestRecord
from core.run import ClientHealth, Run, RunState
from core.servers.builtin import simulated_endpoint
from core.servers.child import StartError
from core.servers.paced_child import PacedServer, Truth
from core.words import say

__all__ = ["LEVELS", "Calibration", "CalibrationFailed", "Level", "LevelResult", "calibrate"]

Progress = Callable[[float, str], None]  # share done, 0 to 1, and what is being done; may raise to give up

LEVELS = (
    Level(streams=1, model="gt-ttft50000-itl1333", requests=4, tokens=750),  # one stream at the front of GPU serving
    Level(streams=16, requests=48),
    Level(streams=64, requests=128),
    Level(streams=128, requests=256),
    Level(streams=256, requests=512),
    Level(streams=512, requests=1024),
)


class CalibrationFailed(RuntimeError):  # noqa: N818 -- a noun for one situation
    """Nothing could be measured at all. The message is one sentence."""


def calibrate(
    *, progress: Progress | None = None, levels: Sequence[Level] = LEVELS, environ: Mapping[str, str] | None = None
) -> Calibration:
    """Run each level through the load generator against a simulator; takes about 3 s a level.

    A level that misses a bar is tried once more, because other work on the machine comes and goes; after one that
    misses twice the higher ones are left out. `environ` is added to the measuring child's. Raises CalibrationFailed.
    """
    tell = progress or (lambda _share, _words: None)
    rows: list[LevelResult] = []
    try:
        with PacedServer() as server:
            for number, level in enumerate(levels):
                rate = f"{level.offered_tokens_per_s:,.0f}"
                words = say("{streams}, {rate} tokens/s", streams=in_streams(level.streams), rate=rate)
                tell(number / len(levels), words)
                row = measure(server, level, environ, partial(tell, number / len(levels)))
                if not row.good:
                    tell((number + 0.5) / len(levels), say("{words}, once more", words=words))
                    row = better(row, measure(server, level, environ, partial(tell, number / len(levels))))
                rows.append(row)
                if row.server_limited or not row.good:
                    break
    except StartError as fault:
        raise CalibrationFailed(say("The simulator did not start. {fault}", fault=fault)) from None
    tell(1.0, say("Calibrated"))
    return Calibration(made_at=datetime.now(UTC), levels=tuple(rows), environment=environment())


class Waiting(Listener):
    """Tells that another measured run holds the machine."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def waiting(self) -> None:
        self._tell(say("Waiting for another measured run on this machine to end"))


def measure(
    server: PacedServer,
    level: Level,
    environ: Mapping[str, str] | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> LevelResult:
    """One run at one level, held against the simulator's log. Raises CalibrationFailed where it did not happen."""
    before_s = process_seconds(server.pid)
    run = run_once(plan(server.base_url, level), environ=environ, listener=Waiting(tell))
    after_s = process_seconds(server.pid)
    if run.state is not RunState.COMPLETED:
        raise CalibrationFailed(run.message or say("The calibration was stopped."))
    measured = [record for record in run.requests if not record.warmup]
    row = judge(level, run, measured, server.truths([record.request_id for record in measured]))
    spent_s = None if before_s is None or after_s is None else after_s - before_s
    return dataclasses.replace(row, others_busy_share=others_busy_share(run.client, measured, spent_s))


def plan(base_url: str, level: Level) -> RunPlan:
    """The run of a level."""
    endpoint = dataclasses.replace(simulated_endpoint(), base_url=base_url)
    label = say("Calibration, {streams}", streams=in_streams(level.streams))
    return RunPlan(
        configuration=Configuration(id="calibration", label=label, endpoint=endpoint, model=level.model),
        workload=Workload(input_tokens=16, output_tokens=level.tokens, keep_text=False),
        load=Load(concurrency=level.streams, requests=level.requests, warmup_requests=0),
    )


def judge(level: Level, run: Run, records: Sequence[RequestRecord], truths: Mapping[str, Truth]) -> LevelResult:
    """What the client reported beside what the simulator did."""
    pairs = [
        (record, truths[record.request_id])
        for record in records
        if record.outcome is Outcome.OK and record.request_id in truths and record.sent_s is not None
    ]
    ttft, span = [], []
    for record, truth in pairs:
        sent, first, last = record.sent_s, record.first_token_s, record.last_token_s
        assert sent is not None
        if first is not None and last is not None and record.output_tokens == truth.tokens:
            ttft.append(abs(first - sent - (truth.first_s - truth.received_s)))
            span.append(abs(last - first - (truth.last_s - truth.first_s)))
    spans = [truth.last_s - truth.first_s for _, truth in pairs]
    return LevelResult(
        streams=level.streams,
        model=level.model,
        offered_tokens_per_s=level.offered_tokens_per_s,
        kept_tokens_per_s=kept_tokens_per_s([record for record, _ in pairs]),
        compared=len(ttft),
        missing=len(records) - len(ttft),
        ttft_error_p50_s=_at(ttft, 50),
        ttft_error_p99_s=_at(ttft, 99),
        span_error_p99_s=_at(span, 99),
        span_p50_s=_at(spans, 50),
        server_late_p99_s=_at([truth.max_late_s for _, truth in pairs], 99),
        loop_lag_p50_s=run.client.loop_lag_p50_s,
        loop_lag_p99_s=run.client.loop_lag_p99_s,
        cpu_share=run.client.cpu_share,
        priority=run.client.priority,
        machine_busy_share=run.client.machine_busy_share,
    )


def others_busy_share(
    client: ClientHealth, records: Sequence[RequestRecord], server_cpu_s: float | None, cores: int | None = None
) -> float | None:
    """How busy the machine was with neither the load generator nor the simulator; None where it is not known."""
    cores, lasted = cores or os.cpu_count(), lasted_s(records)
    if client.machine_busy_share is None or client.cpu_share is None or server_cpu_s is None or not cores or not lasted:
        return None
    ours = client.cpu_share + server_cpu_s / lasted  # in cores
    return max(0.0, client.machine_busy_share - ours / cores)


def lasted_s(records: Sequence[RequestRecord]) -> float:
    """Last end - first sent; 0 where nothing came."""
    starts = [record.sent_s for record in records if record.sent_s is not None]
    ends = [record.ended_s for record in records if record.ended_s is not None]
    return max(ends) - min(starts) if starts and ends else 0.0


def kept_tokens_per_s(records: Sequence[RequestRecord]) -> float:
    """Output tokens / (last end - first sent); 0 where nothing came."""
    lasted = lasted_s(records)
    return sum(record.output_tokens or 0 for record in records) / lasted if lasted > 0 else 0.0


def better(first: LevelResult, second: LevelResult) -> LevelResult:
    """The attempt that missed fewer bars; of two alike the one with the smaller errors."""

    def badness(row: LevelResult) -> tuple[int, float]:
        return len(row.misses), (row.ttft_error_p99_s or 0.0) + (row.span_error_p99_s or 0.0)

    return dataclasses.replace(min(first, second, key=badness), tries=2)


def _at(values: Sequence[float], p: float) -> float | None:
    return percentile(sorted(values), p) if values else None
