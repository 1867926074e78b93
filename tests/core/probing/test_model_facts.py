"""What pages say about a model, and what they say that is nonsense."""

import json

import pytest

from core.probing import engines
from core.probing.model_facts import ModelFacts, model_facts
from core.probing.page import Page
from core.probing.result import UNKNOWN_ENGINE


def page(path: str, body: object, status: int = 200) -> Page:
    return Page(path=path, status=status, body=json.dumps(body).encode())


def models(**entry) -> Page:
    return page("/v1/models", {"data": [{"id": "other"}, {"id": "m", **entry}]})


def test_the_entry_of_the_model_asked_counts():
    assert model_facts(engines.VLLM, "m", models(max_model_len=4096), {}).max_model_len == 4096
    assert model_facts(engines.VLLM, "other", models(max_model_len=4096), {}).max_model_len is None


@pytest.mark.parametrize("length", [0, -1, "4096", 1.5, True, None, 2**40, [4096]])
def test_a_length_that_cannot_be_is_unknown(length):
    assert model_facts(engines.VLLM, "m", models(max_model_len=length), {}).max_model_len is None


@pytest.mark.parametrize("key", ["context_window", "context_length", "max_context_length"])
def test_gateways_call_the_length_otherwise(key):
    assert model_facts(UNKNOWN_ENGINE, "m", models(**{key: 8192}), {}).max_model_len == 8192


@pytest.mark.parametrize("version", ["", " ", None, 3, {"a": 1}, "1\n2", "b0-unknown"])
def test_a_version_that_is_no_text_is_unknown(version):
    pages = {"/version": page("/version", {"version": version})}

    assert model_facts(engines.VLLM, "m", None, pages).version is None


def test_a_version_is_taken_from_the_page_of_its_engine_only():
    pages = {"/version": page("/version", {"version": "9"}), "/api/version": page("/api/version", {"version": "0.12"})}

    assert model_facts(engines.OLLAMA, "m", None, pages).version == "0.12"
    assert model_facts(engines.FASTLLM, "m", None, pages).version is None


def test_details_are_short_texts_and_numbers():
    found = model_facts(UNKNOWN_ENGINE, "m", models(quantization="Q4" * 999, size=7, root=["x"], arch="a\x1bb"), {})

    assert dict(found.details) == {"quantization": ("Q4" * 999)[:120], "bytes": "7"}


def test_nothing_known_is_nothing():
    assert model_facts(UNKNOWN_ENGINE, None, None, {}) == ModelFacts()
