"""Whether the load generator itself was too late to be believed: the glossary's rule, and which cells it greys."""

from collections.abc import Iterator

from core.doubts.evidence import Evidence, median_decode_span_s
from core.doubts.finding import Finding
from core.doubts.record import BUFFERED_CHUNKS, BUFFERED_SHARE
from core.quantities import percent, seconds
from core.words import say

TTFT_SHARE, TTFT_LEAST_S = 0.05, 0.001
GAP_SHARE = 0.25
TPOT_SHARE = 0.01
PERCENTILES = ("p50", "p90", "p95", "p99")
ALL = ("mean", "stdev", "min", *PERCENTILES, "max")
# What is limited -> the cells that can no longer be believed. Of the gaps only the percentiles: their mean holds.
CELLS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ttft": (("ttft_s", "ttfa_s"), ALL),
    "gap": (("gap_s", "itl_s"), PERCENTILES),
    "tpot": (("tpot_s", "decode_tps"), ALL),
}


def limited(seen: Evidence) -> dict[str, tuple[float, float]]:
    """What the client's lag makes doubtful -> (lag's share of the median, limit of that share).

    Chunks that came together say nothing about the client: that is the buffered stream's own finding.
    """
    span = median_decode_span_s(seen)
    gaps, waits = seen.summary.distributions.get("gap_s"), seen.summary.distributions.get("ttft_s")
    together = bool(gaps and waits and _came_at_once(gaps.count, waits.count, waits.min, span))
    return _passed(
        seen.run.client.loop_lag_p99_s,
        ttft_s=waits.p50 if waits else None,
        gap_s=None if together or gaps is None else gaps.p50,
        span_s=None if together else span,
    )


def _passed(
    lag_s: float | None, *, ttft_s: float | None, gap_s: float | None = None, span_s: float | None
) -> dict[str, tuple[float, float]]:
    """The rule itself, on medians."""
    if lag_s is None:
        return {}
    medians = {
        "ttft": (ttft_s, TTFT_SHARE, TTFT_LEAST_S),
        "gap": (gap_s, GAP_SHARE, 0.0),
        "tpot": (span_s, TPOT_SHARE, 0.0),
    }
    return {
        name: (lag_s / median, share)
        for name, (median, share, least) in medians.items()
        if median and lag_s > share * median and lag_s > least
    }


def late_so_far(
    lag_s: float | None,
    *,
    ttft_p50_s: float | None,
    ttft_min_s: float | None,
    span_p50_s: float | None,
    answers: int,
    chunks: int,
    closed: bool,
) -> Finding | None:
    """The finding of a late client from a run that still goes on; None while it keeps up.

    Gaps are left to the end: a client too coarse for them is nothing to stop a run for.
    """
    together = ttft_min_s is not None and _came_at_once(chunks - answers, answers, ttft_min_s, span_p50_s)
    found = _passed(lag_s, ttft_s=ttft_p50_s, span_s=None if together else span_p50_s)
    if lag_s is None or not found:
        return None
    return _late(lag_s, {name: share for name, (share, _) in found.items()}, closed=closed)


def _came_at_once(gaps: int, waits: int, shortest_wait_s: float, span_s: float | None) -> bool:
    """Whether answers of many chunks came within a moment after a long wait, told without the requests."""
    if span_s is None:
        return False
    return gaps >= (BUFFERED_CHUNKS - 1) * waits and span_s < BUFFERED_SHARE * shortest_wait_s


def greyed_by_client(seen: Evidence) -> set[tuple[str, str]]:
    """(metric, statistic) of every cell that the client's lag makes doubtful."""
    return {
        (metric, statistic)
        for name in limited(seen)
        for metric in CELLS[name][0]
        if metric in seen.summary.distributions
        for statistic in CELLS[name][1]
    }


def client_doubts(seen: Evidence) -> Iterator[Finding]:
    """Client-limited, or that it kept up; nothing if the lag was not measured."""
    lag = seen.run.client.loop_lag_p99_s
    if lag is None or not seen.summary.distributions:
        return
    found = limited(seen)
    if not found:
        yield Finding(
            kind="client_kept_up",
            level="ok",
            what=say("The load generator kept up: its loop lag p99 was {lag}.", lag=seconds(lag)),
            why=say("So these times are the server's and the network's, not the client's."),
        )
        return
    if set(found) == {"gap"}:
        yield Finding(
            kind="client_limited",
            level="note",
            what=say(
                "Chunk gaps, {gap} in the median, are finer than this client can tell: its loop lag p99 was {lag}.",
                gap=seconds(seen.summary.statistic("gap_s", "p50")),
                lag=seconds(lag),
            ),
            why=say("Lag above 25 % of the median gap greys the percentiles of the gaps; all other numbers hold."),
            do=say("Read TPOT for the pace of a stream."),
        )
        return
    closed = seen.run.plan.load.variable == "concurrency"
    yield _late(lag, {name: share for name, (share, _) in found.items()}, closed=closed)


def _late(lag: float, shares: dict[str, float], *, closed: bool) -> Finding:
    names = {
        "ttft": say("{share} of the TTFT median (limit 5 %)"),
        "gap": say("{share} of the median chunk gap (limit 25 %)"),
        "tpot": say("{share} of the median decode span (limit 1 %)"),
    }
    parts = [
        names[name].format(share=percent(share) if share < 100 else say("far over 100 %"))
        for name, share in shares.items()
    ]
    grey = {"ttft": say("TTFT"), "gap": say("the percentiles of chunk gaps"), "tpot": say("TPOT and decode speed")}
    return Finding(
        kind="client_limited",
        level="stop",
        what=say("The load generator was late: its loop lag p99 was {lag}.", lag=seconds(lag)),
        why=say(
            "That is {parts}, so {grey} are partly the client's own delay and are greyed.",
            parts=say(" and ").join(parts),
            grey=say(" and ").join(grey[name] for name in shares),
        ),
        do=say("Measure from a machine that does nothing else, or with fewer streams in flight.")
        if closed
        else say("Measure from a machine that does nothing else, or at a lower rate."),
    )


def late_for_ttft(lag_s: float | None, median_s: float | None) -> bool:
    """The rule for TTFT alone, for a lateness that is not the client's: a simulator's."""
    if lag_s is None or median_s is None:
        return False
    return lag_s > TTFT_SHARE * median_s and lag_s > TTFT_LEAST_S
