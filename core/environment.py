"""What this machine and this interpreter are: stored with every run. Asks files and no library; never the network."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from core.version import VERSION

LIBRARIES = ("streamlit", "plotly", "openai", "httpx", "duckdb", "transformers", "uvloop", "httptools", "orjson")
CGROUP_MEMORY = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
NOT_LIMITED = 1 << 60  # older cgroups write a number near 2**63 for no limit


def environment() -> dict[str, Any]:
    """Versions and hardware; None where the system does not tell. Cheap enough for the start of every run."""
    system = os.uname()
    return {
        "paceline": VERSION,
        "python": ".".join(str(part) for part in sys.version_info[:3]),
        "libraries": library_versions(LIBRARIES, sys.path),
        "cpu": cpu_model(),
        "cores": usable_cores(),
        "memory_bytes": memory_bytes(),
        "platform": f"{system.sysname} {system.release} {system.machine}",
    }


def library_versions(names: Iterable[str], folders: Iterable[str]) -> dict[str, str]:
    """Installed versions, read off the names of `*.dist-info` folders.

    importlib.metadata tells the same, but its import alone costs more than everything else here.
    """
    wanted, found = set(names), dict[str, str]()
    for folder in folders:
        try:
            entries = [entry.name for entry in os.scandir(folder or ".")]
        except OSError:  # zip files and folders that are not there
            continue
        for entry in entries:
            name, dash, version = entry.removesuffix(".dist-info").partition("-")
            if dash and entry.endswith(".dist-info") and name.lower().replace("_", "-") in wanted:
                found.setdefault(name.lower().replace("_", "-"), version)
    return dict(sorted(found.items()))


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str | None:
    """The processor's name as the system writes it."""
    if sys.platform == "darwin":
        said = subprocess.run(["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True, check=False)
        return said.stdout.strip() or None
    try:
        lines = cpuinfo.read_text(errors="replace").splitlines()
    except OSError:
        return None
    fields = [(name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    for wanted in ("model name", "Model", "Hardware"):  # the last two are what ARM boards write
        for name, value in fields:
            if name == wanted and value:
                return value
    return os.uname().machine or None


def usable_cores() -> int | None:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def memory_bytes(limits: Iterable[Path] = CGROUP_MEMORY) -> int | None:
    """Memory this process may use: the machine's, or its container's if that is less."""
    found = []
    with contextlib.suppress(OSError, ValueError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for limit in limits:
        try:
            found.append(int(limit.read_text()))
        except (OSError, ValueError):  # not there, or "max"
            continue
    return min((size for size in found if 0 < size < NOT_LIMITED), default=None)
