"""Columns and cells of recorded loads: which are understood, and what a time counts."""

import pytest

from core.trace_columns import RowError, columns_of, plain_name, row_of


def found(*names):
    return columns_of([plain_name(name) for name in names])


@pytest.mark.parametrize(
    ("names", "per_s", "said"),
    [
        (("timestamp", "input_length", "output_length", "hash_ids"), 1000, "mooncake"),
        (("chat_id", "timestamp", "input_length", "output_length", "type"), 1, "Bailian"),
        (("Timestamp", "Model", "Request tokens", "Response tokens", "Total tokens", "Log Type"), 1, "BurstGPT"),
        (("Timestamp", "Session ID", "Elapsed time", "Model", "Request tokens", "Response tokens"), 1, "BurstGPT"),
        (("TIMESTAMP", "ContextTokens", "GeneratedTokens"), 1, "taken as seconds"),
        (("time", "input_tokens", "output_tokens"), 1, "taken as seconds"),
        (("timestamp_ms", "input_tokens", "output_tokens"), 1000, "timestamp_ms"),
        (("Timestamp (ms)", "isl", "osl"), 1000, "timestamp_ms"),
        (("timestamp_s", "input_length", "output_length"), 1, "timestamp_s"),
    ],
)
def test_a_known_format_says_what_its_times_count(names, per_s, said):
    columns = found(*names)

    assert columns.per_s == per_s
    assert said in columns.why


@pytest.mark.parametrize(
    "names", [("timestamp", "input_length"), ("input_length", "output_length"), ("a", "b", "c"), ()]
)
def test_without_a_time_or_a_length_there_are_no_columns(names):
    assert found(*names) is None


def row(at, asked, answered, *names):
    columns = found(*(names or ("time", "input_tokens", "output_tokens")))
    return row_of({columns.time: at, columns.input: asked, columns.output: answered}, columns)


def test_texts_and_numbers_are_read_alike():
    assert row("1.5", "10", "5") == row(1.5, 10, 5.0) == (1.5, 10, 5)
    assert row(1500, 10, 5, "timestamp", "input_length", "output_length") == (1.5, 10, 5)


def test_numbers_that_no_seconds_can_be_are_milliseconds_since_1970():
    assert row(1_700_000_000_123, 1, 1)[0] == pytest.approx(1_700_000_000.123)
    assert row(1_700_000_000, 1, 1)[0] == 1_700_000_000


def test_dates_are_times_with_more_digits_than_python_takes_too():
    first = row("2023-11-16 18:15:46.6805900", 1, 1)[0]

    assert row("2023-11-16 18:15:47.7805900", 1, 1)[0] - first == pytest.approx(1.1)
    assert row("2023-11-16T18:15:46.68059Z", 1, 1)[0] == pytest.approx(first)


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (("soon", 1, 1), "no time"),
        ((None, 1, 1), "no time"),
        ((True, 1, 1), "no time"),
        (("nan", 1, 1), "no time"),
        (("inf", 1, 1), "no time"),
        ((1e300, 1, 1), "no time"),
        ((10**400, 1, 1), "no time"),
        ((1, "x", 1), "no prompt length"),
        ((1, 1.5, 1), "no prompt length"),
        ((1, [1], 1), "no prompt length"),
        ((1, 1, None), "no answer length"),
        ((1, 1, 0), "answer without tokens"),
        ((1, -5, 1), "prompt without tokens"),
        ((1, 10**9, 1), "prompt longer than 1,000,000 tokens"),
        ((1, 1, "1e6"), "answer longer than 100,000 tokens"),
    ],
)
def test_a_cell_that_is_none_says_why(cells, why):
    with pytest.raises(RowError) as fault:
        row(*cells)
    assert str(fault.value) == why
