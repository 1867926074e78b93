"""The fixed words and the reference lines."""

from core.comparison import Verdict
from core.definitions.compared import FIXED_WORDS, SPEED_BANDS, VERDICT_WORDS, WAIT_LINES


def test_the_fixed_words_are_those_the_product_uses():
    assert "interrupted" in FIXED_WORDS["Run state"]
    assert FIXED_WORDS["Request counts"][-1] == "warmup"
    assert tuple(Verdict) == VERDICT_WORDS


def test_reference_lines_ascend_and_have_a_word_each():
    assert [band.low for band in SPEED_BANDS] == sorted(band.low for band in SPEED_BANDS)
    assert all(band.remark for band in SPEED_BANDS)
    assert all(words for _, words in WAIT_LINES)


def test_a_band_in_a_figure_tells_its_own_numbers():
    drawn = [band for band in SPEED_BANDS if band.brief]

    assert [band.brief.split()[-1] for band in drawn] == [
        f"{band.low:g}–{band.high:g}" if band.high else f"{band.low:g}+" for band in drawn
    ]
