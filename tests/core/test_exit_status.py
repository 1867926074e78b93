"""A process that was killed is not told as a negative number."""

import pytest

from core.exit_status import how_it_ended


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, "ended with status 0"),
        (3, "ended with status 3"),
        (-9, "was ended by signal 9 (killed)"),
        (-15, "was ended by signal 15 (terminated)"),
        (-250, "was ended by signal 250"),
    ],
)
def test_how_it_ended_is_told_in_words(status, words):
    assert how_it_ended(status) == words
