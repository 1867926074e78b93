"""Paceline without a browser. `python cli.py --help` tells; every command's work lives in `core.command`."""

import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

STOPPING = (signal.SIGINT, signal.SIGTERM)  # a polite kill is a Ctrl-C


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit status."""
    pressed: list[int] = []
    # While modules load, a stop is only noted: an exception in the midst of one could be lost, or end in a crash.
    for number in STOPPING:
        signal.signal(number, lambda got, _: pressed.append(got))
    try:
        command, out = _command(argv)
        for number in STOPPING:
            signal.signal(number, signal.default_int_handler)
        return 130 if pressed else _obeyed(command, out)
    except BrokenPipeError:  # the reader of our output went away
        return 1
    except OSError as fault:  # a full disk under standard output
        sys.stderr.write(f"{fault.strerror or fault}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return 130


def _command(argv: list[str] | None) -> tuple[Callable[[], int], Path | None]:
    """What was asked for, with all that it needs loaded, and the file that it is to write."""
    from core.command import arguments

    options = arguments.parsed(argv)
    if options.command == "run":
        from core.command.run import run

        return partial(run, options), options.out
    if options.command == "demo":
        from core.command.demo import demo

        return partial(demo, short=options.short, out=options.out), options.out
    if options.command == "calibrate":
        from core.command.calibrating import calibrating

        return partial(calibrating, quick=options.quick, out=options.out), options.out
    from storage.exporting import export

    return partial(export, options.run, options.out), options.out


def _obeyed(command: Callable[[], int], out: Path | None) -> int:
    """The command's status; what makes no sense is one sentence and 2."""
    from core.command.arguments import require_writable
    from core.key_file import KeyProblem
    from core.plan import PlanError

    try:
        require_writable(out)
        return command()
    except (PlanError, KeyProblem) as fault:
        print(fault, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
