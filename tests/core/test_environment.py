"""What a run says of its machine: true here, silent where the system is, and cheap."""

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest

from core import environment
from core.version import VERSION

ROOT = Path(__file__).parents[2]


def test_it_names_this_release_this_python_and_the_installed_libraries():
    found = environment.environment()

    assert found["paceline"] == VERSION
    assert sys.version.startswith(found["python"])
    assert found["libraries"]["httpx"] == importlib.metadata.version("httpx")
    assert found["libraries"]["orjson"] == importlib.metadata.version("orjson")


def test_it_says_what_the_machine_is():
    found = environment.environment()

    assert found["cores"] >= 1
    assert found["memory_bytes"] > 100_000_000
    assert found["cpu"]
    assert found["platform"].startswith(("Linux", "Darwin"))
    json.dumps(found)


def test_a_processor_is_named_by_the_first_field_that_has_a_name(tmp_path):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: \nHardware\t: BCM2835\nModel\t\t: Raspberry Pi 4\n")

    assert environment.cpu_model(cpuinfo) == "Raspberry Pi 4"


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no cpuinfo: sysctl tells instead")
def test_without_cpuinfo_the_processor_is_unknown(tmp_path):
    assert environment.cpu_model(tmp_path / "nothing") is None


def test_a_container_with_less_memory_than_the_machine_counts(tmp_path):
    limited, free = tmp_path / "limited", tmp_path / "free"
    limited.write_text("1048576\n")
    free.write_text("max\n")

    assert environment.memory_bytes([limited]) == 1_048_576
    assert environment.memory_bytes([free, tmp_path / "nothing"]) == environment.memory_bytes([])


def test_versions_come_from_the_first_folder_that_has_the_library(tmp_path):
    for place, version in (("first", "1.2.3"), ("second", "9.9.9")):
        (tmp_path / place / f"Some_Thing-{version}.dist-info").mkdir(parents=True)

    folders = [str(tmp_path / "nowhere"), str(tmp_path / "first"), str(tmp_path / "second")]

    assert environment.library_versions(["some-thing", "absent"], folders) == {"some-thing": "1.2.3"}


def test_asking_imports_no_library_and_costs_little():
    script = (
        "import sys, time; from core.environment import environment; environment()\n"
        "before = time.process_time(); environment(); spent = time.process_time() - before\n"
        "heavy = {'numpy', 'httpx', 'duckdb', 'importlib.metadata', 'asyncio'} & set(sys.modules)\n"
        "print(spent < 0.2, sorted(heavy))"
    )
    said = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert said == "True []\n"
