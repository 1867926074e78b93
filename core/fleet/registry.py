"""The live runs of this app: made one after the other, each launch in a thread of its own; any session may look.

Knows who is next and what happened; never draws and never touches a database except through its recorder.
"""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from core.course import Done, following, told
from core.fleet.hosting import Host, HostError, with_served
from core.fleet.launch import Keeping, KeyHeader, Launch, Recorder
from core.fleet.live import LiveExperiment
from core.fleet.local import LocalRun, new_run_id, opening_run
from core.key_file import KeyProblem
from core.plan import Configuration, Experiment, PlanError, RunPlan
from core.run import ENDED_STATES, ClientHealth, Run, RunState, StoppedBy
from core.words import say

LOG = logging.getLogger("paceline")
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
        identify: Callable[[Configuration], dict[str, Any]] = lambda _: {},
        expected: tuple[type[Exception], ...] = (),
    ) -> None:
        """`expected`: what the recorder raises with a sentence for people, beside OSError."""
        self._recorder = recorder
        self._key_header = key_header
        self._hosts = hosts
        self._identify = identify
        self._expected: tuple[type[Exception], ...] = (OSError, *expected)
        self._lock = threading.RLock()
        self._launches: OrderedDict[str, Launch] = OrderedDict()
        self._closing = False
        self._thread: threading.Thread | None = None  # makes the launch that is running

    # -- for pages ----------------------------------------------------------------------------------------------------

    def launch(self, experiment: Experiment, *, key_header: KeyHeader | None = None) -> str:
        """Queue an experiment; it begins when those before it have ended. Returns its id.

        `key_header` finds keys that only the launching session knows. Raises PlanError.
        """
        with self._lock:
            if self._closing:
                raise PlanError(say("Paceline is stopping: launch again after it has started."))
            if experiment.id in self._launches:
                raise PlanError(say("This experiment was launched already: give it a new id."))
            first = following(experiment, ()) if experiment.is_adaptive else None
            ahead = experiment.plans if first is None else (first,)
            tallies = [self._tally(plan, experiment) for plan in ahead]
            self._launches[experiment.id] = Launch(
                experiment=experiment,
                tallies=tallies,
                queued_at=datetime.now(UTC),
                key_header=key_header or self._key_header,
                stage=say("waiting in line"),
            )
            self._forget_old()
            self._start_next()
        return experiment.id

    def cancel(self, experiment_id: str) -> None:
        """End an experiment within 2 s; what was measured is kept. Unknown or ended ones are left alone."""
        with self._lock:
            launch = self._launches.get(experiment_id)
            if launch is None or launch.state in ENDED_STATES:
                return
            launch.cancelled = True
            launch.stage = say("cancelling")
            launch.gone_on.set()
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
        with self._lock:
            self._closing = True
            for launch in self._launches.values():
                self.cancel(launch.experiment.id)
            thread = self._thread
        if thread is not None:
            thread.join(SHUTDOWN_S)

    # -- a launch's thread ---------------------------------------------------------------------------------------

    def _start_next(self) -> None:
        """Let the next launch in line begin, unless one runs. The lock is held."""
        if self._thread is not None:
            return
        launch = next((one for one in self._launches.values() if one.state is RunState.QUEUED), None)
        if launch is not None:
            launch.state = RunState.RUNNING
            launch.started_at = datetime.now(UTC)
            self._thread = threading.Thread(
                target=self._experiment, args=(launch,), name=f"launch {launch.experiment.id}", daemon=True
            )
            self._thread.start()

    def _experiment(self, launch: Launch) -> None:
        """Make its runs. A bug of one ends this thread, which logs it, and nothing else: each launch has its own."""
        message = say("It stopped because of a fault of Paceline; the log says more.")
        host: Host | None = None

        def release() -> None:
            if host is not None:
                host.release()

        with ExitStack() as at_end:  # each step is done, whatever becomes of the others; the last one named is first
            at_end.callback(self._go_on)
            at_end.callback(release)  # a server takes seconds to stop: who looks has been told the end by then
            at_end.callback(lambda: self._ended(launch, message))
            at_end.callback(lambda: self._close_run(launch, message))
            host = self._hosts() if self._hosts is not None else None
            try:
                while not launch.cancelled and (plan := following(launch.experiment, launch.done)) is not None:
                    self._rest(launch)
                    if not launch.cancelled:
                        self._one(launch, plan, host)
                message = ""
            except self._expected as fault:
                message = str(fault)

    def _ended(self, launch: Launch, message: str) -> None:
        with self._lock:
            launch.message = message or None
            failed = not launch.is_whole and (message or all(one.state is RunState.FAILED for one in launch.tallies))
            if launch.cancelled:
                self._finish(launch, RunState.CANCELLED)
            else:
                self._finish(launch, RunState.FAILED if failed else RunState.COMPLETED)

    def _go_on(self) -> None:
        with self._lock:
            self._thread = None
            self._start_next()

    def _close_run(self, launch: Launch, message: str) -> None:
        """Record the end of a run that was cut short by a fault: a run is saved however it ends."""
        tally = launch.recording
        if tally is not None and tally.run is not None:
            try:
                tally.end(_without_measuring(tally.run, message, cancelled=False))
            except self._expected as fault:  # the recorder tries again, and every page says why it has to
                LOG.error("Run %s is not stored yet: %s", tally.run_id, fault)  # noqa: TRY400 -- nothing of ours broke

    def _tally(self, plan: RunPlan, experiment: Experiment) -> Keeping:
        return Keeping(new_run_id(), plan, lock=self._lock, recorder=self._recorder, summed_up=experiment.is_adaptive)

    def _rest(self, launch: Launch) -> None:
        """Cool down between two runs; a cancel ends it."""
        if launch.done and launch.experiment.cooldown_s:
            with self._lock:
                launch.stage = say("resting")
            launch.gone_on.wait(launch.experiment.cooldown_s)

    def _one(self, launch: Launch, plan: RunPlan, host: Host | None) -> None:
        with self._lock:
            tally = launch.next_tally(plan, lambda its: self._tally(its, launch.experiment))
        known = told(launch.experiment, launch.done, plan)
        opening = replace(opening_run(plan, tally.run_id), experiment=known)
        with self._lock:
            tally.state = RunState.RUNNING
            launch.stage = say("starting")
        tally.begin(opening)
        ended = self._measured(launch, tally, opening, host)
        tally.flush()
        with self._lock:
            launch.local = None
            tally.close(ended)
            launch.done.append(Done(run=replace(ended, requests=()), summary=tally.summary()))
        tally.end(ended)

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
        ended = local.run(tally.learn(environment={**opening.environment, "server": server}))
        if ended.client == ClientHealth():  # the measuring process died without a last word: what it told before holds
            ended = replace(ended, client=tally.client)
        return with_served(ended, host)

    def _ready(
        self, launch: Launch, plan: RunPlan, host: Host | None, stage: Callable[[str], None]
    ) -> tuple[RunPlan, dict[str, Any], tuple[str, str] | None]:
        endpoint = plan.configuration.endpoint
        if endpoint.demo and host is not None:
            return *host.ready(plan, stage), None
        key_header = launch.key_header(endpoint)
        return plan, self._identify(plan.configuration), key_header

    def _finish(self, launch: Launch, state: RunState) -> None:
        launch.state = state
        launch.ended_at = datetime.now(UTC)
        launch.stage = ""
        for tally in launch.tallies:
            if tally.state is RunState.RUNNING and state is RunState.FAILED:  # the fault came in the midst of it
                tally.state, tally.message = RunState.FAILED, launch.message
            elif tally.state not in ENDED_STATES:
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
