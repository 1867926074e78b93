"""The few headers of an answer that matter to a measurement. Knows no body."""

from core.wire.rate_limits import PREFIXES

KEPT = frozenset({"content-type", "content-encoding", "date", "retry-after", "location", "server"})
FRAMING = frozenset({"content-length", "transfer-encoding"})
LONGEST = 2000
MOST = 200


class Head:
    """What the head said.

    Attributes:
        framed: Whether the end of the body can be told; otherwise it is the end of the connection.
    """

    __slots__ = ("_all", "_values", "framed")

    def __init__(self, *, keep_all: bool = False) -> None:
        """`keep_all`: headers that matter to no measurement are kept, too, up to a number."""
        self._all = keep_all
        self._values: dict[str, str] = {}
        self.framed = False

    def take(self, name: bytes, value: bytes) -> None:
        """One header; of several with one name the last counts."""
        lowered = name.decode("latin-1").lower()
        room = len(self._values) < MOST
        if lowered in KEPT or (room and (self._all or lowered.startswith(PREFIXES))):
            self._values[lowered] = value.decode("latin-1")[:LONGEST]
        if lowered in FRAMING:
            self.framed = True

    @property
    def compressed(self) -> str | None:
        """How the body is compressed, None if it is not."""
        encoding = self._values.get("content-encoding", "").strip().lower()
        return None if encoding in ("", "identity") else encoding

    def value(self, name: str) -> str | None:
        """A kept header's value, None if it did not come."""
        return self._values.get(name)

    def values(self) -> dict[str, str]:
        """All that is kept, names in lower case."""
        return dict(self._values)
