"""One client of the simulator: unread requests, the answer under way, unsent bytes. Never waits, never sends."""

import socket
from typing import NamedTuple

from core.servers import pace

MAX_HEAD, MAX_BODY = 65_536, 64 << 20


class Stream:
    """One answer under way; every byte of it is prepared when it begins, so that a token costs a lookup and a send."""

    __slots__ = (
        "due_ns", "first_ns", "head", "last_ns", "late_ns", "pace", "recv_ns", "request_id", "sent", "step_ns", "tail",
        "tokens", "words",
    )  # fmt: skip

    def __init__(self, asked: pace.Asked, pace_: pace.Pace, *, chat: bool, recv_ns: int, due_ns: int) -> None:
        """`due_ns` is the time of the first token."""
        events = pace.events(asked.model, chat=chat)
        self.request_id, self.recv_ns, self.due_ns = "", recv_ns, due_ns
        self.words, self.tokens, self.pace, self.sent = events.words, asked.tokens, pace_, 0
        self.step_ns = pace_.itl_us * pace_.burst * 1000
        self.first_ns = self.last_ns = self.late_ns = 0
        if asked.stream:
            self.head, self.tail = pace.STREAM_HEAD + events.role, pace.tail(asked, chat=chat)
        else:  # all tokens at once, when the last would have come
            self.head, self.tail, self.sent = b"", pace.whole(asked, chat=chat), asked.tokens
            self.due_ns += (asked.tokens - 1) * pace_.itl_us * 1000

    def next_bytes(self) -> bytes:
        """The tokens due now, with what stands before the first and after the last."""
        start, words = self.sent, self.words
        self.sent = min(start + self.pace.burst, self.tokens)
        if self.sent == start + 1:
            data = words[start % len(words)]
        else:
            data = b"".join(words[index % len(words)] for index in range(start, self.sent))
        if self.head:
            data, self.head = self.head + data, b""
        return data if self.sent < self.tokens else data + self.tail


class Connection:
    """One client's socket and the bytes on either side of it."""

    __slots__ = ("closing", "inbox", "outbox", "sock", "stream")

    def __init__(self, sock: socket.socket) -> None:
        """Take over an accepted socket."""
        self.sock, self.inbox, self.outbox = sock, bytearray(), bytearray()
        self.stream: Stream | None = None
        self.closing = False

    @property
    def spent(self) -> bool:
        """Whether everything was said on a connection that is not to be kept."""
        return self.closing and self.stream is None and not self.outbox


class Request(NamedTuple):
    """An HTTP request cut out of a connection's bytes."""

    method: str
    path: str
    request_id: str
    closing: bool
    body: bytes


def cut_request(inbox: bytearray) -> Request | None:
    """Take one whole request from the front of `inbox`; None while it is incomplete. Raises ValueError."""
    end = inbox.find(b"\r\n\r\n")
    if end < 0:
        if len(inbox) > MAX_HEAD:
            raise ValueError("The request head is longer than 64 KB.")
        return None
    lines = inbox[:end].decode("latin-1").split("\r\n")
    words = lines[0].split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise ValueError("The request line is not one of HTTP/1.")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers or not length.isdecimal() or int(length) > MAX_BODY:
        raise ValueError("The request needs a content-length of at most 64 MB.")
    start, stop = end + 4, end + 4 + int(length)
    if len(inbox) < stop:
        return None
    body = bytes(inbox[start:stop])
    del inbox[:stop]
    closing = headers.get("connection", "").lower() == "close"
    return Request(words[0], words[1].partition("?")[0], headers.get("x-request-id", "")[:200], closing, body)
