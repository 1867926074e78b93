"""The tokenizer in a model file counts as the engine does, and a file that is none says so in a sentence."""

import struct

import httpx
import pytest

from core.loadgen.vocabulary import guessed
from core.servers.demo import DemoServers
from core.servers.model_tokenizer import TokenizerError, bundled, counter
from core.workload import LANGUAGES

TEXTS = [
    "I'm 12345 years old, won't they?  two  blanks\n\n\n x", "a\tb\r\n", "", " ", "x" * 300,
    *("".join(text for text, _ in guessed(language)) for language in LANGUAGES),
]  # fmt: skip


def test_it_counts_as_the_engine_does(model_cache):
    count = bundled()
    with DemoServers(model_cache).running("Q4_0") as server:
        address = server.base_url.removesuffix("/v1") + "/tokenize"
        told = [httpx.post(address, json={"content": text, "add_special": False}).json()["tokens"] for text in TEXTS]

    assert [count(text) for text in TEXTS] == [len(tokens) for tokens in told]


def gguf(**values):
    def text(word):
        return struct.pack("<Q", len(word)) + word.encode()

    told = b"".join(text(name) + struct.pack("<I", 8) + text(value) for name, value in values.items())
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(values)) + told


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is no model file"),
        (b"PK\x03\x04" + bytes(40), "is no model file"),
        (gguf(name="x")[:30], "cannot be read as a model file"),
        (gguf(name="x"), "a tokenizer of another kind"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "claims 1,152,921,504,606,846,976 values"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**50), "claims a text of"),
    ],
)
def test_what_is_no_model_file_is_refused_in_a_sentence(tmp_path, content, words):
    file = tmp_path / "model.gguf"
    file.write_bytes(content)

    with pytest.raises(TokenizerError, match=words):
        counter(file)


def test_a_file_that_is_not_there_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(TokenizerError, match="cannot be read as a model file"):
        counter(tmp_path / "gone.gguf")
