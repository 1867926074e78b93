"""Files of stored runs read back whole, and do nothing in a spreadsheet."""

import csv
import io

import pytest

from core import runfile
from core.records import FailureKind
from storage.problems import RunNotFound
from storage.transfer import Transfer
from tests.storage.made import ended, failed, plain, record, run


@pytest.fixture
def transfer(runs):
    records = [record(0, text="=answer", finish_reason="=1+1"), failed(1, message='=HYPERLINK("http://x")\nline, two')]
    runs.add(ended(run("a", requests=records)))
    runs.add(ended(run("b", requests=[record(2), failed(3, FailureKind.EMPTY, "-2")])))
    return Transfer(runs)


def test_a_run_file_reads_back_as_the_runs(transfer, runs):
    found = runfile.from_bytes(transfer.run_file(["b", "a"], texts=True))

    assert [one.id for one in found] == ["b", "a"]
    assert [plain(one) for one in found[1].requests] == [plain(one) for one in runs.run("a").requests]


def test_a_run_file_has_texts_only_if_asked_for(transfer):
    assert b"=answer" not in transfer.run_file(["a"])
    assert b"=answer" in transfer.run_file(["a"], texts=True)


def test_the_summary_in_a_run_file_is_that_of_its_requests(transfer, runs):
    ours = runfile.from_bytes(transfer.run_file(["a"]))
    assert runfile.run_to_dict(ours[0])["summary"] == runfile.run_to_dict(runs.run("a"))["summary"]


def test_csv_reads_back_and_text_cells_are_no_formulas(transfer):
    content = transfer.requests_csv("a")

    assert content.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    assert len(rows) == 2
    assert float(rows[0]["ttft_s"]) == pytest.approx(0.05)
    assert rows[0]["finish_reason"] == "'=1+1"
    assert rows[1]["failure_message"] == '\'=HYPERLINK("http://x")\nline, two'
    assert rows[1]["ttft_s"] == ""


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n", " =", "\N{FULLWIDTH EQUALS SIGN}"])
def test_every_beginning_of_a_formula_is_guarded(runs, begin):
    runs.add(ended(run("x", requests=[failed(0, message=begin + "cmd|' /C calc'!A0")])))

    rows = list(csv.DictReader(io.StringIO(Transfer(runs).requests_csv("x").decode("utf-8-sig"), newline="")))

    assert rows[0]["failure_message"] == "'" + begin + "cmd|' /C calc'!A0"


def test_a_text_with_semicolons_stays_one_cell(runs):
    runs.add(ended(run("x", requests=[failed(0, message="a;=cmd")])))

    assert b'"a;=cmd"' in Transfer(runs).requests_csv("x")


def test_a_negative_number_stays_a_number(runs):
    runs.add(ended(run("x", requests=[record(0, scheduled_s=0.001)])))

    rows = list(csv.DictReader(io.StringIO(Transfer(runs).requests_csv("x").decode("utf-8-sig"), newline="")))

    assert float(rows[0]["slip_s"]) == pytest.approx(-0.001)


def test_an_unknown_run_is_named(transfer):
    for ask in (lambda: transfer.run_file(["a", "gone"]), lambda: transfer.requests_csv("gone")):
        with pytest.raises(RunNotFound, match="gone"):
            ask()
