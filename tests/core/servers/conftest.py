"""The bundled model's made files, shared by the tests that run the real engine."""

import gguf
import numpy as np
import pytest
from gguf.quants import quantize

from core.servers.variants import variant_file


@pytest.fixture(scope="session")
def model_cache(model_cache):
    """The cache folder of all tests, with Q4_0 made."""
    variant_file("Q4_0", model_cache)
    return model_cache


@pytest.fixture(scope="session")
def long_source(tmp_path_factory):
    """A GGUF file of many matrices, so that its making can be interrupted in the middle; named as the bundled one."""
    path = tmp_path_factory.mktemp("long_model") / "SmolLM2-135M-Instruct.long.gguf"
    kind = gguf.GGMLQuantizationType.Q8_0
    matrix = quantize(np.linspace(-1.0, 1.0, 1024 * 768, dtype=np.float32).reshape(1024, 768), kind)
    writer = gguf.GGUFWriter(path, "llama")
    for number in range(60):
        writer.add_tensor(f"matrix {number}", matrix, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
