"""The fixed words and the reference lines."""

from core.comparison import Verdict
from core.definitions.compared import FIXED_WORDS, SPEED_BANDS, VERDICT_WORDS, WAIT_LINES


def test_the_fixed_words_are_those_the_product_uses():
    assert "interrupted" in FIXED_WORDS["Run state"]
    assert FIXED_WORDS["Request counts"][-1] == "warmup"
    assert tuple(Verdict) == VERDICT_WORDS


def test_reference_lines_ascend_and_have_a_word_each():
    assert [low for low, _, _ in SPEED_BANDS] == sorted(low for low, _, _ in SPEED_BANDS)
    assert all(words for *_, words in (*SPEED_BANDS, *WAIT_LINES))
