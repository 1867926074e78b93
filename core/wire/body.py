"""Tells from its first bytes what the body of a success is. Servers mislabel both ways, so bytes count more."""

from enum import Enum, auto

MAX_BODY = 16 * 1024 * 1024  # of one JSON answer; above this it is malformed
LOOK = 4096  # bytes of leading blanks before the content type alone decides
BLANK = b" \t\r\n\xef\xbb\xbf"
FIELD_LETTERS = b"dei:r"  # data, event, id, a comment, retry


class Body(Enum):
    """What a body is read as."""

    STREAM = auto()
    JSON = auto()
    OTHER = auto()


def kind_of_body(begin: bytes | bytearray, content_type: str) -> Body | None:
    """What the body that begins so is; None while only blanks came."""
    first = bytes(begin[:LOOK]).lstrip(BLANK)[:1]
    if not first and len(begin) < LOOK:
        return None
    name = content_type.lower()
    field = first != b"" and first in FIELD_LETTERS
    if first in (b"{", b"[") or ("json" in name and not field):
        return Body.JSON
    if field or "event-stream" in name or (not name and first != b"<"):
        return Body.STREAM
    return Body.OTHER
