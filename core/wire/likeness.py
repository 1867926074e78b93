"""Most chunks of a stream differ from the one before in their text alone: their text is cut out, not parsed again.

Exact, never a guess: what stands before and after the text is learned from a parsed chunk and proved by parsing a probe
in its place; a chunk with the same bytes around a plain text is then the same object with that text, and nothing else.
"""

from typing import Any

from orjson import JSONDecodeError, loads

PROBE = "§probe§"
TRIES = 4  # a stream whose chunks are never alike is not tried for ever
NO_PLACE = b"\0"  # begins no payload


class Likeness:
    """What the chunks of one stream have in common."""

    __slots__ = ("_after", "_after_length", "_before", "_before_length", "tries")

    def __init__(self) -> None:
        self._before = self._after = NO_PLACE
        self._before_length = self._after_length = 1
        self.tries = TRIES

    def text(self, payload: bytes) -> str | None:
        """The text of a chunk that is like the learned one but for it; None if only parsing tells."""
        if not payload.startswith(self._before) or not payload.endswith(self._after):
            return None
        end = len(payload) - self._after_length
        middle = payload[self._before_length : end]
        if not middle or end < self._before_length or b'"' in middle or b"\\" in middle:
            return None
        try:
            text = middle.decode()
        except UnicodeDecodeError:
            return None
        return text if text.isprintable() else None  # JSON strings hold no control characters

    def learn(self, payload: bytes, found: dict[str, Any]) -> None:
        """Learn from a chunk that was parsed, if it brought answer text and nothing else."""
        self.tries -= 1
        holder = _holder(found)
        if holder is None:
            return
        place, key = holder
        text = place[key]
        if not text or not text.isprintable() or '"' in text or "\\" in text:
            return
        literal = b'"' + text.encode() + b'"'
        at = payload.find(literal)
        if at < 0 or payload.find(literal, at + 1) >= 0:
            return
        before, after = payload[: at + 1], payload[at + len(literal) - 1 :]
        if _proved(before, after, found, text):
            self._before, self._after = before, after
            self._before_length, self._after_length = len(before), len(after)


def _holder(found: dict[str, Any]) -> tuple[dict[str, Any], str] | None:
    """Where the text stands in a chunk that says nothing but it: no end, no counts, no error, no other channel."""
    choices = found.get("choices")
    if type(choices) is not list or len(choices) != 1 or type(choices[0]) is not dict:
        return None
    choice = choices[0]
    says_more = (
        any(key in found for key in ("error", "timings", "x_groq")) or found.get("usage") is not None
        or choice.get("finish_reason") or "error" in choice or choice.get("index")
    )  # fmt: skip
    if says_more:
        return None
    delta = choice.get("delta")
    place, key = (delta, "content") if type(delta) is dict else (choice, "text")
    if type(place.get(key)) is not str or (place is delta and len(place) != 1):
        return None
    return place, key


def _proved(before: bytes, after: bytes, found: dict[str, Any], text: str) -> bool:
    """Whether another text between these bytes gives the same object with that text in its place."""
    try:
        other = loads(before + PROBE.encode() + after)
    except JSONDecodeError:
        return False
    holder = _holder(other) if type(other) is dict else None
    if holder is None or holder[0][holder[1]] != PROBE:
        return False
    holder[0][holder[1]] = text
    return bool(other == found)
