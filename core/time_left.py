"""How long the runs of a launch will still take, told from the pace of the one under way. Knows no clock."""

from collections.abc import Sequence
from math import ceil

from core.plan import Load, RunPlan

LEAST_SHARE = 0.03  # of a run counted in requests; before it there is no pace


def time_left_s(plans: Sequence[RunPlan], *, share: float, so_far_s: float, between_s: float) -> float | None:
    """Seconds until the last plan has been run; None where that cannot be told.

    The first has measured for `so_far_s` and done `share` of its work; before it measured, `between_s`
    went by. A round, one request of each lane, is taken to last as long in the runs that follow.
    """
    load = plans[0].load
    if load.duration_s is None and share < LEAST_SHARE:
        return None
    run_s = load.duration_s or so_far_s / share
    round_s = (
        None if load.requests is None or load.concurrency is None else run_s / _rounds(load.requests, load.concurrency)
    )
    left = max(run_s - so_far_s, 0.0) if share < 1 else 0.0  # one that was cut short has nothing left
    for plan in plans[1:]:
        lasts = _lasts_s(plan.load, round_s)
        if lasts is None:
            return None
        left += between_s + lasts
    return left


def _lasts_s(load: Load, round_s: float | None) -> float | None:
    if load.duration_s is not None:
        return load.duration_s
    if load.rate is not None:
        return (load.requests or 0) / load.rate
    return (
        None if round_s is None or load.concurrency is None else _rounds(load.requests or 0, load.concurrency) * round_s
    )


def _rounds(requests: int, concurrency: int) -> int:
    return ceil(requests / concurrency)
