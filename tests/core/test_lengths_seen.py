"""Prompts and answers as asked for, sent and counted, over the requests that succeeded."""

import pytest

from core.lengths_seen import lengths_seen
from tests.core.example_runs import answered, failed


def test_only_measured_answers_count():
    records = [
        answered(0, input_tokens=110, requested_input_tokens=100, sent_input_tokens=110, tokens=40, asked=50),
        answered(1, input_tokens=205, requested_input_tokens=200, sent_input_tokens=200, tokens=45, asked=50),
        answered(2, input_tokens=999, requested_input_tokens=1, warmup=True),
        failed(3),
    ]

    prompts, answers = lengths_seen(records)

    assert (prompts.asked.mean, prompts.sent.mean, prompts.counted.mean) == (150, 155, 157.5)
    assert (prompts.asked.min, prompts.asked.max) == (100, 200)
    assert prompts.apart == pytest.approx(0.05)
    assert (answers.asked.mean, answers.sent, answers.counted.mean) == (50, None, 42.5)
    assert answers.apart == pytest.approx(-0.15)


def test_what_nobody_told_is_not_known():
    prompts, answers = lengths_seen([answered(0, input_tokens=None, tokens=None)])

    assert (prompts.counted, prompts.sent, prompts.apart) == (None, None, None)
    assert answers.counted is None
    assert lengths_seen([])[0].asked is None
