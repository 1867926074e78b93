"""The first of many names, and how many more."""

import pytest

from core.several import some


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b", "c"], "a, b, c"),
        (["a", "b", "c", "d"], "a, b, c and 1 more"),
        (["a"] * 1236, "a, a, a and 1,233 more"),
    ],
)
def test_the_rest_of_many_names_is_counted(names, text):
    assert some(names, 3) == text
