"""The body of one OpenAI-style request. Knows which parameters exist, never which of them an endpoint accepts."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from core.plan import Api


def path(api: Api) -> str:
    """What is appended to the base URL's path."""
    return "/chat/completions" if api == "chat" else "/completions"


def request_body(
    *,
    model: str,
    api: Api,
    prompt: str,
    output_tokens: int,
    stream: bool,
    temperature: float | None = None,
    token_parameter: str = "max_tokens",  # noqa: S107 -- a parameter's name
    stream_options: bool = True,
    ignore_eos: bool = False,
    system_prompt: str | None = None,
    stop: Sequence[str] = (),
    extra_body: Mapping[str, Any] | None = None,
) -> bytes:
    """The JSON body. `extra_body` is laid over it, so that it can set what else the server knows."""
    body: dict[str, Any] = {"model": model}
    if api == "chat":
        system = [] if system_prompt is None else [{"role": "system", "content": system_prompt}]
        body["messages"] = [*system, {"role": "user", "content": prompt}]
    else:
        body["prompt"] = prompt if system_prompt is None else f"{system_prompt}\n\n{prompt}"
    body[token_parameter] = output_tokens
    body["stream"] = stream
    if stream and stream_options:
        body["stream_options"] = {"include_usage": True}
    if temperature is not None:
        body["temperature"] = temperature
    if ignore_eos:
        body["ignore_eos"] = True
    if stop:
        body["stop"] = list(stop)
    return orjson.dumps(body | dict(extra_body or {}))
