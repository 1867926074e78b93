"""How the end of an answer will be recognised, told from its first read. Anything unusual is left to a parser."""

from enum import Enum, auto
from typing import NamedTuple

LONGEST_LENGTH = 16  # digits


class Mode(Enum):
    """How the end of an answer is recognised."""

    NEW = auto()  # nothing came yet
    CHUNKED = auto()  # by the last bytes of a read
    LENGTH = auto()  # by counting bytes
    CLOSE = auto()  # by the end of the connection
    EAGER = auto()  # by parsing each read as it comes


class FirstRead(NamedTuple):
    """What the first read of an answer tells.

    Attributes:
        head_length: Bytes of the head; `length` of head and body together where the head says so, else 0.
        keep_alive: Whether the head promises to keep the connection.
        refused: The status is none of 2xx.
    """

    mode: Mode
    head_length: int = 0
    length: int = 0
    keep_alive: bool = True
    refused: bool = False


def first_read(data: bytes) -> FirstRead:
    """A look at the head's bytes, without a parser: other sockets wait to be read."""
    refused = data[9:10] != b"2"
    end = data.find(b"\r\n\r\n")
    if end < 0 or data[:8] not in (b"HTTP/1.1", b"HTTP/1.0") or data[8:10] == b" 1":
        return FirstRead(Mode.EAGER, refused=refused)
    head = data[: end + 2].lower()
    if data[8:13] == b" 200 " and b"\r\ncontent-length" not in head and b"\r\ntransfer-encoding" not in head:
        return FirstRead(Mode.CLOSE, end + 4, keep_alive=False)
    if data[:8] == b"HTTP/1.0":
        return FirstRead(Mode.EAGER, refused=refused)
    keep_alive = b"\r\nconnection: close" not in head
    chunked = b"\r\ntransfer-encoding: chunked\r\n" in head
    length_at = head.find(b"\r\ncontent-length:")
    if chunked and length_at < 0:
        return FirstRead(Mode.CHUNKED, end + 4, 0, keep_alive, refused)
    if length_at >= 0 and not chunked:
        digits = head[length_at + 17 : head.find(b"\r\n", length_at + 17)].strip()
        if digits.isdigit() and len(digits) < LONGEST_LENGTH:
            return FirstRead(Mode.LENGTH, end + 4, end + 4 + int(digits), keep_alive, refused)
    return FirstRead(Mode.EAGER, end + 4, 0, keep_alive, refused)
