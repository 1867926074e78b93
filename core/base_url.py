"""The address behind what people paste, and the refusal of what is none. Never resolves a name."""

import re
from urllib.parse import urlsplit, urlunsplit

from core.words import say

OPERATION_PATHS = ("/chat/completions", "/completions", "/models", "/embeddings", "/responses")


class PlanError(ValueError):
    """A plan that cannot be run. The message names the field and says what to change."""


def require(condition: bool, message: str, **values: object) -> None:
    """Refuse with one sentence that says what to change."""
    if not condition:
        raise PlanError(say(message, **values))


def normal_base_url(pasted: str) -> str:
    """The base URL behind what people paste: with or without scheme, /v1, a full operation path or a query.

    `localhost:8000`, `http://h/v1/`, `http://h/v1/chat/completions` become `http://.../v1`. Raises PlanError.
    """
    text = pasted.strip()
    require(bool(text), "Base URL is empty: paste the server's address, such as http://127.0.0.1:8000/v1.")
    if "://" not in text:
        text = "http://" + text
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as fault:
        raise PlanError(
            say("Base URL cannot be read ({fault}): write it like http://127.0.0.1:8000/v1.", fault=fault)
        ) from None
    require(
        parts.scheme in ("http", "https"),
        "Base URL starts with {scheme}://: only http and https are understood.",
        scheme=parts.scheme,
    )
    require(bool(parts.hostname), "Base URL names no host: write it like http://127.0.0.1:8000/v1.")
    require(not re.search(r"[\s\x00-\x1f]", text), "Base URL contains a blank or a control character: remove it.")
    require(parts.username is None, "Base URL contains a user name or key: name the key in its own field instead.")
    path = parts.path.rstrip("/")
    for operation in OPERATION_PATHS:
        path = path.removesuffix(operation)
    return urlunsplit((parts.scheme, parts.netloc, path or "/v1", "", ""))
