"""What a tutorial's script would have printed."""

from dataclasses import replace

import pytest

from core.tutorial import tutorial
from tests.core.example_runs import answered, failed, whole


def test_the_script_divides_chunks_by_the_whole_time_of_the_request():
    record = answered(first=1.0, gaps=(0.01,) * 100, text="four" * 101)

    found = tutorial([record])

    assert found.chunks_tps == pytest.approx(101 / 2)
    assert found.characters_tps == pytest.approx(101 / 2)
    assert found.decode_tps == pytest.approx(100)
    assert "50.5 tokens/s" in found.sentence
    assert "its decode speed is 100 tokens/s" in found.sentence
    assert "the wait for the first token is 50 % of the time" in found.sentence
    assert "chunk holds" not in found.sentence


def test_chunks_of_several_tokens_and_long_words_are_named_as_reasons():
    record = answered(first=0.01, gaps=(0.1,) * 10, tokens=33, text="x" * 33 * 6)

    found = tutorial([record])

    assert "a chunk holds 3 tokens here" in found.sentence
    assert "a token has 6 characters here, not 4" in found.sentence
    assert "wait for the first token" not in found.sentence


def test_it_says_so_where_they_agree():
    record = answered(first=0.001, gaps=(0.01,) * 1000)

    assert "They agree" in tutorial([record]).sentence


def test_without_a_token_count_the_decode_speed_is_unknown():
    assert "the decode speed is unknown" in tutorial([answered(tokens=None)]).sentence


def test_an_answer_in_one_piece_has_only_its_characters():
    found = tutorial([replace(whole(took=2.0), text="x" * 80)])

    assert found.chunks_tps is None
    assert found.characters_tps == pytest.approx(10)


@pytest.mark.parametrize("records", [[], [whole()], [failed(sent=None)], [replace(answered(), ended_s=None)]])
def test_a_script_without_anything_to_print_prints_nothing(records):
    assert tutorial(records) is None
