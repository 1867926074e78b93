"""Engines are told by what they answer, the same on any port; a server that lies is unknown."""

import json

import pytest

from core.probe import CheckName, CheckState, ProbeResult, ProbeState
from core.probing.engines import identify, signs_of_stream
from core.records import TokenSource
from tests.core.answering_server import chat, models, recording, reply, stream, tokens
from tests.core.probing.asking import CHAT, FASTLLM_MODELS, MODELS, probed, recorded

OLLAMA_TAGS = {
    "models": [
        {
            "name": "qwen2.5:7b", "model": "qwen2.5:7b", "size": 4_683_087_332, "digest": "845dbda0ea48",
            "details": {"format": "gguf", "family": "qwen2", "parameter_size": "7.6B", "quantization_level": "Q4_K_M"},
        }
    ]
}  # fmt: skip
SGLANG_INFO = {
    "model_path": "Qwen/Qwen2.5-7B-Instruct", "tokenizer_path": "Qwen/Qwen2.5-7B-Instruct", "mem_fraction_static": 0.88,
    "tp_size": 2, "api_key": "not-for-us", "version": "0.5.9", "quantization": "fp8", "internal_states": [{}],
}  # fmt: skip
TGI_INFO = {
    "model_id": "teknium/OpenHermes-2.5", "model_sha": "ff80", "max_concurrent_requests": 128, "max_best_of": 2,
    "max_input_tokens": 4095, "max_total_tokens": 4096, "router": "text-generation-router",
    "version": "3.3.6", "sha": "a1",
}  # fmt: skip
LM_STUDIO_MODELS = {
    "object": "list",
    "data": [
        {
            "id": "qwen2.5-7b-instruct", "object": "model", "type": "llm", "publisher": "lmstudio-community",
            "arch": "qwen2",
            "compatibility_type": "gguf", "quantization": "Q4_K_M", "state": "loaded", "max_context_length": 32768,
            "loaded_context_length": 8192,
        }
    ],
}  # fmt: skip


def lm_studio_lacks(asked):
    return reply(200, {"error": f"Unexpected endpoint or method. ({asked.method} {asked.path})"})


ENGINES = {
    "vLLM": (recorded("vllm-0.32"), "0.32.0", 2048, {"weights": "/srv/models/smollm2-1"}),
    "llama.cpp": (
        recorded("llamacpp-2026.10"), None, 2048,
        {"quantization": "Q4_1", "parameters": "134515008", "bytes": "96576768", "slots": "4"},
    ),
    "transformers serve": (recorded("transformers-serve"), None, None, {}),
    "FastLLM": (recorded("fastllm-1.9") | {MODELS: FASTLLM_MODELS}, None, 2048, {}),
    "Ollama": (
        {
            MODELS: models("qwen2.5:7b", owned_by="library"), "GET /api/version": reply(200, {"version": "0.12.3"}),
            "GET /api/tags": reply(200, OLLAMA_TAGS),
            CHAT: stream(*tokens("a", "b", "c", "d", "e", system_fingerprint="fp_ollama"), pause_s=0.003),
        },
        "0.12.3", None, {"quantization": "Q4_K_M", "parameters": "7.6B", "format": "gguf"},
    ),
    "SGLang": (
        {
            MODELS: models("qwen", owned_by="sglang", root="qwen", max_model_len=32768),
            "GET /get_model_info": reply(200, {"model_path": "q", "tokenizer_path": "q", "is_generation": True}),
            "GET /get_server_info": reply(200, SGLANG_INFO), CHAT: chat(),
        },
        "0.5.9", 32768, {"weights": "qwen", "quantization": "fp8", "tensor parallel": "2"},
    ),
    "TGI": (
        {
            MODELS: models("teknium/OpenHermes-2.5", owned_by="teknium/OpenHermes-2.5", created=0),
            "GET /info": reply(200, TGI_INFO), CHAT: chat(),
        },
        "3.3.6", 4096, {},
    ),
    "LM Studio": (
        {
            MODELS: models("text-embedding-nomic", "qwen2.5-7b-instruct", owned_by="organization_owner"),
            "GET /api/v0/models": reply(200, LM_STUDIO_MODELS), CHAT: chat(), "*": lm_studio_lacks,
        },
        None, 8192, {"quantization": "Q4_K_M", "architecture": "qwen2", "format": "gguf"},
    ),
    "TensorRT-LLM": (
        {
            MODELS: models("llama", owned_by="tensorrt_llm"), "GET /version": reply(200, {"version": "1.2.0"}),
            CHAT: chat(),
        },
        "1.2.0", None, {},
    ),
    "OpenAI": (
        {
            MODELS: reply(
                200,
                {"data": [{"id": "whisper-1", "owned_by": "openai-internal"}, {"id": "gpt-4o", "owned_by": "system"}]},
                "openai-version: 2020-10-01", "openai-organization: org-x",
            ),
            CHAT: chat(),
        },
        None, None, {},
    ),
    "OpenRouter": (
        {
            MODELS: reply(
                200,
                {"data": [{"id": "meta/llama", "pricing": {}, "top_provider": {}, "context_length": 131072}]},
            ),
            CHAT: stream(*tokens("a", "b", "c", "d", "e", id="gen-1", provider="Some"), pause_s=0.003),
        },
        None, 131072, {},
    ),
    "Groq": (
        {
            MODELS: reply(200, {"data": [{"id": "llama", "context_window": 8192}]}, "x-groq-region: fra"),
            CHAT: stream(*tokens("a", "b", "c", "d", "e"), {"choices": [], "x_groq": {}}, pause_s=0.003),
        },
        None, 8192, {},
    ),
    "Paceline simulator": (
        {
            MODELS: models("gt-ttft50000", owned_by="paceline-simulated", max_model_len=32768),
            CHAT: stream(*tokens("a", "b", "c", "d", "e", id="chatcmpl-gt"), pause_s=0.003),
        },
        None, 32768, {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_is_told_by_its_answers_on_any_port(name):
    answers, version, length, details = ENGINES[name]

    result = probed(answers)

    assert (result.engine, result.engine_version, result.max_model_len) == (name, version, length)
    assert dict(result.details) == details
    assert len(result.engine_facts) >= 2
    assert result.state is ProbeState.READY, result.what
    assert (result.streams, result.usage, result.token_source) == ("yes", True, TokenSource.USAGE)
    assert result.check(CheckName.ENGINE).state is CheckState.YES
    assert "not-for-us" not in json.dumps(result.to_dict())
    assert ProbeResult.from_dict(json.loads(json.dumps(result.to_dict()))) == result


@pytest.mark.parametrize(
    "answers",
    [
        {MODELS: reply(200, {"data": [{"id": "m", "owned_by": "vllm"}]}, "Server: llama.cpp"), CHAT: chat()},
        ENGINES["vLLM"][0] | {"GET /props": recording("llamacpp-2026.10_props")},
        {MODELS: models("m", owned_by="vllm"), CHAT: stream(*tokens("a", system_fingerprint="fp_ollama"))},
    ],
)
def test_a_server_that_contradicts_itself_is_unknown_and_the_note_says_why(answers):
    result = probed(answers)

    assert result.engine == "unknown"
    assert result.engine_version is None
    assert any("does not agree" in note for note in result.notes)


def test_one_sign_is_not_enough():
    result = probed({MODELS: models("m", owned_by="vllm"), CHAT: chat()})

    assert result.engine == "unknown"
    assert any("looks like vLLM, but only the model list says so" in note for note in result.notes)


def test_a_page_that_answers_everything_alike_is_no_engine():
    result = probed({MODELS: models("m"), CHAT: chat(), "*": reply(200, {"status": "ok"})})

    assert (result.engine, result.state) == ("unknown", ProbeState.READY)


def test_another_paced_server_with_the_simulators_ids_is_not_called_it():
    stream = signs_of_stream({}, [{"id": "chatcmpl-gt"}])

    assert identify(stream).engine == "unknown"
    assert "simulator" not in identify(stream).note
