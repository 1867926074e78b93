"""Presets: each is an endpoint that can be made, and says what it is."""

import pytest

from core.plan import Endpoint
from core.presets import PRESETS


@pytest.mark.parametrize("title", PRESETS)
def test_every_preset_makes_an_endpoint_with_its_address_unchanged(title):
    preset = PRESETS[title]

    endpoint = Endpoint(name=preset.name, base_url=preset.base_url, key_name=preset.key_hint or None)

    assert endpoint.base_url == preset.base_url


def test_only_servers_on_this_machine_need_no_key():
    for preset in PRESETS.values():
        assert preset.base_url.startswith("https://" if preset.key_hint else "http://127.0.0.1:")


def test_the_usual_ports_are_there():
    ports = {title: preset.base_url.split(":")[-1].split("/")[0] for title, preset in PRESETS.items()}

    assert ports["vLLM"] == "8000"
    assert ports["SGLang"] == "30000"
    assert ports["llama.cpp"] == "8080"
    assert ports["Ollama"] == "11434"
    assert ports["LM Studio"] == "1234"
