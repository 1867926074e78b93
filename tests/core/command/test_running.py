"""How the command line ends: what was measured is reported, whatever stopped it."""

import signal
import threading
from dataclasses import replace

import pytest

from core.command import running
from core.command.running import Stopper, measure, report
from core.fleet.hosting import HostError
from core.run import RunState
from core.servers.builtin import simulated_configuration
from core.servers.paced_child import PacedServer
from tests.core.example_runs import failed, run, steady
from tests.core.fleet.test_local import plan_for


@pytest.fixture(autouse=True)
def own_lock(tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_LOCK", str(tmp_path / "lock"))


def test_a_server_that_does_not_start_keeps_the_runs_before_it(monkeypatch, capsys):
    with PacedServer() as server:
        plan = plan_for(server.base_url)
        demo = type(plan)(configuration=simulated_configuration(0))

        class Broken:
            def ready(self, _plan, _say):
                raise HostError("The engine did not start.")

            def release(self):
                pass

        monkeypatch.setattr("core.fleet.builtin_host.BuiltinHost", lambda _: Broken())
        runs = measure([plan, demo, plan])

    assert [one.state for one in runs] == [RunState.COMPLETED]
    assert "did not start" in capsys.readouterr().err
    assert report(runs, None, wanted=3) == 1


def test_a_stop_while_a_server_is_made_ready_measures_nothing_more(monkeypatch):
    class Slow:
        def ready(self, plan, say):
            stoppers[0]()  # Ctrl-C, now
            say("starting")
            return plan, {}

        def release(self):
            pass

    stoppers = []

    class Kept(Stopper):
        def __init__(self):
            super().__init__()
            stoppers.append(self)

    monkeypatch.setattr("core.fleet.builtin_host.BuiltinHost", lambda _: Slow())
    monkeypatch.setattr(running, "Stopper", Kept)

    with pytest.raises(KeyboardInterrupt):
        measure([type(plan_for("http://x"))(configuration=simulated_configuration(0))])


def test_a_simulated_run_says_what_it_does_and_knows_how_late_its_simulator_was(monkeypatch):
    staged = []
    monkeypatch.setattr(running.Line, "stage", lambda _line, *parts: staged.append(parts[0]))
    plan = replace(plan_for("http://x", requests=2), configuration=simulated_configuration(0))
    (made,) = measure([plan])

    assert staged[0] == "Starting simulated"
    assert "asking what the endpoint accepts" in staged  # an endpoint may take minutes for that
    assert 0 <= made.environment["server"]["late_p99_s"] <= made.environment["server"]["late_max_s"]


def test_ctrl_c_cancels_once_and_ends_the_command_the_second_time():
    stopper = Stopper()
    stopper()

    assert stopper.asked()
    with pytest.raises(KeyboardInterrupt):
        stopper()


def test_ctrl_c_in_the_midst_of_what_holds_the_run_s_lock_waits_for_nothing():
    lock, cancelled = threading.Lock(), threading.Event()

    class Busy:
        def cancel(self):
            with lock:
                cancelled.set()

    stopper = Stopper()
    with stopper.listening():
        stopper.local = Busy()
        with lock:
            signal.raise_signal(signal.SIGINT)  # in this thread, which holds the lock

        assert cancelled.wait(10)


def test_signals_are_given_back():
    assert threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    with Stopper().listening():
        assert signal.getsignal(signal.SIGTERM) is not before

    assert signal.getsignal(signal.SIGTERM) is before


def test_the_status_says_whether_measured_requests_succeeded():
    good, bad = run(steady(3), state=RunState.COMPLETED), run([failed(0)], state=RunState.COMPLETED)

    assert report([good], None, wanted=1) == 0
    assert report([good, bad], None, wanted=2) == 1
    assert report([good], None, wanted=2) == 1
    assert report([], None, wanted=2) == 1
