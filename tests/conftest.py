"""What every test shares: async tests run on asyncio alone, and no example is failed for taking its time."""

import pytest
from hypothesis import HealthCheck, settings

# A busy machine makes any example slow: that is no fault of what is tested.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture
def anyio_backend():
    return "asyncio"
