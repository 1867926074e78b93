"""Prints the path of a Chromium or Chrome for the browser tests, and brings one where there is none.

A browser of the system first, then Debian's package if root may install it, then Playwright's own.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
HELP = """No browser for the browser tests, and none could be installed. One of these brings it:
  sudo apt-get install chromium          (Debian)
  .venv/bin/playwright install --with-deps chromium
  PACELINE_BROWSER=/path/to/chrome make test
make check runs everything else."""


def main() -> int:
    """Find, else install, else say how."""
    found = given() or of_the_system() or from_debian() or from_playwright()
    if found is None:
        print(HELP, file=sys.stderr)
        return 1
    print(found)
    return 0


def given() -> str | None:
    """The browser that PACELINE_BROWSER names; one that does not start is an error, not a reason to look further."""
    path = os.environ.get("PACELINE_BROWSER")
    if path and not starts(path):
        sys.exit(f"PACELINE_BROWSER={path} does not start: give the path of a Chromium or Chrome.")
    return path or None


def of_the_system() -> str | None:
    """An installed Chromium or Chrome that starts."""
    candidates = [shutil.which(name) for name in NAMES] + [path for path in MAC if Path(path).exists()]
    return next((path for path in candidates if path and starts(path)), None)


def starts(path: str) -> bool:
    """Whether it runs at all: a stub, or one with a library missing, does not."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def from_debian() -> str | None:
    """Debian's package, if we are root there. Ubuntu's package of that name is only a pointer to a snap."""
    release = Path("/etc/os-release")
    debian = release.exists() and "ID=debian" in release.read_text().splitlines()
    if not debian or os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium"]
    surroundings = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (install, ["apt-get", "update", "-q"], install):
        print(f"Installing a browser: {' '.join(command)}", file=sys.stderr, flush=True)
        done = subprocess.run(
            command, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        )
        if command is install and done.returncode == 0:
            return of_the_system()
    return None


def from_playwright() -> str | None:
    """Playwright's own Chromium, downloaded once into its cache."""
    path = playwright_path()
    if path and starts(path):
        return path
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    if sys.platform == "linux" and os.geteuid() == 0:
        command.insert(-1, "--with-deps")
    print(f"Installing a browser: {' '.join(command[2:])}", file=sys.stderr, flush=True)
    subprocess.run(command, stdout=sys.stderr, check=False)
    path = playwright_path()
    return path if path and starts(path) else None


def playwright_path() -> str | None:
    """Where Playwright would start its Chromium from; asked in a child because its driver may be broken."""
    ask = "from playwright.sync_api import sync_playwright as p\nwith p() as w: print(w.chromium.executable_path)"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, timeout=60, check=False)
    path = done.stdout.strip()
    return path if done.returncode == 0 and Path(path).exists() else None


if __name__ == "__main__":
    sys.exit(main())
