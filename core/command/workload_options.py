"""The options of `cli.py run` that say what is asked, and the workload they mean. Measures nothing."""

import argparse
from pathlib import Path

from core import pasted
from core.command.numbers import whole
from core.lengths import Length, read_length, read_pairs
from core.plain_file import first_bytes
from core.plan import PlanError, Workload
from core.words import say
from core.workload import LANGUAGES, MOST_OUTPUT, mean_of

LENGTHS = """A length is a number of tokens (128), lies between two (64..256), or around one (normal:128,32 or
lognormal:128,32: mean and standard deviation). Prompts are made exactly that long where the server counts tokens."""
MOST_FILE_BYTES = 1_000_000


def add_workload_options(run: argparse.ArgumentParser) -> None:
    """Add them in a group of their own."""
    what = run.add_argument_group("what is asked", description=LENGTHS)
    what.add_argument("--input-tokens", default="128", metavar="LENGTH", help="of a prompt (default 128)")
    what.add_argument("--output-tokens", default="128", metavar="LENGTH", help="of an answer that is asked for")
    what.add_argument(
        "--lengths", metavar="PAIRS",
        help="instead of both: prompts and answers that belong together, such as 128:64*3,1024:256: the first kind "
        "three times as often",
    )  # fmt: skip
    what.add_argument("--language", choices=LANGUAGES, default="english", help="of the made-up text (default english)")
    what.add_argument("--system-prompt", metavar="TEXT", help="goes before every prompt; @FILE reads it from a file")
    what.add_argument("--stop", action="append", default=[], metavar="TEXT", help="end answers here; may be repeated")
    what.add_argument(
        "--ignore-eos", action="store_true", help="have every answer exactly that long, where the server can"
    )
    what.add_argument(
        "--no-stream", action="store_true", help="ask for whole answers; TTFT, TPOT and gaps then do not exist"
    )
    what.add_argument(
        "--extra-body",
        metavar="JSON",
        default="{}",
        help="further keys of the request body, such as '{\"top_p\": 0.9}'",
    )
    what.add_argument("--keep-text", action="store_true", help="keep the answers' texts, in the run file too")
    what.add_argument(
        "--seed", type=whole, default=0, metavar="N",
        help="another number draws other words for the prompts (default 0)",
    )  # fmt: skip


def workload(options: argparse.Namespace) -> Workload:
    """What the options ask for. Raises PlanError."""
    pairs = read_pairs(options.lengths) if options.lengths is not None else ()
    asked, answer = _lengths(options)
    means = mean_of(pairs) if pairs else (asked.mean, answer.mean)
    return Workload(
        input_tokens=means[0],
        output_tokens=means[1],
        input_spread=None if pairs else asked.spread,
        output_spread=None if pairs else answer.spread,
        pairs=pairs,
        language=options.language,
        system_prompt=_system_prompt(options.system_prompt),
        stop=tuple(options.stop),
        stream=not options.no_stream,
        ignore_eos=options.ignore_eos,
        extra_body=pasted.extra_body(options.extra_body, "--extra-body"),
        seed=options.seed,
        keep_text=options.keep_text,
    )


def _lengths(options: argparse.Namespace) -> tuple[Length, Length]:
    try:
        return read_length(options.input_tokens), read_length(options.output_tokens, most=MOST_OUTPUT)
    except PlanError as fault:
        raise PlanError(say("--input-tokens or --output-tokens: {fault}", fault=fault)) from None


def _system_prompt(written: str | None) -> str | None:
    if written is None or not written.startswith("@"):
        return written
    path = Path(written[1:])
    try:
        return first_bytes(path, MOST_FILE_BYTES).decode()
    except (OSError, UnicodeDecodeError) as fault:
        reason = fault if isinstance(fault, OSError) else say("it is not UTF-8 text")
        raise PlanError(say("--system-prompt {path} cannot be read: {reason}.", path=path, reason=reason)) from None
