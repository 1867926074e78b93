"""A launch that lives in the store only, as the live view shows one that has ended. Counts anew, measures nothing."""

from collections.abc import Sequence
from dataclasses import replace

from core.course import Searched
from core.fleet.live import LiveExperiment, LiveRun
from core.fleet.tally import Tally
from core.plan import Experiment
from core.run import Run, RunState

# The gravest of its runs' ends is the launch's.
ENDS = (RunState.INTERRUPTED, RunState.CANCELLED)


def replayed_run(run: Run) -> LiveRun:
    """An ended run, from its requests."""
    tally = Tally(run.id, run.plan)
    if run.preflight is not None:
        tally.preflight(run.preflight)
    for record in run.requests:
        tally.record(record)
    tally.close(run)
    sent = sum(record.sent_s is not None and not record.warmup for record in run.requests)
    return replace(tally.snapshot(), sent=sent)


def replayed(
    experiment: Experiment,
    runs: Sequence[tuple[Run, LiveRun]],
    searched: tuple[Searched, ...] = (),
) -> LiveExperiment:
    """The launch of these ended runs, at least one, in their order."""
    ended = [run.ended_at for run, _ in runs if run.ended_at is not None]
    started = runs[0][0].started_at
    return LiveExperiment(
        id=experiment.id,
        name=experiment.name,
        state=_state([run.state for run, _ in runs]),
        queued_at=started,
        started_at=started,
        ended_at=max(ended, default=None),
        runs=tuple(live for _, live in runs),
        expected_runs=len(runs),
        searched=searched,
        experiment=experiment,
    )


def _state(ends: Sequence[RunState]) -> RunState:
    for grave in ENDS:
        if grave in ends:
            return grave
    return RunState.FAILED if set(ends) == {RunState.FAILED} else RunState.COMPLETED
