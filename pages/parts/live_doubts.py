"""How the client and its machine fare in a launch that goes on: the findings of its end, as soon as they are true.

Reads snapshots of the registry; no stored run is opened while another one is measured.
"""

from dataclasses import dataclass
from typing import Literal

from core.doubts.client import late_so_far
from core.doubts.course import busy
from core.doubts.finding import Finding
from core.fleet.live import LiveRun
from core.quantities import seconds
from core.run import RunState
from core.words import say


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How a run's client fares, in a word."""

    word: str
    tone: Literal["off", "green", "orange", "red"]


def late(run: LiveRun) -> Finding | None:
    """That its client is too late to be believed."""
    return late_so_far(
        run.client.loop_lag_p99_s,
        ttft_p50_s=run.ttft_p50_s,
        ttft_min_s=run.ttft_min_s,
        span_p50_s=run.decode_span_p50_s,
        answers=run.ok,
        chunks=run.chunks_of_answers,
        closed=run.plan.load.variable == "concurrency",
    )


def crowded(run: LiveRun) -> Finding | None:
    """That this machine, on which its server runs too, has no idle time left."""
    return busy(run.client.machine_busy_share, run.plan.configuration.endpoint.base_url)


def held(run: LiveRun) -> Finding | None:
    """That nothing is sent now, because the endpoint asked to wait."""
    if run.state is not RunState.RUNNING or not run.waiting_s:
        return None
    return Finding(
        kind="waiting",
        level="note",
        what=say("Nothing is sent for another {wait}: an answer asked to wait.", wait=seconds(run.waiting_s)),
        why=say("The time waited is told at the end, and is in no latency."),
        do=say("Keep the load under the endpoint's limits to need no waits."),
    )


def doubts(run: LiveRun) -> list[Finding]:
    """All that is known of it by now."""
    return [found for found in (late(run), crowded(run), held(run)) if found is not None]


def health(run: LiveRun) -> Health:
    """The gravest of it in a word; the machine counts even before the first answer has come."""
    if late(run) is not None:
        return Health(word=say("client-limited"), tone="red")
    if crowded(run) is not None:
        return Health(word=say("machine busy"), tone="orange")
    if run.client.loop_lag_p99_s is None:
        return Health(word=say("not known yet"), tone="off")
    return Health(word=say("healthy"), tone="green")
