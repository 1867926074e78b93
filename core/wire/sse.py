"""Cuts bytes into server-sent events, whatever the reads were. Never knows what data means, never holds a byte back.

Lines end at CR, LF or CRLF and at nothing else. Memory is bounded: of an event above 16 MB only the beginning is kept.
"""

from typing import NamedTuple

MAX_EVENT = 16 * 1024 * 1024
MAX_LINE = MAX_EVENT + 16  # a data line of the largest event, with its field name
PLAIN_BYTES = 65_536  # reads above this take the general path, which counts
EXCERPT = 500
BOM = b"\xef\xbb\xbf"
CR = 13


class SseEvent(NamedTuple):
    """One dispatched event. `cut`: its data was above 16 MB and only the beginning is here."""

    event: str
    data: bytes
    cut: bool = False


class SseParser:
    """Bytes in, events out, in any cut. An event is there with the last byte of its blank line."""

    __slots__ = ("_after_cr", "_begun", "_cut", "_data", "_event", "_idle", "_line")

    def __init__(self) -> None:
        self._line = bytearray()  # an unfinished line
        self._data: bytes | bytearray | None = None
        self._cut = False
        self._event = ""
        self._after_cr = False  # a LF that comes now belongs to that CR
        self._begun = False
        self._idle = False  # between two events, the first line seen: `plain` may look

    def plain(self, data: bytes) -> list[bytes] | None:
        """The payloads of a read that holds nothing but whole, unnamed events of one data line each, else None.

        The fast path: nearly every read of a token stream is such. A blank after the colon is left on, as
        JSON does not mind. On None, `feed` the same bytes.
        """
        size = len(data)
        if not self._idle or size > PLAIN_BYTES or CR in data or data[:5] != b"data:" or data[-2:] != b"\n\n":
            return None
        if data.find(b"\n") == size - 2:
            return [data[5:-2]]
        payloads = data[5:-2].split(b"\n\ndata:")
        return payloads if data.count(b"\n") == 2 * len(payloads) else None

    def feed(self, data: bytes) -> list[SseEvent]:
        """The events that these bytes complete."""
        events: list[SseEvent] = []
        if not data:
            return events
        if self._after_cr:
            data = data.removeprefix(b"\n")
            self._after_cr = False
        if data:
            self._read(data, events)
        self._idle = self._begun and not (self._line or self._after_cr or self._event) and self._data is None
        return events

    def close(self) -> list[SseEvent]:
        """The end of the stream: what is pending is dispatched."""
        events: list[SseEvent] = []
        if self._line:
            self._take(self._whole_line(b""))
        self._dispatch(events)
        return events

    def _read(self, data: bytes, events: list[SseEvent]) -> None:
        lines = data.splitlines()  # of bytes: at CR, LF and CRLF only
        rest = b"" if data[-1] in b"\r\n" else lines.pop()
        if self._line and lines:
            lines[0] = self._whole_line(lines[0])
        for line in lines:
            if line:
                self._take(line)
            else:
                self._begun = True
                self._dispatch(events)
        self._line += rest[: MAX_LINE - len(self._line)]
        self._after_cr = data[-1] == CR

    def _whole_line(self, end: bytes) -> bytes:
        line = bytes(self._line + end[: MAX_LINE - len(self._line)])
        self._line = bytearray()
        return line

    def _take(self, line: bytes) -> None:
        if not self._begun:
            self._begun = True
            line = line.removeprefix(BOM)
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._add(value)
        elif name == b"event":
            self._event = value[:EXCERPT].decode("utf-8", "replace")

    def _add(self, value: bytes) -> None:
        if self._cut:
            return
        if self._data is None:
            self._data = value
        else:
            if not isinstance(self._data, bytearray):
                self._data = bytearray(self._data)
            self._data += b"\n"
            self._data += value
        if len(self._data) > MAX_EVENT:
            self._data = self._data[:EXCERPT]
            self._cut = True

    def _dispatch(self, events: list[SseEvent]) -> None:
        if self._data:
            events.append(SseEvent(self._event, bytes(self._data), self._cut))
        self._data = None
        self._event = ""
        self._cut = False
