"""The small histograms of drawn lengths: every length is in one bar, and bars say which they hold."""

from core.charts.lengths import MOST_BARS, drawn_lengths


def test_every_drawn_length_is_in_one_bar():
    drawn = [(100 + place, 5 if place % 2 else 9) for place in range(200)]

    prompts, answers = drawn_lengths("light", drawn).data

    assert len(prompts.x) <= MOST_BARS
    assert (sum(prompts.y), sum(answers.y)) == (200, 200)
    assert dict(zip(answers.customdata, answers.y, strict=True)) == {"5": 100, "6": 0, "7": 0, "8": 0, "9": 100}
    assert prompts.customdata[0] == "100–108"


def test_one_length_alone_is_one_bar():
    prompts, _ = drawn_lengths("dark", [(128, 64)] * 3).data

    assert (list(prompts.x), list(prompts.y)) == ([128], [3])
