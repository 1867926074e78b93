"""Keeps secrets out of everything that leaves this machine. Recognises them by their names and shapes, knows no key."""

import re
from collections.abc import Iterable
from typing import Any

HIDDEN = "…"
SECRET_HEADER = re.compile(
    r"auth|api[-_]?key|token|cookie|secret|password|credential|(^|[-_])key([-_]|$)", re.IGNORECASE
)
# Narrower than a header's: a body may well say max_tokens.
SECRET_NAME = re.compile(
    r"authorization|api[-_]?key|(access|auth|bearer|session)[-_]?token|secret|password", re.IGNORECASE
)
SECRET_TEXT = re.compile(
    r"(?i)(\bbearer\s+|\bbasic\s+)[A-Za-z0-9._~+/=*-]{6,}|\b((?:sk|pk|hf|gsk|xai|nvapi)[-_])[A-Za-z0-9_*-]{8,}"
)


def headers(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The same headers, the values of those that smell of a secret hidden."""
    return [(name, HIDDEN if SECRET_HEADER.search(name) else text(value)) for name, value in pairs]


def body(value: Any) -> Any:
    """The same JSON value, members whose names smell of a secret hidden."""
    if isinstance(value, dict):
        return {
            name: HIDDEN if isinstance(name, str) and SECRET_NAME.search(name) else body(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [body(inner) for inner in value]
    return text(value) if isinstance(value, str) else value


def text(sentence: str) -> str:
    """The same sentence without what looks like a key: servers like to quote the key that they refuse."""
    return SECRET_TEXT.sub(lambda found: (found[1] or found[2] or "") + HIDDEN, sentence)
