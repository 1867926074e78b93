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
    """The base URL behind what people paste: with or without scheme, /v1, a full operation path or a fragment.

    `localhost:8000`, `http://h/v1/`, `http://h/v1/chat/completions` become `http://.../v1`. Raises PlanError.
    """
    text = pasted.strip()
    require(bool(text), "Base URL is empty: paste the server's address, such as http://127.0.0.1:8000/v1.")
    if "://" not in text:
        text = "http://" + text
    try:
        parts = urlsplit(text)
    except ValueError:
        raise PlanError(say("Base URL cannot be read: write it like http://127.0.0.1:8000/v1.")) from None
    try:
        _ = parts.port
    except ValueError:
        raise PlanError(
            say(
                "Base URL cannot be read, its port is no number from 0 to 65535: write it like http://127.0.0.1:8000/v1."
            )
        ) from None
    require(
        parts.scheme in ("http", "https"),
        "Base URL starts with {scheme}://: only http and https are understood.",
        scheme=parts.scheme,
    )
    require(bool(parts.hostname), "Base URL names no host: write it like http://127.0.0.1:8000/v1.")
    require(not re.search(r"[\s\x00-\x1f]", text), "Base URL contains a blank or a control character: remove it.")
    require(parts.username is None, "Base URL contains a user name or key: name the key in its own field instead.")
    require(
        not parts.query,
        "Base URL has a query (what follows the ?), and requests are sent without one: remove it. A key that stands "
        "in it belongs in the field or the option for keys.",
    )
    require(
        _can_be_looked_up(parts.hostname or ""),
        "Base URL names a host that cannot exist: each part between its dots has 1 to 63 characters.",
    )
    path = parts.path.rstrip("/")
    for operation in OPERATION_PATHS:
        path = path.removesuffix(operation)
    return urlunsplit((parts.scheme, parts.netloc, path or "/v1", "", ""))


def is_another(address: str, known: str) -> bool:
    """Whether an address can be a base URL, and is another one than that behind the known address."""
    try:
        return normal_base_url(address) != (normal_base_url(known) if known else "")
    except PlanError:
        return False


def _can_be_looked_up(host: str) -> bool:
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True
