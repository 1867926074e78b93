"""Cuts a run's key out of everything that leaves the measuring child: servers quote the keys that they get."""

import re
from dataclasses import replace
from typing import Any

from core.records import RequestRecord

HIDDEN = "…"
LEAST_BEGINNING = 8  # of a key cut off at the end of a clipped sentence
SHORTEST = 4  # a shorter "key" would cut ordinary words to pieces


class Secrecy:
    """Knows one key, and only to remove it."""

    def __init__(self, key_header: tuple[str, str] | None) -> None:
        value = key_header[1] if key_header else ""
        parts = {value, value.rpartition(" ")[2]}
        self._secrets = sorted((part for part in parts if len(part) >= SHORTEST), key=len, reverse=True)
        # What any trace of a key begins with, in bytes: to look for it so is ten times as fast as by a pattern.
        self._traces = [secret[:LEAST_BEGINNING].lower().encode() for secret in self._secrets]
        self._patterns = [re.compile(re.escape(secret), re.IGNORECASE) for secret in self._secrets]
        self._beginnings = [
            [secret[:length].lower() for length in range(len(secret) - 1, LEAST_BEGINNING - 1, -1)]
            for secret in self._secrets
        ]

    def text(self, words: str) -> str:
        """The same words without the key, in whatever case; a beginning of it at the end of clipped words goes too."""
        lowered = words.encode("utf-8", "replace").lower()
        if not any(trace in lowered for trace in self._traces):
            return words
        for pattern, beginnings in zip(self._patterns, self._beginnings, strict=True):
            words = pattern.sub(HIDDEN, words)
            bare = words.removesuffix(HIDDEN)
            found = next((one for one in beginnings if bare.lower().endswith(one)), None)
            if found is not None:
                words = bare[: -len(found)] + HIDDEN
        return words

    def record(self, record: RequestRecord) -> RequestRecord:
        """The same record without the key in any of its texts."""
        if not self._secrets:
            return record
        failure = record.failure
        return replace(
            record,
            failure=replace(failure, message=self.text(failure.message)) if failure else None,
            finish_reason=self._or_none(record.finish_reason),
            text=self._or_none(record.text),
            reasoning_text=self._or_none(record.reasoning_text),
        )

    def values(self, found: dict[str, Any]) -> dict[str, Any]:
        """The same flat object without the key in any of its texts."""
        return {name: self._value(value) for name, value in found.items()}

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        return [self._value(inner) for inner in value] if isinstance(value, list | tuple) else value

    def _or_none(self, words: str | None) -> str | None:
        return None if words is None else self.text(words)
