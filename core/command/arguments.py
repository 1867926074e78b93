"""What can be typed after `cli.py`, and how it becomes plans. Measures nothing."""

import argparse
import sys
import tempfile
import uuid
from collections.abc import Sequence
from pathlib import Path
from reprlib import repr as shortened

from core import pasted
from core.calibration_result import LASTS, QUICK_LASTS
from core.command.given import Parser, require_only, unreadable_option
from core.command.limit_options import add_limit_options, limits
from core.command.load_options import add_load_options, asked
from core.command.trace_options import keep_trace
from core.command.workload_options import add_workload_options, workload
from core.plan import Configuration, Endpoint, Experiment, PlanError, RunPlan
from core.tls import ca_file_problem
from core.words import say

EPILOG = """examples:
  cli.py demo                                  compare three quantizations of the bundled model on this machine
  cli.py run --base-url http://127.0.0.1:8000/v1 --model qwen --concurrency 1,4,16 --requests 100 --out run.json
  cli.py run --base-url http://127.0.0.1:8000/v1 --model qwen --rate 2,4,8 --duration 60
  cli.py run --base-url http://127.0.0.1:8000/v1 --model qwen --trace requests.csv --speed 2
  cli.py run --base-url http://127.0.0.1:8000/v1 --model qwen --concurrency 1..256 --slo "ttft_s.p95 < 0.5"
  cli.py run --plan plan.json                  run what a page of the app gave you
  cli.py calibrate                             how many tokens/s can this machine measure, and how well?

`cli.py COMMAND --help` lists the options of one command.
Exit status: 0 if requests of every run succeeded (of a search: of one), 1 if not, 2 if the command cannot be
understood, 130 if Ctrl-C stopped it; what was measured by then is reported and written all the same."""

MOST_REPEATS = 100
BESIDE_PLAN = ("--out", "--no-preflight", "--priority", "--trace")  # where to, how and from what, never what
RUN = """Send requests to one endpoint that speaks the OpenAI API, as many in flight or a second as you say, and report
latencies, speeds and reasons to doubt them. --base-url and --model are needed, or --plan."""
RUN_ENDS = """examples:
  # 100 requests, 16 of them in flight at any time
  cli.py run --base-url http://127.0.0.1:8000/v1 --model qwen --concurrency 16 --requests 100
  # a minute each at 2, 4 and 8 requests a second, kept in a file
  cli.py run --base-url http://127.0.0.1:8000/v1 --model qwen --rate 2,4,8 --duration 60 --out run.json
  # the most requests in flight with which 95 of 100 first tokens come within half a second
  cli.py run --base-url http://127.0.0.1:8000/v1 --model qwen --concurrency 1..4096 --slo "ttft_s.p95 < 0.5"

One or two tiny requests go first, to find what the server accepts; what they changed is told. Ctrl-C ends the run under
way within two seconds, and what was measured is reported and written; press it again to leave at once.
Exit status: 0 if requests of every run succeeded (of a search: of one), 1 if not, 2 if the command cannot be
understood, 130 after Ctrl-C."""
DEMO = """Measure one small model in three quantizations at 1 and at 4 streams on a real llama.cpp server, which is
started here. The first time, its model files are made and kept. Needs no network and no graphics card."""
CALIBRATE = """Measure a simulator whose times are known exactly, at more and more streams, and tell how many tokens/s
this machine can measure and how far from the truth the measured times are. Takes {lasts}; stop other work
meanwhile."""
CALIBRATE_ENDS = "Exit status: 0 if at least one number of streams is measured well, else 1."
EXPORT = (
    "Write a run of Paceline's database, or all runs of an experiment, as a run file: JSON with every request, the "
    "format that `run --out` writes. Of a search it tells what was found."
)


def parsed(words: Sequence[str] | None) -> argparse.Namespace:
    """What was typed, None for this process's own command line. Ends with status 2 where it is not understood."""
    root = parser()
    unreadable = unreadable_option(sys.argv[1:] if words is None else words)
    if unreadable:
        root.exit(2, say("{command}: {what} is not UTF-8 text: write it as UTF-8, file names too.\n",
                         command=root.prog, what=unreadable))  # fmt: skip
    found, strange = root.parse_known_args(words)
    if strange:
        command = f"{root.prog} {found.command}"
        root.exit(
            2,
            say(
                "{command}: {words} is not known here. See: {command} --help\n",
                command=command,
                words=" ".join(strange),
            ),
        )
    return found


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    root = Parser(
        prog="cli.py",
        description="Measure LLM endpoints honestly, without a browser.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_run(
        commands.add_parser(
            "run",
            help="benchmark one endpoint at one or more levels, or search for the highest that keeps an SLO",
            usage="cli.py run (--base-url URL --model M | --plan FILE) [options]",
            description=RUN,
            epilog=RUN_ENDS,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
    )
    demo = commands.add_parser(
        "demo", help="the built-in comparison: Q4_0, Q8_0 and F16 of the bundled model", description=DEMO
    )
    demo.add_argument("--short", action="store_true", help="about 30 seconds instead of 3 minutes")
    demo.add_argument("--out", type=Path, metavar="FILE", help="write the run file (JSON)")
    calibrate = commands.add_parser(
        "calibrate",
        help="how much can this machine measure, with what error?",
        description=say(CALIBRATE, lasts=LASTS),
        epilog=CALIBRATE_ENDS,
    )
    calibrate.add_argument("--out", type=Path, metavar="FILE", help="write the result (JSON)")
    calibrate.add_argument("--quick", action="store_true", help=say("fewer levels, {lasts}", lasts=QUICK_LASTS))
    export = commands.add_parser("export", help="write stored runs as a run file", description=EXPORT)
    export.add_argument(
        "run", metavar="ID", help="the run's id, as its page shows it; or an experiment's, as a launch's address has it"
    )
    export.add_argument("--out", type=Path, metavar="FILE", help="where to write; standard output without it")
    return root


def _add_run(run: argparse.ArgumentParser) -> None:
    target = run.add_argument_group("what answers")
    target.add_argument("--base-url", metavar="URL", help="such as http://127.0.0.1:8000/v1")
    target.add_argument("--model", metavar="M", help="its name, as the server lists it")
    target.add_argument("--label", metavar="TEXT", help="what to call it in tables (default: the model)")
    target.add_argument(
        "--api", choices=("chat", "completions"), default="chat", help="/chat/completions (default) or /completions"
    )
    target.add_argument(
        "--api-key-env", metavar="NAME", help="environment variable that holds the key; sent to this host only"
    )
    target.add_argument(
        "--header", action="append", default=[], metavar="'NAME: VALUE'", help="an extra header; may be repeated"
    )
    target.add_argument(
        "--ca", type=Path, metavar="FILE", help="certificate authority to trust instead of the system's"
    )
    target.add_argument("--insecure", action="store_true", help="accept any certificate")
    add_load_options(run)
    add_workload_options(run)
    add_limit_options(run)
    _add_files(run)


def _add_files(run: argparse.ArgumentParser) -> None:
    rest = run.add_argument_group("from where, to where, and how")
    rest.add_argument(
        "--plan",
        type=Path,
        metavar="FILE",
        help="run a plan file, as pages of the app give it; it says all that options above do: none goes with it (but "
        "--trace, if it replays one)",
    )
    rest.add_argument("--out", type=Path, metavar="FILE", help="write the run file (JSON), one run a level")
    rest.add_argument(
        "--no-preflight",
        action="store_true",
        help="send no tiny request first; the server must then accept every parameter",
    )
    rest.add_argument(
        "--priority", choices=("raised", "normal"), default="raised",
        help="of the measuring process, where the system permits; raised (default) keeps times true beside other work",
    )  # fmt: skip


def experiment(options: argparse.Namespace) -> Experiment:
    """The experiment that the options of `run` ask for. Raises PlanError."""
    if options.plan is not None:
        require_only(options, BESIDE_PLAN, "--plan")
        keep_trace(options.trace)
        return pasted.experiment_of_file(options.plan)
    if not options.base_url or not options.model:
        raise PlanError(say("Name what to measure: --base-url and --model, or --plan FILE."))
    if options.ca is not None:
        wrong = ca_file_problem(verify=not options.insecure, ca_file=str(options.ca))
        if wrong:
            raise PlanError(say("--ca: {wrong}", wrong=wrong))
    wanted = asked(options)
    configuration, what = _configuration(options), workload(options)
    plans = [RunPlan(configuration=configuration, workload=what, load=load, slo=wanted.slo) for load in wanted.loads]
    if not 1 <= options.repeats <= MOST_REPEATS:
        raise PlanError(say("--repeats is {n}: give 1 to {most}.", n=shortened(options.repeats), most=MOST_REPEATS))
    if options.repeats > 1 and (wanted.search or wanted.sweep):
        raise PlanError(say("--repeats goes with levels: a search measures its edge twice by itself."))
    return Experiment(
        id=uuid.uuid4().hex[:12],
        name=configuration.label,
        plans=tuple(plan for plan in plans for _ in range(options.repeats)),
        search=wanted.search,
        sweep=wanted.sweep,
        cooldown_s=options.cooldown,
        skip_saturated=options.skip_saturated,
    )


def _configuration(options: argparse.Namespace) -> Configuration:
    endpoint = Endpoint(
        name="command line",
        base_url=options.base_url,
        api=options.api,
        key_name=options.api_key_env,
        headers=tuple(_header(text) for text in options.header),
        verify=not options.insecure,
        ca_file=str(options.ca.resolve()) if options.ca is not None else None,
        limits=limits(options),
    )
    return Configuration(
        id="command-line", label=options.label or options.model[:120], endpoint=endpoint, model=options.model
    )


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon:
        raise PlanError(say("--header is {text!r}: write it as 'Name: value'.", text=text))
    return name.strip(), value.strip()


def require_writable(out: Path | None) -> None:
    """Notice before anything is measured that a file cannot be written. Raises PlanError."""
    if out is None:
        return
    try:
        _require_place(out)
        if out.exists() and not out.is_file():
            return  # a pipe or a device: to open it might wait for a reader
        if out.exists():
            out.open("ab").close()
        tempfile.TemporaryFile(dir=out.parent).close()  # the whole file is made beside the old one, then replaces it
    except OSError as fault:
        raise PlanError(
            say(
                "--out {path} cannot be written ({reason}): choose another place.",
                path=shortened(str(out)).strip("'\""),
                reason=fault.strerror,
            )
        ) from None


def _require_place(out: Path) -> None:
    if out.is_dir() or not out.name:
        raise PlanError(say("--out {path} is a folder: name a file in it.", path=out))
    if not out.parent.is_dir():
        raise PlanError(
            say("--out {path}: the folder {folder} is not there. Make it first.", path=out, folder=out.parent)
        )
