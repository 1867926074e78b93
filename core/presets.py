"""Where the usual servers listen when nobody says otherwise, as a start for a new endpoint. Never asks anything.

A port is no proof of an engine: what really answers there, the probe tells.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A beginning for an endpoint.

    Attributes:
        name: For the endpoint; may be changed.
        key_hint: The usual name of its key; "" for servers that ask for none unless told to.
    """

    name: str
    base_url: str
    key_hint: str = ""


def _here(name: str, port: int) -> Preset:
    return Preset(name=name, base_url=f"http://127.0.0.1:{port}/v1")


PRESETS: dict[str, Preset] = {
    "vLLM": _here("vllm", 8000),
    "SGLang": _here("sglang", 30000),
    "llama.cpp": _here("llama-cpp", 8080),
    "Ollama": _here("ollama", 11434),
    "LM Studio": _here("lm-studio", 1234),
    "TGI": _here("tgi", 3000),
    "TGI in Docker": _here("tgi", 8080),
    "FastLLM": _here("fastllm", 8080),
    "TensorRT-LLM": _here("trtllm-serve", 8000),
    "transformers serve": _here("transformers", 8000),
    "OpenAI": Preset(name="openai", base_url="https://api.openai.com/v1", key_hint="OPENAI_API_KEY"),
    "OpenRouter": Preset(name="openrouter", base_url="https://openrouter.ai/api/v1", key_hint="OPENROUTER_API_KEY"),
    "Groq": Preset(name="groq", base_url="https://api.groq.com/openai/v1", key_hint="GROQ_API_KEY"),
    "DeepSeek": Preset(name="deepseek", base_url="https://api.deepseek.com/v1", key_hint="DEEPSEEK_API_KEY"),
}
