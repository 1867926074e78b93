"""`cli.py demo`: the built-in comparison without a browser."""

from pathlib import Path

from core.command.running import measure_and_report
from core.servers.builtin import builtin_experiment
from core.words import say


def demo(*, short: bool, out: Path | None) -> int:
    """Measure Q4_0, Q8_0 and F16 of the bundled model; the exit status."""
    experiment = builtin_experiment("short" if short else "full")
    print(say("{name}: {n} runs of real requests on this machine.", name=experiment.name, n=len(experiment.plans)))
    return measure_and_report(experiment, out)
