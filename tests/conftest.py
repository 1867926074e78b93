"""What every test shares: async tests run on asyncio alone, no example is failed for taking its time, and a killed
process's half-written coverage file ends no run."""

import os
from pathlib import Path

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, settings

from tests.unfinished import drop_unfinished

TESTS = Path(__file__).parent
WORKER = "PYTEST_XDIST_WORKER"  # set in each process that runs tests for another

# A busy machine makes any example slow: that is no fault of what is tested.
# Where a change is judged, the same examples are tried each time; elsewhere new ones look for what nobody thought of.
settings.register_profile(
    "patient", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("patient")


UNCOUNTED = ("pages", "browser")  # counting their lines costs a third of their time and finds none that others leave


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is covered is asked of the tests of `core` and `storage` themselves, not of pages that come by there."""
    for item in items:
        if item.path.relative_to(TESTS).parts[0] in UNCOUNTED:
            item.add_marker(pytest.mark.no_cover)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart():
    """A worker is told to count before it does so for itself: that would go on where it is told not to."""
    while WORKER in os.environ and (counting := Coverage.current()):
        counting.stop()


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtestloop(session):
    """Before the coverage of all processes is put together, see to those that were killed."""
    try:
        return (yield)
    finally:
        if WORKER not in os.environ:  # only the last one there: the other worker's files are still being written
            drop_unfinished(session.config.rootpath)


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory):
    """Where the demo's model files are made, each once for all tests and all workers: they are put there whole."""
    if WORKER not in os.environ:
        return tmp_path_factory.mktemp("models")
    shared = tmp_path_factory.getbasetemp().parent / "models"
    shared.mkdir(exist_ok=True)
    return shared
