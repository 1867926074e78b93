"""A process that was killed while it wrote its coverage costs its own lines, and never the run."""

import subprocess
import sys

import pytest

from tests.unfinished import drop_unfinished

PAGE_BYTES = 4096
COUNTED = """
import coverage, sys
counting = coverage.Coverage(data_file=sys.argv[1], branch=True, config_file=False, include=["*/json/*"])
counting.start()
import json
json.dumps({"a": 1})
counting.stop()
counting.save()
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """What a process leaves that ended by itself."""
    file = tmp_path_factory.mktemp("written") / ".coverage.a"
    subprocess.run([sys.executable, "-c", COUNTED, str(file)], check=True)
    return file.read_bytes()


@pytest.fixture
def finished(written, tmp_path):
    """Such a file, and another one beside it."""
    (tmp_path / ".coverage.b").write_bytes(written)
    (tmp_path / ".coverage.a").write_bytes(written)
    return tmp_path / ".coverage.a"


def test_finished_ones_stay(finished):
    assert drop_unfinished(finished.parent) == []
    assert finished.exists()


@pytest.mark.parametrize("page", range(12))
def test_one_with_a_page_that_was_never_written_goes(finished, page):
    written = bytearray(finished.read_bytes())
    assert len(written) > 12 * PAGE_BYTES
    written[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = bytes(PAGE_BYTES)
    finished.write_bytes(written)

    assert drop_unfinished(finished.parent) == [".coverage.a"]
    assert [path.name for path in finished.parent.iterdir()] == [".coverage.b"]


@pytest.mark.parametrize("length", [0, 1, 2048, 3 * PAGE_BYTES])
def test_one_that_breaks_off_goes(finished, length):
    finished.write_bytes(finished.read_bytes()[:length])

    assert drop_unfinished(finished.parent) == [".coverage.a"]
