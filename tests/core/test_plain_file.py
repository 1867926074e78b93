"""What is no file is said at once, whoever would have waited for it."""

import os

import pytest

from core.plain_file import first_bytes, kind_fault, plain_bytes

REASONS = {
    "none": "no such file or directory",
    "pipe": "it is a pipe or a device, and no file",
    "/dev/zero": "it is a pipe or a device, and no file",
    ".": "it is a folder",
    "large": "it is larger than 1 MB",
    "a\0b": "no file can have this name",
    "\ud800": "no file can have this name",
    "x" * 1000: "file name too long",
}


@pytest.mark.parametrize("name", REASONS)
def test_what_cannot_be_read_is_the_end_of_a_sentence(tmp_path, name):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(bytes(1_000_001))

    with pytest.raises(OSError, match=f"^{REASONS[name]}$"):
        plain_bytes(name if name.startswith("/") else f"{tmp_path}/{name}", 1_000_000)


def test_a_file_that_is_missing_can_be_told_from_one_that_is_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        plain_bytes(tmp_path / "none", 10)


def test_a_file_is_read_to_its_end_through_a_link_too(tmp_path):
    (tmp_path / "file").write_bytes(b"0123456789")
    (tmp_path / "link").symlink_to("file")

    assert plain_bytes(tmp_path / "link", 10) == b"0123456789"
    assert kind_fault((tmp_path / "link").stat().st_mode) == ""


def test_the_first_bytes_are_as_many_as_are_wanted_and_one_that_tells_of_more(tmp_path):
    (tmp_path / "file").write_bytes(b"0123456789")

    assert first_bytes(tmp_path / "file", 4) == b"01234"
    assert first_bytes(tmp_path / "file", 10) == b"0123456789"


@pytest.mark.parametrize(
    ("name", "reason"), [("none", "^No such file"), (".", "^Is a directory$"), ("a\0b", "null byte")]
)
def test_why_nothing_was_read_is_the_end_of_a_sentence(tmp_path, name, reason):
    with pytest.raises(OSError, match=reason):
        first_bytes(tmp_path / name, 10)
