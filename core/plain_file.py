"""The bytes of a file that somebody named. Knows nothing of what stands in them."""

import os
import stat
from pathlib import Path

from core.words import say


def first_bytes(path: Path, most_bytes: int) -> bytes:
    """At most so many bytes, and one that tells of more. Raises OSError, whose text is the end of a sentence.

    A pipe is waited for: a shell hands what a command prints over as one.
    """
    try:
        with path.open("rb") as file:
            return file.read(most_bytes + 1)
    except (OSError, ValueError) as fault:  # ValueError: a name that no file can have
        raise OSError(getattr(fault, "strerror", None) or str(fault)) from None


def plain_bytes(path: str | Path, most_bytes: int) -> bytes:
    """What stands in a file, never in a pipe, which would keep a reader waiting, or a device, which might never end.

    Raises OSError, whose text is the end of a sentence, at once whatever has that name.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError:
        raise OSError(say("no file can have this name")) from None
    except FileNotFoundError as fault:
        raise FileNotFoundError(_lowered(fault.strerror or str(fault))) from None
    except OSError as fault:
        raise OSError(_lowered(fault.strerror or str(fault))) from None
    try:
        fault_of_kind = kind_fault(os.fstat(descriptor).st_mode)
        if fault_of_kind:
            raise OSError(fault_of_kind)
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(most_bytes + 1)
    finally:
        os.close(descriptor)
    if len(data) > most_bytes:
        raise OSError(say("it is larger than {most} MB", most=most_bytes // 1_000_000))
    return data


def kind_fault(mode: int) -> str:
    """What something is that is no file, by the mode that the system tells: the end of a sentence; "" for a file."""
    if stat.S_ISREG(mode):
        return ""
    return say("it is a folder") if stat.S_ISDIR(mode) else say("it is a pipe or a device, and no file")


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
