"""The options of `cli.py run` that replay a recorded load; what its file says is read here. Measures nothing."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from core.levels import read_speeds
from core.trace import Trace
from core.words import say


def add_trace_options(load: "argparse._ArgumentGroup", level: "argparse._MutuallyExclusiveGroup") -> None:
    """Beside the other ways to say a load."""
    level.add_argument(
        "--trace", type=Path, metavar="FILE",
        help="replay a recorded load: CSV or JSON lines with a timestamp, a prompt length and an answer length; names "
        "of the mooncake and BurstGPT traces are understood; all of it, unless --requests or --duration ends it",
    )  # fmt: skip
    load.add_argument(
        "--speed",
        default=None,
        metavar="X",
        help="of --trace: 2 offers twice its rate; 1,2,4 makes three runs (default 1)",
    )


def traced(options: argparse.Namespace) -> tuple[Trace, ...]:
    """The trace at each speed, its rows kept on this machine. Raises PlanError."""
    trace = keep_trace(options.trace)
    assert trace is not None
    speeds = read_speeds(options.speed or "1")
    return tuple(replace(trace, speed=speed) for speed in speeds)


def keep_trace(path: Path | None) -> Trace | None:
    """Read the file, keep its rows, and say what was understood of it; None without a file. Raises PlanError."""
    if path is None:
        return None
    from core import trace_reading, trace_shelf
    from core.command.terminal import printable

    found = trace_reading.read_file(path)
    trace_shelf.keep(found.rows)
    trace = found.rows.trace(found.name)
    words = say("Trace {name}: {rows:,} requests over {span:,.0f} s, {rate:.3g} requests/s on average.",
                name=trace.name, rows=trace.rows, span=trace.span_s, rate=trace.rate)  # fmt: skip
    print(printable(" ".join([words, *found.notes()])), file=sys.stderr)
    return trace
