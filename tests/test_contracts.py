"""The import contracts hold, and each of them breaks when it is violated: a rule that cannot fail is no rule."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINT = [
    sys.executable,
    "-c",
    "from importlinter.cli import lint_imports_command as lint; lint()",
    "--no-logo",
    "--no-cache",
]

# contract -> (file, the line that must not be there)
VIOLATIONS = {
    "house": ("storage/__init__.py", "import pages.parts.text"),
    "core": ("core/records.py", "import core.run"),
    "screen": ("core/words.py", "import streamlit"),
    "database": ("core/words.py", "import duckdb"),
    "storage": ("storage/__init__.py", "import core.loadgen"),
    "bytes": ("pages/parts/text.py", "import core.wire.sse"),
    "pure": ("core/wire/__init__.py", "import time"),
    "light": ("core/loadgen/__init__.py", "import numpy"),
    "thin": ("pages/parts/text.py", "import threading"),
}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of the code to plant violations in."""
    copy = tmp_path_factory.mktemp("house")
    for name in ("core", "pages", "storage"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def lint(folder: Path, *contracts: str) -> subprocess.CompletedProcess[str]:
    """Check a tree against its contracts."""
    chosen = [part for name in contracts for part in ("--contract", name)]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    return subprocess.run(
        [*LINT, *chosen], cwd=folder, env=clean, capture_output=True, text=True, check=False, timeout=120
    )


def test_every_contract_is_kept():
    done = lint(ROOT)

    assert done.returncode == 0, done.stdout[-3000:]
    assert f"Contracts: {len(VIOLATIONS)} kept, 0 broken." in done.stdout


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_a_contract_breaks_when_it_is_violated(house, contract):
    name, line = VIOLATIONS[contract]
    before = (house / name).read_text()
    (house / name).write_text(f"{before}\n{line}\n")

    done = lint(house, contract)
    (house / name).write_text(before)

    assert done.returncode == 1
    assert "0 kept, 1 broken" in done.stdout


def test_a_new_file_in_core_must_be_given_its_place(house):
    stray = house / "core" / "stray.py"
    stray.write_text('"""Nobody said where this belongs."""\n')

    done = lint(house, "core")
    stray.unlink()

    assert done.returncode == 1
    assert "core.stray" in done.stdout


HEAVY = ("duckdb", "httpx", "numpy", "openai", "pandas", "plotly", "pyarrow", "streamlit", "tokenizers", "transformers")


def loaded_by(statement: str) -> set[str]:
    """The top-level modules in memory after one statement in a fresh interpreter."""
    script = f"import sys\n{statement}\nprint(' '.join(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=clean, capture_output=True, text=True, check=True, timeout=120
    )
    return set(done.stdout.split())


def test_the_measuring_process_imports_nothing_heavy():
    """That of the command in front of it is looked at after a whole run: tests/core/command/test_run.py."""
    assert loaded_by("import core.loadgen.__main__") & set(HEAVY) == set()


def test_the_heaviness_check_sees_an_import():
    assert "httpx" in loaded_by("import httpx") & set(HEAVY)
