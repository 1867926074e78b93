"""Files of recorded loads, good and bad: what is understood is kept, the rest is counted and told."""

import pytest

from core import trace_reading
from core.base_url import PlanError
from core.trace_reading import read, read_file

MOONCAKE = b"""{"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1, 2]}
{"timestamp": 3000, "input_length": 7322, "output_length": 490, "hash_ids": [0, 14]}
"""
BURSTGPT = b"""Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type
5,ChatGPT,472,18,490,Conversation log
45,ChatGPT,1087,230,1317,Conversation log
118,GPT-4,417,276,693,API log
"""


def test_the_mooncake_trace_is_understood():
    found = read(MOONCAKE, "mooncake_trace.jsonl")

    assert list(found.rows.at_us) == [0, 3_000_000]
    assert list(found.rows.input_tokens) == [6758, 7322]
    assert list(found.rows.output_tokens) == [500, 490]
    assert found.notes() == [
        "Times are milliseconds, as in the mooncake trace (timestamp, input_length, output_length)."
    ]


def test_burstgpt_is_understood():
    found = read(BURSTGPT, "BurstGPT_1.csv")

    assert list(found.rows.at_us) == [0, 40_000_000, 113_000_000]
    assert list(found.rows.output_tokens) == [18, 230, 276]
    assert "BurstGPT" in found.unit


@pytest.mark.parametrize("sign", [";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_other_separators_line_ends_and_a_byte_order_mark_change_nothing(sign, end, mark):
    text = mark + BURSTGPT.decode().replace(",", sign).replace("\n", end)

    assert read(text.encode(), "x").rows.digest == read(BURSTGPT, "x").rows.digest


def test_malformed_rows_are_counted_and_told_and_the_others_kept():
    found = read(BURSTGPT + b"119,GPT-4,417\nnow,GPT-4,1,2,3,x\n120,GPT-4,417,0,417,x\n121,GPT-4,4,0,4,x\n\n", "x")

    assert len(found.rows) == 3
    assert found.left_out == 4
    assert found.faults[0] == ("answer without tokens", 2)
    assert (
        "4 rows were left out (2: answer without tokens; 1: not as many cells as columns; 1: no time)." in found.notes()
    )


def test_hostile_lines_are_only_malformed_rows(monkeypatch):
    monkeypatch.setattr(trace_reading, "MOST_LINE", 5000)
    lines = [
        b"[" * 2000,
        b'{"a":' * 900 + b"1" + b"}" * 900,
        b'{"timestamp": 1, "input_length": 1, "output_length": 1, "deep": ' + b"[" * 60 + b"]" * 60 + b"}",
        b'{"timestamp": 1' + b" " * 6000 + b"}",
        b"\xff\xfe\x00{",
        b"null",
        b'{"timestamp": {"a": 1}, "input_length": 1, "output_length": 1}',
        b'{"timestamp": 1}',
    ]
    found = read(MOONCAKE + b"\n".join(lines), "x")

    assert len(found.rows) == 2
    assert found.left_out == len(lines)


def test_unsorted_rows_are_sorted_and_that_is_told():
    found = read(b"time,input_tokens,output_tokens\n9,1,1\n7,2,2\n", "x")

    assert list(found.rows.input_tokens) == [2, 1]
    assert "Rows were put into the order of their times." in found.notes()


def test_rows_beyond_the_most_are_counted_and_not_read(monkeypatch):
    monkeypatch.setattr(trace_reading, "MOST_ROWS", 2)
    found = read(BURSTGPT + b"garbage\n", "x")

    assert len(found.rows) == 2
    assert found.beyond == 2
    assert any("2 lines follow" in words for words in found.notes())


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b" \n\n ", "empty"),
        (b"a,b\n1,2\n", "does not name the columns needed: it has a, b"),
        (b"time,input_tokens,output_tokens\n", "it has no rows"),
        (b"time,input_tokens,output_tokens\nx,1,1\n", "no row that can be understood: no time"),
        (b'{"a": 1}\n', "no time or no lengths in it"),
        (b"\x00\x01\x02", "does not name the columns"),
        (b"time,input_tokens,output_tokens\n0,1,1\n1700000000,1,1\n", "longer than a year"),
    ],
)
def test_what_is_no_trace_is_refused_in_a_sentence(data, said):
    with pytest.raises(PlanError) as fault:
        read(data, "x")
    assert said in str(fault.value)


def test_a_file_that_is_too_large_or_not_there_is_refused_by_name(tmp_path, monkeypatch):
    file = tmp_path / "trace.csv"
    with pytest.raises(PlanError, match=r"trace\.csv cannot be read"):
        read_file(file)
    file.write_bytes(BURSTGPT)
    assert read_file(file).name == "trace.csv"
    monkeypatch.setattr(trace_reading, "MOST_BYTES", 100)
    with pytest.raises(PlanError, match=r"trace\.csv: The trace is larger than 64 MB"):
        read_file(file)
