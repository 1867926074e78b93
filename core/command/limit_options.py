"""The options of `cli.py run` that say when to give up and what to keep under. Measures nothing."""

import argparse

from core.command.numbers import amount_per_cent, seconds, whole
from core.plan import Limits
from core.restraint import Restraint

TIMEOUTS = (
    ("connect", 10, "until a connection stands"),
    ("first-byte", 300, "from the request to the first byte of its answer"),
    ("idle", 120, "from one piece of an answer to the next"),
    ("total", 1800, "from the request to the end of its answer"),
)
USUAL = Limits()


def add_limit_options(run: argparse.ArgumentParser) -> None:
    """Add them in groups of their own."""
    told = run.add_argument_group("endpoints that limit how much they are asked")
    told.add_argument("--rpm", type=whole, metavar="N", help="send at most so many requests a minute, evenly spaced")
    told.add_argument(
        "--tpm", type=whole, metavar="N", help="at most so many tokens a minute, prompts and answers as asked for"
    )
    told.add_argument(
        "--keep-under-limits", action="store_true",
        help="keep under the limits a minute that the endpoint tells in its headers, where --rpm and --tpm give none",
    )  # fmt: skip
    told.add_argument(
        "--wait-as-asked", action="store_true",
        help="after an answer with Retry-After send nothing until its time is over; no latency holds the wait",
    )  # fmt: skip
    stop = run.add_argument_group("when to give up")
    for name, default, meaning in TIMEOUTS:
        stop.add_argument(
            f"--timeout-{name}", type=seconds, default=float(default), metavar="S",
            help=f"seconds {meaning} (default {default})",
        )  # fmt: skip
    stop.add_argument(
        "--max-output-tokens", type=whole, metavar="N", help="end a level's sending once so many output tokens came"
    )
    stop.add_argument(
        "--max-failures", type=amount_per_cent, default=USUAL.error_share, metavar="PERCENT",
        help=f"stop when more of at least 20 ended requests failed (default {USUAL.error_share * 100:g})",
    )  # fmt: skip


def limits(options: argparse.Namespace) -> Limits:
    """What the options say. Raises PlanError."""
    return Limits(
        connect_s=options.timeout_connect,
        first_byte_s=options.timeout_first_byte,
        idle_s=options.timeout_idle,
        total_s=options.timeout_total,
        error_share=options.max_failures,
        max_output_tokens=options.max_output_tokens,
    )


def restraint(options: argparse.Namespace) -> Restraint:
    """What the options say. Raises PlanError."""
    return Restraint(
        requests_per_minute=options.rpm,
        tokens_per_minute=options.tpm,
        as_told=options.keep_under_limits,
        wait_as_asked=options.wait_as_asked,
    )
