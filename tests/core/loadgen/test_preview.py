"""A workload's first prompts: what a run would ask, with token counts that say whether anybody counted."""

import pytest

from core.loadgen.preview import DRAWN, SHOWN, by_words, preview
from core.plan import Workload
from core.servers.model_tokenizer import bundled
from core.workload import LANGUAGES, LengthPair, Spread


@pytest.fixture(scope="module")
def tokens():
    return bundled()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_tokenizer_makes_the_prompts_exactly_as_long_as_asked(tokens, language):
    asked = Workload(
        input_tokens=150, language=language, input_spread=Spread(shape="uniform", low=60, high=240),
        system_prompt="You answer in one short sentence.",
    )  # fmt: skip

    found = preview(asked, tokens)

    assert found.counted
    assert found.system_tokens == tokens("You answer in one short sentence.")
    assert [one.tokens for one in found.prompts] == [one.asked_tokens for one in found.prompts]
    assert [one.tokens for one in found.prompts] == [tokens(one.text) + found.system_tokens for one in found.prompts]


def test_without_a_tokenizer_lengths_are_guessed_and_said_to_be():
    found = preview(Workload(input_tokens=100, system_prompt="three small words"), None)

    assert not found.counted
    assert found.system_tokens == 3
    assert [one.tokens for one in found.prompts] == [100] * SHOWN


def test_a_tokenizer_whose_lengths_do_not_add_up_is_not_believed():
    assert not preview(Workload(), lambda text: len(text) ** 2 // 9).counted


def test_the_lengths_drawn_are_those_that_a_run_draws():
    pairs = (LengthPair(input_tokens=10, output_tokens=5, weight=3), LengthPair(input_tokens=20, output_tokens=9))

    found = preview(Workload(pairs=pairs, seed=4), None)

    assert len(found.drawn) == DRAWN
    assert set(found.drawn) == {(10, 5), (20, 9)}
    assert [(one.asked_tokens, one.answer_tokens) for one in found.prompts] == list(found.drawn[:SHOWN])
    assert found.drawn == preview(Workload(pairs=pairs, seed=4), None).drawn


def test_words_stand_for_tokens_and_signs_for_themselves():
    assert by_words("one two") == 2
    assert by_words("今天 one") == 3
