"""`cli.py demo`: the built-in comparison without a browser."""

import sys
from dataclasses import replace
from pathlib import Path

from core.command.running import Stopper, report
from core.command.terminal import Line
from core.fleet.builtin_host import BuiltinHost
from core.fleet.local import LocalRun
from core.fleet.registry import HostError
from core.plan import RunPlan
from core.run import Run
from core.servers.builtin import builtin_experiment
from core.servers.demo import DemoServers
from core.words import say


def demo(*, short: bool, out: Path | None) -> int:
    """Measure Q4_0, Q8_0 and F16 of the bundled model; the exit status."""
    experiment = builtin_experiment("short" if short else "full")
    print(say("{name}: {n} runs of real requests on this machine.", name=experiment.name, n=len(experiment.plans)))
    servers = DemoServers()
    host = BuiltinHost(servers)
    stopper = Stopper()
    runs: list[Run] = []
    try:
        with stopper.listening():
            runs.extend(_one(plan, host, stopper) for plan in experiment.plans if not stopper.asked.is_set())
    except HostError as fault:
        print(fault, file=sys.stderr)
        return 1
    finally:
        host.release()
        servers.stop_all()
    return report(runs, out)


def _one(plan: RunPlan, host: BuiltinHost, stopper: Stopper) -> Run:
    line = Line(plan)
    placed, server = host.ready(plan, line.stage)
    line.clear()
    stopper.local = local = LocalRun(placed, listener=line)
    opening = local.opening()
    run = local.run(replace(opening, environment={**opening.environment, "server": server}))
    line.clear()
    return replace(run, plan=plan)
