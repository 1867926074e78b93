"""Everything that a run's page shows, read once: an ended run never changes, so it is kept for the next visit."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core.findings import Finding, findings, greyed
from core.lengths_seen import LengthsSeen, lengths_seen
from core.metrics import POOLED
from core.quantiles import Sample
from core.records import RequestRecord
from core.run import Run
from core.summary import Summary
from core.timeline import Series, in_flight_over_time
from pages.parts.ended_runs import as_of_now
from pages.parts.state import services

LATENCIES = ("ttft_s", "tpot_s", "gap_s", "itl_s", "e2e_s")
FIRST = 500  # requests with their chunk times; more are not drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A run with what its page shows.

    Attributes:
        first: The first requests to end, without texts.
        table: All requests as columns, without chunk times and texts.
        requests: How many of them were measured.
        grey: (metric, statistic) of every number that rests on too little.
        in_flight: Requests on their way over time.
        lengths: Of the prompts and of the answers.
        samples: Latencies by metric: all values, or the stored grid of the many chunk gaps.
    """

    run: Run
    summary: Summary
    findings: Sequence[Finding]
    grey: frozenset[tuple[str, str]]
    first: tuple[RequestRecord, ...]
    table: pd.DataFrame
    requests: int
    output: Series
    in_flight: Series
    lengths: tuple[LengthsSeen, LengthsSeen]
    samples: dict[str, Sample]


def opened(run_id: str) -> Opened:
    """The run as it is now. Raises RunNotFound."""
    return as_of_now(run_id, _read, _kept)


def findings_of(run_id: str) -> Sequence[Finding]:
    """The reasons to doubt a run: read from its requests, so kept for longer than the rest. Raises RunNotFound."""
    return as_of_now(run_id, _find, _kept_findings)


def _find(run_id: str) -> Sequence[Finding]:
    store = services().runs
    return findings(store.run(run_id, texts=False), store.summary(run_id))


_kept_findings = st.cache_resource(max_entries=2000, show_spinner=False)(_find)


def _read(run_id: str) -> Opened:
    store = services().runs
    run = store.run(run_id, texts=False)
    summary = store.summary(run_id)
    table = store.request_table(run_id).to_pandas()
    bare = store.run(run_id, requests=False)
    return Opened(
        run=bare,
        summary=summary,
        findings=findings(run, summary),
        grey=frozenset(greyed(run, summary)),
        first=tuple(record for record in run.requests if not record.warmup)[:FIRST],
        table=table,
        requests=int((~table["warmup"]).sum()) if len(table) else 0,
        output=store.output_over_time(run_id),
        in_flight=in_flight_over_time(run.requests),
        lengths=lengths_seen(run.requests),
        samples={
            key: _sample(run_id, key, found.count) for key, found in summary.distributions.items() if key in LATENCIES
        },
    )


_kept = st.cache_resource(max_entries=16, show_spinner=False)(_read)


def _sample(run_id: str, metric: str, count: int) -> Sample:
    store = services().runs
    points = store.grid(run_id, metric) if metric in POOLED else sorted(store.values(run_id, metric))
    return Sample(points=points, count=count)
