"""The bundled model's made files, shared by the tests that run the real engine."""

import pytest

from core.servers.variants import variant_file


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory):
    """A cache folder with Q4_0 made."""
    folder = tmp_path_factory.mktemp("models")
    variant_file("Q4_0", folder)
    return folder
