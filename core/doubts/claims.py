"""Whether a run tells enough about itself to be held against another: model size, hardware, concurrency, lengths."""

import re
from collections.abc import Iterator
from typing import Any

from core.doubts.evidence import Evidence
from core.doubts.finding import Finding
from core.endpoint import SIMULATED
from core.run import Run
from core.words import say

# As in "SmolLM2-135M", "Qwen2.5-7B-Instruct", "8x7b".
SIZE_IN_NAME = re.compile(r"(?<![A-Za-z0-9.])(?:\d+x)?\d+(?:\.\d+)?[bm](?![A-Za-z0-9])", re.IGNORECASE)
SIZE_NAMES = frozenset({"model_size", "parameters", "n_params", "params", "size", "model_bytes"})
HARDWARE = frozenset({"hardware", "gpu", "gpus", "device", "accelerator", "cpu", "machine", "instance"})
ENGINE = frozenset({"engine", "serving_engine", "inference_engine", "runtime"})
VERSION = frozenset({"version", "engine_version", "server_version"})
UNKNOWN = "unknown"  # in a run's environment: names of those parts of its plan that an imported file did not tell


def _told(run: Run, names: frozenset[str]) -> bool:
    server = run.environment.get("server")
    pairs: list[tuple[Any, Any]] = list(run.plan.configuration.settings)
    if isinstance(server, dict):
        pairs += server.items()
        inner = server.get("model")
        pairs += inner.items() if isinstance(inner, dict) else ()
    return any(_plain(name) in names and value for name, value in pairs)


def _plain(name: Any) -> str:
    return str(name).strip().lower().replace(" ", "_")


def names_hardware(name: str) -> bool:
    """Whether a setting of this name tells of the server's hardware."""
    return _plain(name) in HARDWARE


def knows_model_size(run: Run) -> bool:
    """Whether the model's size is told, by its name or beside it."""
    server = run.environment.get("server")
    names = [run.plan.configuration.model, server.get("model") if isinstance(server, dict) else None]
    return _told(run, SIZE_NAMES) or any(isinstance(name, str) and SIZE_IN_NAME.search(name) for name in names)


def knows_hardware(run: Run) -> bool:
    """Whether the server's hardware is told; a demo server runs on the machine whose processor is recorded."""
    on_this_machine = run.plan.configuration.endpoint.demo != "" and bool(run.environment.get("cpu"))
    return on_this_machine or _told(run, HARDWARE)


def engine(run: Run) -> str | None:
    """What serves: what the server told, else what the user wrote; None if neither did."""
    return _server_word(run, "engine") or _written(run, ENGINE)


def version(run: Run) -> str | None:
    """Its version, as the engine; None if neither the server nor the user told."""
    return _server_word(run, "version") or _written(run, VERSION)


def _server_word(run: Run, name: str) -> str | None:
    server = run.environment.get("server")
    word = server.get(name) if isinstance(server, dict) else None
    return word if isinstance(word, str) and word.strip().lower() not in ("", "unknown") else None


def _written(run: Run, names: frozenset[str]) -> str | None:
    """A setting of the user's by one of these names."""
    return next((value.strip() for name, value in run.plan.configuration.settings
                 if _plain(name) in names and value.strip()), None)  # fmt: skip


def _knows_lengths(seen: Evidence) -> bool:
    untold = seen.run.environment.get(UNKNOWN) or ()
    planned = not {"input_tokens", "output_tokens"} & set(untold)
    counted = {"input_tokens", "output_tokens"} <= set(seen.summary.distributions)
    return planned or counted


def _knows_concurrency(seen: Evidence) -> bool:
    untold = seen.run.environment.get(UNKNOWN) or ()
    return "concurrency" not in untold or seen.summary.mean_in_flight is not None


def claim_doubts(seen: Evidence) -> Iterator[Finding]:
    """What would have to be known before this run's speed is held against another's."""
    if seen.run.plan.configuration.endpoint.demo == SIMULATED or not seen.summary.distributions:
        return  # nothing was measured that could be held against anything
    missing = [
        word
        for word, known in (
            (say("the model's size"), knows_model_size(seen.run)),
            (say("the server's hardware"), knows_hardware(seen.run)),
            (say("the concurrency"), _knows_concurrency(seen)),
            (say("prompt and answer lengths"), _knows_lengths(seen)),
        )
        if not known
    ]
    if missing:
        yield Finding(
            kind="incomparable",
            level="note",
            what=say("Not known of this run: {missing}.", missing=say(", ").join(missing)),
            why=say("Held against another server's speed, a number without them says little."),
            do=say("Write them into the configuration's settings, such as hardware and model size."),
        )
