"""Whether DuckDB's write-ahead log ends where a commit ends. Reads lengths only, never what was written.

DuckDB replays a log as far as it goes and says nothing of the rest. The format is that of the pinned version: a
version record that ends with FFFF, then records of (length, checksum, content), each commit closed by a record of its
own kind. A log that does not read so is left to DuckDB to judge.
"""

import struct
from pathlib import Path
from typing import BinaryIO

FIELDS_END = b"\xff\xff"
VERSION_BEGINS = b"\x64\x00\x62"  # field 100, the kind of record: 98
COMMIT = b"\x64\x00\x64"  # field 100, the kind of record: 100
LONGEST_VERSION = 200
HEAD = struct.Struct("<QQ")


def breaks_off(log: Path) -> bool:
    """Whether the log stops inside a record or before its commit, as after a crash in the middle of a write."""
    try:
        with log.open("rb") as file:
            return _breaks_off(file, log.stat().st_size)
    except OSError:
        return False


def _breaks_off(file: BinaryIO, size: int) -> bool:
    begin = file.read(LONGEST_VERSION)
    if not begin.startswith(VERSION_BEGINS) or FIELDS_END not in begin:
        return False
    at, last = begin.index(FIELDS_END) + len(FIELDS_END), COMMIT
    while at < size:
        file.seek(at)
        head = file.read(HEAD.size)
        if len(head) < HEAD.size:
            return True
        length, _checksum = HEAD.unpack(head)
        last = file.read(len(COMMIT))
        at += HEAD.size + length
    return at > size or last != COMMIT
