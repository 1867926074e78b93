"""Pieces: texts of a wanted length, put together."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.loadgen.pieces import Piece, Pieces, joined, separator

SIZES = {"a": 7, "b": 9, "c": 12}


def length(text: str, sizes: dict[str, int]) -> int:
    return sum(sizes[letter] for letter in text)


@given(st.integers(0, 3000), st.integers(0, 10_000))
def test_a_text_is_as_long_as_wanted_or_as_near_below_as_its_pieces_reach(tokens, seed):
    made = Pieces([Piece(text=letter, tokens=size) for letter, size in SIZES.items()])

    text, told = made.text(tokens, Random(seed))

    assert length(text, SIZES) == told <= tokens
    assert told == tokens or tokens < 40  # 7, 9 and 12 add up to every length from 30 on
    assert tokens - told < 7


@pytest.mark.parametrize("tokens", [1, 400, 5_000, 60_000])
def test_words_of_one_token_add_up_to_every_length(tokens):
    made = Pieces([Piece(text=f" {letter}", tokens=1) for letter in "xyz"], seed=3)

    text, told = made.text(tokens, Random(1))

    assert told == tokens == len(text.split())
    assert made.text(tokens, Random(1))[0] == text
    assert tokens == 1 or made.text(tokens, Random(2))[0] != text


def test_long_texts_of_one_seed_are_other_parts_of_it():
    made = Pieces([Piece(text=letter, tokens=size) for letter, size in SIZES.items()], seed=5)

    texts = {made.text(40_000, Random(seed))[0] for seed in range(5)}

    assert len(texts) == 5
    assert {length(text, SIZES) for text in texts} == {40_000}


def test_words_with_a_blank_before_them_come_last():
    assert joined([" word", "line\n", " more", "next\n"]) == "line\nnext\n word more"


def test_a_line_s_end_parts_a_word_from_what_brings_no_blank_along():
    assert separator([" a", "\nb"]) == ""
    assert separator([" a", "b"]) == "\n"
