"""Long names cut so that they can still be told apart. Knows no mark-up and not what is named."""

from collections.abc import Iterable

ELLIPSIS = "…"
# What turns the direction of all that follows it: in a name it would mirror the words and numbers behind that.
TURNING = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\N{REPLACEMENT CHARACTER}")


def cut(text: str, longest: int) -> str:
    """One line of at most `longest` characters, cut from the middle: names differ at their ends."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    tail = (longest - 1) // 2
    return line[: longest - 1 - tail].rstrip() + ELLIPSIS + line[len(line) - tail :].lstrip()


def distinct(names: Iterable[str], longest: int) -> list[str]:
    """The names cut, no two alike: a second of the same gets its number."""
    found: list[str] = []
    for name in names:
        title, place = cut(name, longest), 1
        while title in found:
            place += 1
            mark = f" ({place})"
            title = cut(name, longest - len(mark)) + mark
        found.append(title)
    return found
