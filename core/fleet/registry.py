"""The live runs of this app: one background thread makes them one after the other, any session may look.

Knows who is next and what happened; never draws and never touches a database except through its recorder.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from core.fleet.hosting import Host, HostError, with_served
from core.fleet.launch import Keeping, KeyHeader, Launch, Recorder
from core.fleet.live import ENDED_STATES, LiveExperiment
from core.fleet.local import LocalRun, new_run_id
from core.key_file import KeyProblem
from core.plan import Endpoint, Experiment, PlanError, RunPlan
from core.run import Run, RunState, StoppedBy
from core.words import say

log = logging.getLogger(__name__)
FLUSH_S = 0.25  # records wait this long at most before the recorder gets them
KEPT_EXPERIMENTS = 20
SHUTDOWN_S = 4.0


class Registry:
    """Experiments queued, running and lately ended. All methods are safe from any thread."""

    def __init__(
        self,
        recorder: Recorder,
        *,
        key_header: KeyHeader = lambda _: None,
        hosts: Callable[[], Host] | None = None,
        identify: Callable[[Endpoint], dict[str, Any]] = lambda _: {},
    ) -> None:
        self._recorder = recorder
        self._key_header = key_header
        self._hosts = hosts
        self._identify = identify
        self._lock = threading.RLock()
        self._wake = threading.Condition(self._lock)
        self._launches: OrderedDict[str, Launch] = OrderedDict()
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="paceline-registry", daemon=True)
        self._thread.start()

    # -- for pages ----------------------------------------------------------------------------------------------------

    def launch(self, experiment: Experiment, *, key_header: KeyHeader | None = None) -> str:
        """Queue an experiment; it begins when those before it have ended. Returns its id.

        `key_header` finds keys that only the launching session knows. Raises PlanError.
        """
        with self._wake:
            if self._closing:
                raise PlanError(say("Paceline is stopping: launch again after it has started."))
            if experiment.id in self._launches:
                raise PlanError(say("This experiment was launched already: give it a new id."))
            tallies = [
                Keeping(new_run_id(), plan, lock=self._lock, recorder=self._recorder) for plan in experiment.plans
            ]
            self._launches[experiment.id] = Launch(
                experiment, tallies, datetime.now(UTC), key_header or self._key_header, stage=say("waiting in line")
            )
            self._forget_old()
            self._wake.notify_all()
        return experiment.id

    def cancel(self, experiment_id: str) -> None:
        """End an experiment within 2 s; what was measured is kept. Unknown or ended ones are left alone."""
        with self._wake:
            launch = self._launches.get(experiment_id)
            if launch is None or launch.state in ENDED_STATES:
                return
            launch.cancelled = True
            launch.stage = say("cancelling")
            local = launch.local
            if launch.state is RunState.QUEUED:
                self._finish(launch, RunState.CANCELLED)
        if local is not None:
            local.cancel()

    def live(self) -> tuple[LiveExperiment, ...]:
        """Everything queued, running or lately ended, oldest first."""
        with self._lock:
            return tuple(launch.snapshot() for launch in self._launches.values())

    def find(self, experiment_id: str) -> LiveExperiment | None:
        """One of them, None if this app does not know it."""
        with self._lock:
            launch = self._launches.get(experiment_id)
            return launch.snapshot() if launch else None

    def close(self) -> None:
        """Cancel everything and wait for the child to go."""
        with self._wake:
            self._closing = True
            for launch in self._launches.values():
                self.cancel(launch.experiment.id)
            self._wake.notify_all()
        self._thread.join(SHUTDOWN_S)

    # -- the thread ------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._wake:
                launch = next((one for one in self._launches.values() if one.state is RunState.QUEUED), None)
                if launch is None:
                    if self._closing:
                        return
                    self._wake.wait()
                    continue
                launch.state = RunState.RUNNING
                launch.started_at = datetime.now(UTC)
            self._experiment(launch)

    def _experiment(self, launch: Launch) -> None:
        host = self._hosts() if self._hosts is not None else None
        try:
            for position in range(len(launch.tallies)):
                if launch.cancelled:
                    break
                self._one(launch, position, host)
        except Exception as fault:  # the thread outlives a bug of one run: told on the page, and logged
            log.exception("experiment %s", launch.experiment.id)
            launch.message = say("Paceline itself failed: {fault}. The log has the rest.", fault=fault)
        finally:
            if host is not None:
                host.release()
            with self._lock:
                states = [tally.state for tally in launch.tallies]
                if launch.cancelled:
                    self._finish(launch, RunState.CANCELLED)
                elif launch.message or all(state is RunState.FAILED for state in states):
                    self._finish(launch, RunState.FAILED)
                else:
                    self._finish(launch, RunState.COMPLETED)

    def _one(self, launch: Launch, position: int, host: Host | None) -> None:
        tally = launch.tallies[position]
        known = {
            "id": launch.experiment.id,
            "name": launch.experiment.name,
            "repeat": launch.repeat(position),
            "position": position,
        }
        opening = replace(LocalRun(tally.plan, run_id=tally.run_id).opening(), experiment=known)
        with self._lock:
            tally.state = RunState.RUNNING
            launch.stage = say("starting")
        self._recorder.run_started(opening)
        try:
            ended = self._measured(launch, tally, opening, host)
            tally.flush()
        except Exception as fault:  # a bug or a full disk: the run is saved however it ends
            self._recorder.run_ended(_without_measuring(opening, str(fault), cancelled=False))
            raise
        with self._lock:
            launch.local = None
            tally.close(ended)
        self._recorder.run_ended(replace(ended, requests=(), plan=opening.plan))

    def _measured(self, launch: Launch, tally: Keeping, opening: Run, host: Host | None) -> Run:
        def stage(words: str) -> None:
            if launch.cancelled:
                raise HostError(say("Cancelled before its server was ready."))
            with self._lock:
                launch.stage = words

        try:
            plan, server, key_header = self._ready(launch, tally.plan, host, stage)
        except (HostError, KeyProblem) as fault:
            return _without_measuring(opening, str(fault), cancelled=launch.cancelled)
        local = LocalRun(plan, run_id=tally.run_id, key_header=key_header, listener=tally, keep=False)
        with self._lock:
            launch.local = local
            cancelled = launch.cancelled
            launch.stage = say("measuring")
        if cancelled:
            local.cancel()
        return with_served(local.run(replace(opening, environment={**opening.environment, "server": server})), host)

    def _ready(
        self, launch: Launch, plan: RunPlan, host: Host | None, stage: Callable[[str], None]
    ) -> tuple[RunPlan, dict[str, Any], tuple[str, str] | None]:
        endpoint = plan.configuration.endpoint
        if endpoint.demo and host is not None:
            return *host.ready(plan, stage), None
        key_header = launch.key_header(endpoint)
        return plan, self._identify(endpoint), key_header

    def _finish(self, launch: Launch, state: RunState) -> None:
        launch.state = state
        launch.ended_at = datetime.now(UTC)
        launch.stage = ""
        for tally in launch.tallies:
            if tally.state not in ENDED_STATES:
                tally.state = RunState.CANCELLED

    def _forget_old(self) -> None:
        ended = [key for key, launch in self._launches.items() if launch.state in ENDED_STATES]
        for key in ended[: max(0, len(self._launches) - KEPT_EXPERIMENTS)]:
            del self._launches[key]


def _without_measuring(opening: Run, message: str, *, cancelled: bool) -> Run:
    """How a run ends whose measuring never began, or was lost."""
    return replace(
        opening,
        state=RunState.CANCELLED if cancelled else RunState.FAILED,
        stopped_by=StoppedBy.USER if cancelled else StoppedBy.FAILURE,
        message=message,
        ended_at=datetime.now(UTC),
    )
