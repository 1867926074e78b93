"""Which engine answers, told by what it says in several places, the same on any port. Asks nothing itself.

One sign is not enough and two that contradict are too many: both give "unknown", so that a server that lies in one
place, or a gateway that mixes answers, is not called by a wrong name.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from core.probing.page import Page, model_entries
from core.probing.result import UNKNOWN_ENGINE
from core.wire.sse import SseParser
from core.words import say

VLLM, LLAMA_CPP, OLLAMA, SGLANG = "vLLM", "llama.cpp", "Ollama", "SGLang"
TGI, LM_STUDIO, FASTLLM, TENSORRT = "TGI", "LM Studio", "FastLLM", "TensorRT-LLM"
TRANSFORMERS, OPENAI, GROQ, DEEPSEEK = "transformers serve", "OpenAI", "Groq", "DeepSeek"
OPENROUTER, LITELLM, SIMULATOR = "OpenRouter", "LiteLLM", "Paceline simulator"

OWNERS = {
    "vllm": VLLM, "llamacpp": LLAMA_CPP, "library": OLLAMA, "sglang": SGLANG, "organization_owner": LM_STUDIO,
    "fastllm": FASTLLM, "tensorrt_llm": TENSORRT, "system": OPENAI, "openai-internal": OPENAI, "deepseek": DEEPSEEK,
    "paceline-simulated": SIMULATOR,
}  # fmt: skip
HEADERS = {
    "openai-version": OPENAI, "openai-organization": OPENAI, "x-groq-region": GROQ, "x-litellm-version": LITELLM,
    "x-litellm-call-id": LITELLM, "x-ds-trace-id": DEEPSEEK,
}  # fmt: skip
PUBLIC_SERVICES = frozenset({OPENAI, GROQ, DEEPSEEK, OPENROUTER})
PAGES = (
    "/version", "/props", "/api/version", "/api/tags", "/get_model_info", "/get_server_info", "/info", "/api/v0/models",
)  # fmt: skip
MOST_EVENTS = 200
MODEL_LIST, HEADER, STREAM = "the model list", "the headers", "the streamed answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """One thing a server said that speaks for an engine.

    Attributes:
        place: Where it was said; signs of one place count once.
        weak: It fits several engines: it supports another sign, and never names an engine alone.
    """

    engine: str
    place: str
    seen: str
    weak: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The engine, what it was told by, and why it is unknown if it is."""

    engine: str = UNKNOWN_ENGINE
    facts: tuple[str, ...] = ()
    note: str = ""


def identify(signs: Iterable[Sign]) -> Identity:
    """Weigh the signs: one engine named, by two places at least, and no other engine named anywhere."""
    found = list(dict.fromkeys(signs))
    named = sorted({sign.engine for sign in found if not sign.weak})
    facts = tuple(sign.seen for sign in found if sign.engine in named)
    if not named:
        return Identity()
    if len(named) > 1:
        return Identity(
            facts=facts,
            note=say("What the server says of itself does not agree: it looks like {names}.", names=_both(named)),
        )
    places = {sign.place for sign in found if sign.engine == named[0]}
    if len(places) < 2:
        return Identity(
            facts=facts,
            note=say("It looks like {name}, but only {place} says so.", name=named[0], place=next(iter(places))),
        )
    return Identity(engine=named[0], facts=facts)


def signs_of_models(page: Page) -> list[Sign]:
    """What a model list says."""
    entries = model_entries(page)
    owners = sorted({owner for entry in entries if isinstance(owner := entry.get("owned_by"), str) and owner in OWNERS})
    signs = [
        Sign(engine=OWNERS[owner], place=MODEL_LIST, seen=say('models are owned by "{owner}"', owner=owner))
        for owner in owners
    ]
    if entries and all(entry.get("owned_by") == entry["id"] and entry.get("created") == 0 for entry in entries):
        signs.append(Sign(engine=TGI, place=MODEL_LIST, seen=say("each model is owned by itself"), weak=True))
    if entries and all(_has(entry.get("status"), "value") for entry in entries):
        signs.append(Sign(engine=TRANSFORMERS, place=MODEL_LIST, seen=say("models have a load status"), weak=True))
    if entries and all(_has(entry, "pricing", "top_provider") for entry in entries):
        signs.append(Sign(engine=OPENROUTER, place=MODEL_LIST, seen=say("models have prices and a top provider")))
    return signs + signs_of_headers(page.headers)


def signs_of_headers(headers: dict[str, str]) -> list[Sign]:
    """What the headers of any answer say."""
    signs = [
        Sign(engine=engine, place=HEADER, seen=say("header {name}", name=name))
        for name, engine in HEADERS.items()
        if name in headers
    ]
    if headers.get("server", "").lower() == "llama.cpp":
        signs.append(Sign(engine=LLAMA_CPP, place=HEADER, seen=say("header Server: llama.cpp")))
    return signs


def signs_of_page(page: Page) -> list[Sign]:
    """What an engine's own page says, one of PAGES."""
    signs = signs_of_headers(page.headers)
    error = page.table.get("error")
    if isinstance(error, str) and error.startswith("Unexpected endpoint or method."):
        signs.append(Sign(engine=LM_STUDIO, place="unknown paths", seen=say("its words for a path that it lacks")))
    reader = PAGE_READERS.get(page.path)
    if reader is not None and page.status == 200:
        signs += [
            Sign(
                engine=engine,
                place=page.path,
                seen=say("{path} answers as {engine} does", path=page.path, engine=engine),
                weak=weak,
            )
            for engine, weak in reader(page)
        ]
    return signs


def signs_of_stream(headers: dict[str, str], events: Sequence[dict[str, Any]]) -> list[Sign]:
    """What the events of a streamed answer say."""
    signs = signs_of_headers(headers)
    for engine, seen, fits in STREAM_SIGNS:
        if any(fits(event) for event in events):
            # The simulator's ids are a custom of paced servers: they support what its model list says, no more.
            signs.append(Sign(engine=engine, place=STREAM, seen=say(seen), weak=engine == SIMULATOR))
    own_id = headers.get("x-request-id")
    if own_id and any(event.get("id") == own_id and event.get("system_fingerprint") == "" for event in events):
        seen = say("the answer's id is its X-Request-Id and its fingerprint is empty")
        signs.append(Sign(engine=TRANSFORMERS, place=STREAM, seen=seen))
    return signs


def events_of(body: bytes) -> list[dict[str, Any]]:
    """The JSON objects of a stream; a body that is no stream has none."""
    found: list[dict[str, Any]] = []
    parser = SseParser()
    for event in [*parser.feed(body), *parser.close()][-MOST_EVENTS:]:
        try:
            value = orjson.loads(event.data)
        except orjson.JSONDecodeError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def _version(page: Page) -> list[tuple[str, bool]]:
    fits = set(page.table) == {"version"} and isinstance(page.table["version"], str)
    return [(VLLM, True), (TENSORRT, True)] if fits else []


def _ollama_version(page: Page) -> list[tuple[str, bool]]:
    return [(OLLAMA, True)] if isinstance(page.table.get("version"), str) else []


def _ollama_tags(page: Page) -> list[tuple[str, bool]]:
    rows = page.table.get("models")
    fits = isinstance(rows, list) and any(_has(row, "digest", "details") and row["digest"] for row in rows)
    return [(OLLAMA, False)] if fits else []


def _with_keys(engine: str, *keys: str) -> Callable[[Page], list[tuple[str, bool]]]:
    return lambda page: [(engine, False)] if _has(page.table, *keys) else []


def _lm_studio(page: Page) -> list[tuple[str, bool]]:
    return [(LM_STUDIO, False)] if any("compatibility_type" in entry for entry in model_entries(page)) else []


PAGE_READERS: dict[str, Callable[[Page], list[tuple[str, bool]]]] = {
    "/version": _version,
    "/props": _with_keys(LLAMA_CPP, "default_generation_settings"),
    "/api/version": _ollama_version,
    "/api/tags": _ollama_tags,
    "/get_model_info": _with_keys(SGLANG, "model_path", "is_generation"),
    "/get_server_info": _with_keys(SGLANG, "model_path", "mem_fraction_static"),
    "/info": _with_keys(TGI, "model_id", "max_concurrent_requests"),
    "/api/v0/models": _lm_studio,
}


def _fingerprint(pattern: str) -> Callable[[dict[str, Any]], bool]:
    return lambda event: re.match(pattern, str(event.get("system_fingerprint") or "")) is not None


def _id(pattern: str) -> Callable[[dict[str, Any]], bool]:
    return lambda event: re.match(pattern, str(event.get("id") or "")) is not None


def _is_openrouters(event: dict[str, Any]) -> bool:
    return "provider" in event and str(event.get("id")).startswith("gen-")


STREAM_SIGNS: tuple[tuple[str, str, Callable[[dict[str, Any]], bool]], ...] = (
    (VLLM, "its fingerprint begins with vllm-", _fingerprint(r"vllm-")),
    (LLAMA_CPP, "its last event has llama.cpp's timings", lambda event: _has(event.get("timings"), "predicted_ms")),
    (OLLAMA, "its fingerprint is fp_ollama", _fingerprint(r"fp_ollama$")),
    (FASTLLM, "its ids begin with fastllm-", _id(r"fastllm-")),
    (GROQ, "its events carry x_groq", lambda event: "x_groq" in event),
    (OPENROUTER, "its ids begin with gen- and its events name a provider", _is_openrouters),
    (SIMULATOR, "its ids are the simulator's", _id(r"(chat)?cmpl-gt$")),
)


def _has(value: object, *keys: str) -> bool:
    return isinstance(value, dict) and all(key in value for key in keys)


def _both(names: Sequence[str]) -> str:
    return say(" and like ").join(names)
