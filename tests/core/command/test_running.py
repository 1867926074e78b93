"""How the command line ends: what was measured is reported, whatever stopped it."""

import json
import os
import signal
import threading
from dataclasses import replace

import pytest

from core import runfile
from core.command import running
from core.command.running import INTERRUPTED, Measured, Stopper, measure, measure_and_report, report
from core.course import Done
from core.fleet.hosting import HostError
from core.plan import Experiment, RunPlan, Slo
from core.run import RunState
from core.search import Search
from core.servers.builtin import simulated_configuration
from core.servers.paced_child import PacedServer
from core.summary import summarise
from tests.core.example_runs import failed, plan, run, steady
from tests.core.fleet.test_local import plan_for


@pytest.fixture(autouse=True)
def own_lock(tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_LOCK", str(tmp_path / "lock"))


def stoppable(wanted: Experiment, stopper: Stopper | None = None) -> Measured:
    """Measured as a command does it: listening for Ctrl-C, which a test gives by calling its stopper."""
    stopper = stopper or Stopper()
    with stopper.listening():
        return measure(wanted, stopper)


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
        wanted = Experiment(id="e", name="e", plans=(plan, demo, plan))
        measured = stoppable(wanted)

    assert [one.run.state for one in measured.done] == [RunState.COMPLETED]
    assert "did not start" in capsys.readouterr().err
    assert report(wanted, measured, None) == 1


def test_a_stop_while_a_server_is_made_ready_measures_nothing_more(monkeypatch, capsys):
    stopper = Stopper()

    class Slow:
        def ready(self, plan, say):
            stopper()  # Ctrl-C, now
            say("starting")
            return plan, {}

        def release(self):
            pass

    monkeypatch.setattr("core.fleet.builtin_host.BuiltinHost", lambda _: Slow())

    wanted = Experiment(id="e", name="e", plans=(RunPlan(configuration=simulated_configuration(0)),))
    measured = stoppable(wanted, stopper)

    assert measured == Measured(done=(), interrupted=True)
    assert report(wanted, measured, None) == INTERRUPTED
    assert "before anything was measured" in capsys.readouterr().err


def test_a_simulated_run_says_what_it_does_and_knows_how_late_its_simulator_was(monkeypatch):
    staged = []
    monkeypatch.setattr(running.Line, "stage", lambda _line, *parts: staged.append(parts[0]))
    plan = replace(plan_for("http://x", requests=2), configuration=simulated_configuration(0))
    (made,) = stoppable(Experiment(id="e", name="e", plans=(plan,))).done

    server = made.run.environment["server"]
    assert staged[0] == "Starting simulated"
    assert "asking what the endpoint accepts" in staged  # an endpoint may take minutes for that
    assert 0 <= server["late_p99_s"] <= server["late_max_s"]


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


def test_runs_of_an_experiment_know_their_repeat_and_their_place():
    with PacedServer() as server:
        plan = plan_for(server.base_url, requests=2)
        done = stoppable(Experiment(id="e", name="two", plans=(plan, plan), cooldown_s=0.1)).done

    assert [one.run.experiment for one in done] == [
        {"id": "e", "name": "two", "repeat": 0, "position": 0, "cooldown_s": 0.1},
        {"id": "e", "name": "two", "repeat": 1, "position": 1, "cooldown_s": 0.1},
    ]


def test_a_search_measures_until_the_edge_is_known_and_writes_it_beside_the_runs(tmp_path, capsys):
    out = tmp_path / "runs.json"
    with PacedServer() as server:
        plan = plan_for(server.base_url, model="gt-ttft1000-itl0-grow150000", requests=8, concurrency=1)
        search = Search(variable="concurrency", low=1, high=8, slo=Slo.read(["ttft_s.p50 < 0.55"]))
        wanted = Experiment(id="e", name="e", plans=(plan,), search=search)
        measured = stoppable(wanted)

    assert report(wanted, measured, out) == 0
    found = json.loads(out.read_text())["search"]
    assert found["edge"] == 3
    assert found["slo"] == ["ttft_s.p50 < 0.55"]
    assert found["probes"] == [one.run.id for one in measured.done]
    assert "Up to 3 requests in flight" in capsys.readouterr().out


def test_a_search_that_cannot_be_judged_has_no_edge_and_no_success(tmp_path, capsys):
    records = steady(4, tokens=None)
    search = Search(variable="concurrency", low=1, high=8, slo=Slo.read(["tpot_s.p50 < 5"]))
    wanted = Experiment(id="e", name="e", plans=(plan(),), search=search)
    measured = Measured(done=(Done(run=run(records), summary=summarise(records)),))

    assert report(wanted, measured, tmp_path / "runs.json") == 1
    assert json.loads((tmp_path / "runs.json").read_text())["search"]["edge"] is None
    told = capsys.readouterr().out
    assert "cannot be judged: TPOT is unknown, as the server counts no tokens" in told
    assert "No level from" not in told


def test_a_search_that_was_cut_short_is_no_success(capsys):
    records = steady(4)
    search = Search(variable="concurrency", low=1, high=8, slo=Slo.read(["ttft_s.p50 < 5"]))
    lost = replace(plan(), load=replace(plan().load, concurrency=4))
    done = (
        Done(run=run(records), summary=summarise(records)),
        Done(run=run(of=lost, state=RunState.FAILED, message="The process died."), summary=summarise([])),
    )
    wanted = Experiment(id="e", name="e", plans=(plan(),), search=search)

    assert report(wanted, Measured(done=done), None) == 1
    assert "The search was cut short at 4 requests in flight: The process died." in capsys.readouterr().out


def test_the_status_says_whether_measured_requests_succeeded():
    good, bad = (Done(run=run(seen), summary=summarise(seen)) for seen in (steady(3), [failed(0)]))
    one = Experiment(id="e", name="e", plans=(good.run.plan,))
    two = Experiment(id="e", name="e", plans=(good.run.plan,) * 2)

    assert report(one, Measured(done=(good,)), None) == 0
    assert report(two, Measured(done=(good, bad)), None) == 1
    assert report(two, Measured(done=(good,)), None) == 1
    assert report(two, Measured(done=()), None) == 1


@pytest.mark.parametrize("searched", [False, True])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_whenever_the_user_stopped_it_the_status_is_130_and_what_was_measured_is_written(count, searched, tmp_path):
    done = tuple(Done(run=run(seen), summary=summarise(seen)) for seen in (steady(3), [failed(0)]))[:count]
    plan = run(steady(3)).plan
    search = Search(variable="concurrency", low=1, high=8, slo=Slo.read(["ttft_s.p50 < 9"])) if searched else None
    wanted = Experiment(id="e", name="e", plans=(plan,) if searched else (plan,) * 2, search=search)

    assert report(wanted, Measured(done=done, interrupted=True), tmp_path / "f.json") == INTERRUPTED
    assert (tmp_path / "f.json").exists() is (count > 0)


def test_a_stop_in_a_cool_down_ends_it_and_keeps_the_run_before(monkeypatch):
    stopper = Stopper()
    monkeypatch.setattr(running.Line, "rest", lambda *_: stopper())  # Ctrl-C, while it rests
    with PacedServer() as server:
        plan = plan_for(server.base_url, requests=2)
        wanted = Experiment(id="e", name="e", plans=(plan, plan), cooldown_s=60.0)
        measured = stoppable(wanted, stopper)

    assert [one.run.state for one in measured.done] == [RunState.COMPLETED]
    assert report(wanted, measured, None) == INTERRUPTED


def test_the_server_is_asked_once_what_it_is_and_every_level_knows(monkeypatch):
    asked = []
    local = running.LocalRun
    monkeypatch.setattr(
        running, "LocalRun", lambda *args, **options: asked.append(options["identify"]) or local(*args, **options)
    )
    with PacedServer() as server:
        plan = plan_for(server.base_url, requests=2)
        done = stoppable(Experiment(id="e", name="e", plans=(plan, plan))).done

    assert asked == [True, False]
    assert [one.run.environment["server"]["engine"] for one in done] == ["Paceline simulator"] * 2


def test_ctrl_c_while_the_file_is_written_loses_nothing(monkeypatch, tmp_path, capsys):
    write = runfile.write

    def interrupted(*args, **options):
        os.kill(os.getpid(), signal.SIGINT)
        write(*args, **options)

    monkeypatch.setattr(runfile, "write", interrupted)
    with PacedServer() as server:
        wanted = Experiment(id="e", name="e", plans=(plan_for(server.base_url, requests=2),))
        status = measure_and_report(wanted, tmp_path / "run.json")

    assert status == INTERRUPTED
    assert len(runfile.read(tmp_path / "run.json")) == 1
    assert "Written" in capsys.readouterr().out


def test_a_report_on_two_configurations_ends_with_the_verdict(capsys):
    one, other = (plan(concurrency=1), replace(plan(concurrency=1)))
    other = replace(other, configuration=replace(other.configuration, id="other", label="other"))
    done = tuple(Done(run=run(steady(40), of=of), summary=summarise(steady(40))) for of in (one, other))

    report(Experiment(id="e", name="e", plans=(one, other)), Measured(done=done), None)

    assert "\nVerdict: No difference in decode speed seen between " in capsys.readouterr().out
