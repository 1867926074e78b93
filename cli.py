"""Paceline without a browser. `python cli.py --help` tells; every command's work lives in `core.command`."""

import signal
import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit status."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a polite kill is a Ctrl-C
    try:
        return _command(argv)
    except BrokenPipeError:  # the reader of our output went away
        return 1
    except OSError as fault:  # a full disk under standard output
        sys.stderr.write(f"{fault.strerror or fault}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return 130


def _command(argv: list[str] | None) -> int:
    from core.command import arguments
    from core.key_file import KeyProblem
    from core.plan import PlanError

    options = arguments.parsed(argv)
    try:
        arguments.require_writable(options.out)
        if options.command == "run":
            from core.command.run import run

            return run(options)
        if options.command == "demo":
            from core.command.demo import demo

            return demo(short=options.short, out=options.out)
        if options.command == "calibrate":
            from core.command.calibrating import calibrating

            return calibrating(quick=options.quick, out=options.out)
        from storage.exporting import export

        return export(options.run, options.out)
    except (PlanError, KeyProblem) as fault:
        print(fault, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
