"""The engine looks for garbage before each run. Among all that three thousand tests keep, that takes long."""

import gc

import pytest


@pytest.fixture(autouse=True)
def quick_collections():
    """What was there before the test is not looked through."""
    gc.freeze()
    yield
    gc.unfreeze()
