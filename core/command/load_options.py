"""The options of `cli.py run` that say how it is asked, and the loads, search or sweep they mean. Measures nothing."""

import argparse
import math
import re
from dataclasses import replace

from core.asked import AskedLoad, Manner
from core.command.limit_options import restraint
from core.command.numbers import amount, positive, seconds, shape, whole
from core.command.trace_options import add_trace_options, traced
from core.levels import read_levels, read_range, read_stages, read_whole
from core.load import SHAPES, Load, Stage, Variable
from core.plan import PlanError, Slo, Sweep
from core.search import Search
from core.words import say

REQUESTS = 20  # measured a level where neither a number nor a time is given
AUTO = re.compile(r"auto(?::(.+))?")
LEVELS = """One run a level. LEVELS are numbers (1,4,16) or a range with a step (1..64:x2 doubles, 1..32:+4 adds).
A range without a step (1..4096) is searched for the most load that keeps --slo; auto finds levels itself."""


def add_load_options(run: argparse.ArgumentParser) -> None:
    """Add them in groups of their own."""
    load = run.add_argument_group("how it is asked", description=LEVELS)
    level = load.add_mutually_exclusive_group()
    level.add_argument(
        "--concurrency", metavar="LEVELS", help="so many requests in flight at all times (closed loop; default 1)"
    )
    level.add_argument("--rate", metavar="LEVELS", help="so many requests/s, whatever comes back (open loop)")
    level.add_argument(
        "--stages", metavar="S@LEVEL[..LEVEL][,...]",
        help="one run at rates that change, such as 30s@5,60s@5..50,30s@50: 30 s at 5 requests/s, rise to 50, stay",
    )  # fmt: skip
    add_trace_options(load, level)
    size = load.add_mutually_exclusive_group()
    size.add_argument("--requests", type=whole, metavar="N", help=f"measured requests a level (default {REQUESTS})")
    size.add_argument("--duration", type=seconds, metavar="S", help="instead of --requests: send for so many seconds")
    load.add_argument(
        "--warmup-requests", type=whole, default=1, metavar="N", help="requests before those that count (default 1)"
    )
    load.add_argument(
        "--repeats", type=whole, default=1, metavar="N", help="measure each level so many times (default 1)"
    )
    load.add_argument("--cooldown", type=amount, default=0.0, metavar="S", help="seconds of rest between two runs")
    load.add_argument(
        "--slo", action="append", default=[], metavar="LIMIT",
        help="a limit to keep, such as 'ttft_s.p95 < 0.5' or 'success_rate > 0.99'; may be repeated. Goodput counts "
        "the answers that keep all of them",
    )  # fmt: skip
    _add_open_loop(run.add_argument_group("open loop, and loads that change"))


def _add_open_loop(more: "argparse._ArgumentGroup") -> None:
    more.add_argument(
        "--burstiness", type=shape, default=1.0, metavar="K",
        help="how evenly requests come: 1 at random (Poisson, default), below 1 in bursts, inf at equal distances",
    )  # fmt: skip
    more.add_argument(
        "--max-in-flight", type=whole, metavar="N", help="never more at once: what is due then waits its turn"
    )
    more.add_argument(
        "--ramp",
        metavar="SHAPE:S[:FROM]",
        help="begin at FROM (default 1) and reach the level in S seconds; SHAPE is linear or exponential",
    )
    more.add_argument(
        "--stop-when-saturated",
        action="store_true",
        help="end a level once the server falls behind for good: requests in flight and TTFT both keep rising",
    )
    more.add_argument("--skip-saturated", action="store_true", help="leave out the levels above one that ended so")


def asked(options: argparse.Namespace) -> AskedLoad:
    """What the options ask for. Raises PlanError."""
    slo = Slo.read(options.slo) if options.slo else None
    if options.stages is not None:
        return AskedLoad(loads=(_staged(options),), slo=slo)
    if options.trace is not None:
        return AskedLoad(loads=_replayed(options), slo=slo)
    if options.speed is not None:
        raise PlanError(say("--speed goes with --trace."))
    variable: Variable = "concurrency" if options.rate is None else "rate"
    written = options.rate if options.rate is not None else (options.concurrency or "1")
    auto = AUTO.fullmatch(written.strip())
    searched = read_range(written, variable)
    manner = _manner(options, variable)
    if auto is not None:
        if variable == "rate":
            raise PlanError(say("--rate auto is not known: auto goes with --concurrency."))
        asked = manner.sweeping(_swept(auto.group(1)), slo)
    elif searched is not None:
        if slo is None:
            raise PlanError(
                say("{written!r} is a range without a step: a search needs --slo, levels a step such as {written}:x2.",
                    written=written[:80])
            )  # fmt: skip
        asked = manner.searching(Search(variable=variable, low=searched[0], high=searched[1], slo=slo))
    else:
        asked = AskedLoad(loads=tuple(manner.at(variable, level) for level in read_levels(written, variable)), slo=slo)
    return replace(asked, loads=tuple(_ramped(options.ramp, load) for load in asked.loads))


def _swept(written: str | None) -> Sweep:
    if written is None:
        return Sweep()
    high = read_whole(written)
    if high is None:
        raise PlanError(say("--concurrency is {written!r}: write auto, or auto:64 for levels up to 64.",
                            written=f"auto:{written}"[:80]))  # fmt: skip
    return Sweep(high=high)


def _manner(options: argparse.Namespace, variable: Variable) -> Manner:
    bursty = options.burstiness
    if variable == "concurrency":
        idle = {
            "--burstiness": bursty != 1.0,
            "--max-in-flight": options.max_in_flight is not None,
            "--stop-when-saturated": options.stop_when_saturated,
            "--skip-saturated": options.skip_saturated,
        }
        if any(idle.values()):
            given = ", ".join(flag for flag, is_given in idle.items() if is_given)
            raise PlanError(
                say("A closed loop has no arrivals and no queue: leave out {given}, or give --rate.", given=given)
            )
    return Manner(
        requests=REQUESTS if options.requests is None and options.duration is None else options.requests,
        duration_s=options.duration,
        warmup_requests=options.warmup_requests,
        burstiness=1.0 if math.isinf(bursty) else bursty,
        constant=math.isinf(bursty),
        max_in_flight=options.max_in_flight,
        stop_when_saturated=options.stop_when_saturated,
        restraint=restraint(options),
    )


def _ramped(written: str | None, load: Load) -> Load:
    return load if written is None else replace(load, stages=_ramp(written, load.value))


def _ramp(written: str, level: float) -> tuple[Stage, ...]:
    name, _, rest = written.partition(":")
    length, _, begin = rest.partition(":")
    shape = next((known for known in SHAPES if known == name), None)
    length_s, start = positive(length), positive(begin or "1")
    if shape is None or length_s is None or start is None:
        raise PlanError(
            say("--ramp is {written!r}: write it like linear:30 or exponential:60:2.", written=written[:80])
        )
    if start >= level:
        raise PlanError(
            say("--ramp begins at {start:g}, the level is {level:g}: begin below it, as in {shape}:{length}:{less:g}.",
                start=start, level=level, shape=shape, length=length[:20], less=level / 2)
        )  # fmt: skip
    return (Stage(seconds=length_s, start=start, end=level, shape=shape),)


def _staged(options: argparse.Namespace) -> Load:
    if options.ramp is not None:
        raise PlanError(
            say("--stages say every level themselves: write the ramp as one of them, and leave --ramp out.")
        )
    return _manner(options, "rate").along(read_stages(options.stages), to_their_end=_to_the_end(options))


def _replayed(options: argparse.Namespace) -> tuple[Load, ...]:
    if options.ramp is not None or options.burstiness != 1.0:
        raise PlanError(say("--trace has its own arrivals: leave --ramp and --burstiness out."))
    manner = _manner(options, "rate")
    return tuple(manner.replaying(trace, to_its_end=_to_the_end(options)) for trace in traced(options))


def _to_the_end(options: argparse.Namespace) -> bool:
    return options.requests is None and options.duration is None
