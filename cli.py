"""Paceline without a browser. `python cli.py --help` tells; every command's work lives in `core.command`."""

import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit status."""
    from core.command import arguments
    from core.key_file import KeyProblem
    from core.plan import PlanError

    options = arguments.parser().parse_args(argv)
    try:
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
    except BrokenPipeError:  # the reader of our output went away
        return 1


if __name__ == "__main__":
    sys.exit(main())
