"""What the pages of a known engine say about itself and one model: version, context length, form. Asks nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.probing import engines
from core.probing.page import Page, model_entries

CONTEXT_KEYS = (
    "max_model_len", "loaded_context_length", "context_window", "context_length", "max_context_length", "n_ctx",
)  # fmt: skip
VERSION_PAGES = {
    engines.VLLM: ("/version", "version"),
    engines.TENSORRT: ("/version", "version"),
    engines.OLLAMA: ("/api/version", "version"),
    engines.SGLANG: ("/get_server_info", "version"),
    engines.TGI: ("/info", "version"),
    engines.LLAMA_CPP: ("/props", "build_info"),
}
DETAIL_KEYS = {
    "quantization": "quantization", "quantization_level": "quantization", "ftype": "quantization",
    "parameter_size": "parameters", "n_params": "parameters", "size": "bytes", "arch": "architecture",
    "compatibility_type": "format", "format": "format", "root": "weights", "dtype": "dtype", "model_dtype": "dtype",
    "tp_size": "tensor parallel", "total_slots": "slots",
}  # fmt: skip
MAX_TEXT = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What the server says; None and empty where it says nothing."""

    version: str | None = None
    max_model_len: int | None = None
    details: tuple[tuple[str, str], ...] = ()


def model_facts(engine: str, model: str | None, models: Page | None, pages: Mapping[str, Page]) -> ModelFacts:
    """Read the model list, and the pages of the engine that was recognised."""
    entry = _entry(models, model) if models is not None else {}
    meta = entry.get("meta")
    sources = [entry, meta if isinstance(meta, dict) else {}]
    if engine == engines.LM_STUDIO and "/api/v0/models" in pages:
        sources.insert(0, _entry(pages["/api/v0/models"], model))
    if engine == engines.OLLAMA and "/api/tags" in pages:
        sources.append(_ollama_details(pages["/api/tags"], model))
    if engine == engines.TGI and "/info" in pages:
        info = pages["/info"].table
        sources.append(info | {"max_model_len": info.get("max_total_tokens")})
    if engine == engines.SGLANG and "/get_server_info" in pages:
        sources.append(_only(pages["/get_server_info"].table, "context_length", "quantization", "dtype", "tp_size"))
    if engine == engines.LLAMA_CPP and "/props" in pages:
        sources.append(_only(pages["/props"].table, "total_slots"))
    return ModelFacts(
        version=_version(engine, pages),
        max_model_len=next((length for source in sources if (length := _context(source)) is not None), None),
        details=_details(sources),
    )


def _version(engine: str, pages: Mapping[str, Page]) -> str | None:
    path, key = VERSION_PAGES.get(engine, ("", ""))
    found = pages[path].table.get(key) if path in pages else None
    if not isinstance(found, str) or not found.strip() or not found.isprintable():
        return None
    return None if "unknown" in found else found[:MAX_TEXT]  # llama.cpp's word where its build has no number


def _entry(page: Page, model: str | None) -> dict[str, Any]:
    return next((entry for entry in model_entries(page) if entry["id"] == model), {})


def _ollama_details(page: Page, model: str | None) -> dict[str, Any]:
    rows = page.table.get("models")
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and row.get("name") == model and isinstance(row.get("details"), dict):
            details: dict[str, Any] = row["details"]
            return details
    return {}


def _context(source: Mapping[str, Any]) -> int | None:
    lengths = (source.get(key) for key in CONTEXT_KEYS)
    return next((length for length in lengths if type(length) is int and 0 < length <= 2**31), None)


def _details(sources: list[dict[str, Any]]) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for source in sources:
        for key, name in DETAIL_KEYS.items():
            value = source.get(key)
            if type(value) in (str, int) and value not in ("", 0) and str(value).isprintable():
                found.setdefault(name, str(value)[:MAX_TEXT])
    return tuple(found.items())


def _only(table: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: table[key] for key in keys if key in table}
