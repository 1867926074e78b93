"""Tables whose weak numbers are grey, and the words behind a "?"."""

import pandas as pd
import pytest

from pages.parts import measures


@pytest.mark.parametrize(
    ("name", "answers", "few"),
    [
        ("p99", None, True),
        ("p99", 99, True),
        ("p99", 100, False),
        ("p95", 29, True),
        ("p90", 30, False),
        ("p50", 1, False),
    ],
)
def test_a_high_percentile_of_few_answers_is_weak(name, answers, few):
    assert measures.few(name, answers) is few


def test_a_table_too_long_for_ink_leaves_its_weak_cells_empty():
    rows = measures.MOST_STYLED + 1
    frame = pd.DataFrame({"TTFT p99": [1.5] * rows, "Over time": [[1.0]] * rows})

    shown = measures.muted(frame, {"TTFT p99": [True, *[False] * (rows - 1)]})

    assert list(shown["TTFT p99"].isna())[:2] == [True, False]
    assert shown["TTFT p99"].isna().sum() == 1


def test_the_words_behind_a_question_mark_lead_to_the_glossary():
    assert measures.definition("ttft_s", "Grey.").endswith("(/glossary#ttft)")
    assert "Grey" in measures.definition("ttft_s", "Grey.")
