"""How the end of an answer will be recognised, told from its first reads. Anything unusual is left to a parser."""

import re
from enum import Enum, auto
from typing import NamedTuple

LONGEST_LENGTH = 16  # digits
LONGEST_HEAD = 16_384  # bytes that are waited for; what is longer is left to a parser, which refuses it
VERSIONS = (b"HTTP/1.1", b"HTTP/1.0")
INTERIM = (b"100", b"102", b"103")  # a status that only announces the answer
# A last chunk, however it is written: zeros, an extension, trailers. No line of JSON or of an event could look so.
LAST_CHUNK = re.compile(rb"(?:\A|\r\n)0+[ \t]*(?:;[^\r\n]*)?\r\n(?:[^\s:]+:[^\r\n]*\r\n)*\r\n\Z")


class Mode(Enum):
    """How the end of an answer is recognised."""

    NEW = auto()  # its head is not there yet
    CHUNKED = auto()  # by the last bytes of a read
    LENGTH = auto()  # by counting bytes
    CLOSE = auto()  # by the end of the connection
    # By parsing each read as it comes, which may hold the loop for a millisecond a 100 kB. Left to it is what no known
    # server streams: two framings at once, a transfer coding beside chunked, a status that has no body, no HTTP.
    EAGER = auto()


class FirstRead(NamedTuple):
    """What the first bytes of an answer tell.

    Attributes:
        head_length: Bytes of the head, interim answers before it included; `length` of head and body together where
            the head says so, else 0.
        keep_alive: Whether the head promises to keep the connection.
        refused: The status is none of 2xx.
    """

    mode: Mode
    head_length: int = 0
    length: int = 0
    keep_alive: bool = True
    refused: bool = False


def first_read(data: bytes) -> FirstRead:
    """A look at the head's bytes, without a parser: other sockets wait to be read. `data`: all that came so far."""
    begin, end = 0, data.find(b"\r\n\r\n")
    while end >= 0 and data[begin + 9 : begin + 12] in INTERIM:
        begin, end = end + 4, data.find(b"\r\n\r\n", end + 4)
    version = data[begin : begin + 8]
    refused = data[begin + 9 : begin + 10] != b"2"
    if not any(known.startswith(version) for known in VERSIONS):  # so few bytes may still become one
        return FirstRead(Mode.EAGER, refused=refused)
    if end < 0:
        # Lines without CR are refused by the parser: there is nothing to wait for.
        waits = len(data) < LONGEST_HEAD and data.count(b"\n") == data.count(b"\r\n")
        return FirstRead(Mode.NEW if waits else Mode.EAGER)
    return _framed(data[begin : end + 2].lower(), end + 4, refused=refused)


def _framed(head: bytes, size: int, *, refused: bool) -> FirstRead:
    lengths, coding = _values(head, b"content-length"), _values(head, b"transfer-encoding")
    old = head.startswith(b"http/1.0")
    connection = _values(head, b"connection")
    keep_alive = b"keep-alive" in connection if old else b"close" not in connection
    if not lengths and not coding and head[8:13] == b" 200 ":
        return FirstRead(Mode.CLOSE, size, keep_alive=False)
    if coding == [b"chunked"] and not lengths and not old:
        return FirstRead(Mode.CHUNKED, size, 0, keep_alive, refused)
    if len(lengths) == 1 and not coding and lengths[0].isdigit() and len(lengths[0]) < LONGEST_LENGTH:
        return FirstRead(Mode.LENGTH, size, size + int(lengths[0]), keep_alive, refused)
    return FirstRead(Mode.EAGER, size, 0, keep_alive, refused)


def _values(head: bytes, name: bytes) -> list[bytes]:
    """The values of a header in a lowered head; one that no parser takes as a header's is not found."""
    found, at = [], head.find(b"\r\n" + name + b":")
    while at >= 0:
        begin = at + len(name) + 3
        end = head.find(b"\r\n", begin)
        found.append(head[begin:end].strip(b" \t"))
        at = head.find(b"\r\n" + name + b":", end)
    return found


def ends_chunked(tail: bytes) -> bool:
    """Whether the last bytes of a chunked answer are a last chunk; decoding shows later whether they really were."""
    return LAST_CHUNK.search(tail) is not None
