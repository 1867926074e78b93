"""Lengths as people write them."""

import pytest

from core.lengths import Length, pairs_words, read_length, read_pairs
from core.plan import PlanError
from core.workload import LengthPair, Spread


@pytest.mark.parametrize(
    ("written", "length"),
    [
        ("128", Length(mean=128)),
        (" 1_000 ", Length(mean=1000)),
        ("64..256", Length(mean=160, spread=Spread(shape="uniform", low=64, high=256))),
        ("64..64", Length(mean=64)),
        ("normal:128,32", Length(mean=128, spread=Spread(shape="normal", low=1, high=256, stdev=32))),
        (
            "lognormal: 500, 100, 50..2000",
            Length(mean=500, spread=Spread(shape="lognormal", low=50, high=2000, stdev=100)),
        ),
    ],
)
def test_each_way_to_write_a_length_is_understood_and_written_back(written, length):
    assert read_length(written) == length
    assert read_length(length.words()) == length


@pytest.mark.parametrize("written", ["", "abc", "-5", "1.5", "9..", "normal:5", "normal:5,0", "8..2", "1" * 12, "0..0"])
def test_what_is_no_length_is_one_sentence(written):
    with pytest.raises(PlanError):
        read_length(written)


def test_pairs_are_understood_and_written_back():
    pairs = read_pairs("128:64*3, 1024:256")

    assert pairs == (
        LengthPair(input_tokens=128, output_tokens=64, weight=3),
        LengthPair(input_tokens=1024, output_tokens=256),
    )
    assert read_pairs(pairs_words(pairs)) == pairs


@pytest.mark.parametrize("written", ["", "128", "128:", "a:b", "128:64*0", "0:5"])
def test_what_is_no_pair_is_one_sentence(written):
    with pytest.raises(PlanError):
        read_pairs(written)
