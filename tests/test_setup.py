"""The set-up: what is missing is named with the command that brings it, and nothing is installed twice."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FIND_PYTHON = ROOT / ".ci" / "python.sh"


def load(name):
    """A script of .ci as a module."""
    spec = importlib.util.spec_from_file_location(f"ci_{name}", ROOT / ".ci" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def a_python(folder, name, *, version=(3, 12), venv=True):
    """A stand-in that answers like a Python of that version, with or without its venv module."""
    path = folder / name
    probe = (
        f"import sys; sys.version_info = {(*version, 0)}; "
        f"sys.modules.update({{}} if {venv} else {{'ensurepip': None}}); exec(sys.argv[1])"
    )
    path.write_text(
        f'#!/bin/sh\n[ "$1" = -c ] || {{ echo "ran $0"; exit; }}\nexec {sys.executable} -c "{probe}" "$2"\n'
    )
    path.chmod(0o755)
    return path


def find_python(folder, **environment):
    """What the finder prints with nothing but `folder` on the path."""
    return subprocess.run(
        [shutil.which("sh"), str(FIND_PYTHON), "script"],
        env={"PATH": str(folder), **environment}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_the_default_python_is_taken_where_it_fits(tmp_path):
    a_python(tmp_path, "python3")
    a_python(tmp_path, "python3.11", version=(3, 11))

    assert find_python(tmp_path).stdout == f"ran {tmp_path}/python3\n"


def test_a_python_that_is_too_old_is_passed_over(tmp_path):
    a_python(tmp_path, "python3", version=(3, 9))
    a_python(tmp_path, "python3.11", version=(3, 11))

    assert find_python(tmp_path).stdout == f"ran {tmp_path}/python3.11\n"


def test_a_python_newer_than_the_packages_know_is_the_last_choice(tmp_path):
    a_python(tmp_path, "python3", version=(3, 15))

    assert find_python(tmp_path).stdout == f"ran {tmp_path}/python3\n"

    a_python(tmp_path, "python3.12")
    assert find_python(tmp_path).stdout == f"ran {tmp_path}/python3.12\n"


def test_only_an_old_python_is_said_with_the_command_that_brings_a_newer_one(tmp_path):
    a_python(tmp_path, "python3", version=(3, 9))

    found = find_python(tmp_path)

    assert found.returncode == 1
    assert "3.9 is what is here" in found.stderr
    assert "apt-get install python3.11" in found.stderr


def test_a_missing_venv_module_is_named_with_its_package(tmp_path):
    a_python(tmp_path, "python3", version=(3, 12), venv=False)

    found = find_python(tmp_path)

    assert found.returncode == 1
    assert "apt-get install python3.12-venv" in found.stderr


def test_a_python_chosen_by_hand_is_the_only_candidate(tmp_path):
    a_python(tmp_path, "python3")
    old = a_python(tmp_path, "old", version=(3, 8))

    found = find_python(tmp_path, PYTHON=str(old))

    assert found.returncode == 1
    assert "Python 3.8" in found.stderr


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("ERROR: [Errno 28] No space left on device", "disk is full"),
        ("WARNING: Retrying (Retry(total=4))\nERROR: No matching distribution found for x", "index does not answer"),
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))", "certificate is not trusted"),
        ("ERROR: No matching distribution found for xllamacpp==1", "xllamacpp==1 has no ready-made build for Python"),
        ("error: command 'gcc' failed: No such file or directory", "build tools are missing"),
        ("something nobody expected\n\n", "pip failed: something nobody expected"),
    ],
)
def test_what_pip_says_becomes_one_sentence(said, sentence):
    explained = load("setup").explain(said)

    assert sentence in explained
    assert "\n" not in explained


@pytest.fixture
def setup(tmp_path, monkeypatch):
    """The set-up script on an empty folder, with pip's work recorded in place of done."""
    script = load("setup")
    for name in ("requirements.txt", "constraints.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    venv = tmp_path / ".venv"
    for name, value in {
        "ROOT": tmp_path, "VENV": venv, "PYTHON": venv / "bin" / "python", "UNFINISHED": venv / "unfinished",
    }.items():  # fmt: skip
        monkeypatch.setattr(script, name, value)
    monkeypatch.setattr(script, "VENV_COMMAND", [*script.VENV_COMMAND, "--without-pip"])
    script.asked = []
    monkeypatch.setattr(script, "pip", script.asked.append)
    monkeypatch.delenv("PYTHON", raising=False)
    return script


def test_a_second_set_up_installs_nothing(setup):
    assert setup.main(["app"]) == 0
    assert [arguments[0] for arguments in setup.asked] == ["-r", "--no-deps"]

    assert setup.main(["app"]) == 0
    assert len(setup.asked) == 2


def test_the_test_tools_come_on_top(setup):
    setup.main(["app"])
    setup.main(["app", "test"])

    assert len(setup.asked) == 3
    assert any(argument.startswith("pytest==") for argument in setup.asked[2])


def test_a_changed_pin_is_installed(setup):
    setup.main(["app"])
    with (setup.ROOT / "requirements.txt").open("a") as file:
        file.write("another==1.0 # a reason\n")

    setup.main(["app"])

    assert len(setup.asked) == 4


def test_an_interrupted_install_starts_again_from_an_empty_folder(setup, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(setup, "pip", interrupted)
        with pytest.raises(KeyboardInterrupt):
            setup.main(["app"])
    leftover = setup.VENV / "half-unpacked"
    leftover.touch()

    assert setup.main(["app"]) == 0
    assert len(setup.asked) == 2
    assert not leftover.exists()


def test_a_failed_install_says_one_sentence_and_is_not_stamped(setup, monkeypatch, capsys):
    def failing(_):
        raise setup.SetupError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(setup, "pip", failing)
        assert setup.main(["app"]) == 1

    assert capsys.readouterr().err == "The disk is full.\n"
    assert setup.stale("app")


def test_a_taken_port_is_one_sentence():
    start = load("start")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        assert f"Port {port} is taken" in start.occupied("127.0.0.1", port)

    assert start.occupied("127.0.0.1", port) is None


@pytest.mark.parametrize(
    ("environment", "words", "expected"),
    [
        ({}, [], '--port "8501" --address "127.0.0.1"'),
        ({"PORT": "8710", "ADDRESS": "::1"}, [], '--port "8710" --address "::1"'),
        ({"PORT": "8710"}, ["PORT=8600"], '--port "8600" --address "127.0.0.1"'),
    ],
)
def test_port_and_address_are_taken_from_the_environment_as_from_the_command_line(environment, words, expected):
    clean = {name: value for name, value in os.environ.items() if name not in ("PORT", "ADDRESS", "MAKEFLAGS")}

    done = subprocess.run(
        ["make", "--dry-run", "run", *words], cwd=ROOT, env=clean | environment,
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip

    assert expected in done.stdout


def test_a_port_that_is_none_is_one_sentence():
    done = subprocess.run(
        [sys.executable, str(ROOT / ".ci" / "start.py"), "--port", "http"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert done.returncode == 1
    assert done.stderr == "PORT=http is not a port: give a number from 1 to 65535.\n"


def test_a_browser_that_does_not_start_is_said(tmp_path):
    stub = tmp_path / "chrome"
    stub.write_text("#!/bin/sh\nexit 1\n")
    stub.chmod(0o755)

    done = subprocess.run(
        [sys.executable, str(ROOT / ".ci" / "browser.py")],
        env={**os.environ, "PACELINE_BROWSER": str(stub)}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert done.returncode == 1
    assert "does not start" in done.stderr


def test_without_any_browser_the_way_to_one_is_said(monkeypatch, capsys):
    browser = load("browser")
    for step in ("given", "of_the_system", "from_debian", "from_playwright"):
        monkeypatch.setattr(browser, step, lambda: None)

    assert browser.main() == 1
    assert "apt-get install chromium" in capsys.readouterr().err
