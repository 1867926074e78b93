"""What every test shares: async tests run on asyncio alone, the loop that the product uses."""

import pytest


@pytest.fixture
def anyio_backend():
    return "asyncio"
