"""Texts that grow piece by piece, those of one answer together up to a size. Never knows what a piece means."""

from io import StringIO

MOST_CHARACTERS = 4_000_000
CUT = "…"


class Room:
    """What the texts of one answer may still grow by, in characters. `most` 0: none of them is kept at all."""

    __slots__ = ("left", "mark")

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self.left = most
        self.mark = CUT if most else ""


class Kept:
    """One text. What finds no room is left out, and told by an ellipsis at its end."""

    __slots__ = ("_cut", "_pieces", "_room")

    def __init__(self, room: Room) -> None:
        self._room = room
        self._pieces = StringIO()
        self._cut = False

    def write(self, piece: str) -> None:
        """The next piece; called for every chunk, between two reads of the measuring process."""
        room = self._room
        left = room.left - len(piece)
        if left >= 0:
            room.left = left
            self._pieces.write(piece)
        elif not self._cut:
            self._cut = True
            self._pieces.write(piece[: room.left])
            room.left = 0

    def text(self) -> str:
        """Everything that was kept."""
        text = whole(self._pieces.getvalue())
        return text + self._room.mark if self._cut else text


def whole(text: str) -> str:
    """The text with halves of a character that came in two escapes put together, and lone halves replaced."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
