"""Files of stored runs read back whole, and do nothing in a spreadsheet."""

import csv
import io

import orjson
import pytest

from core import runfile
from core.records import FailureKind
from storage.problems import RunNotFound
from storage.transfer import Transfer
from tests.core.experiments import EXPERIMENTS, made
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


@pytest.fixture
def searched(runs):
    """A stored search, its runs in their order."""
    found = [one.run for one in made(EXPERIMENTS["a search of a rate"])]
    for one in found:
        runs.add(one)
    return found


def test_the_file_of_an_experiment_that_searched_tells_what_was_found(runs, searched):
    content = orjson.loads(Transfer(runs).file_of("e"))

    assert [one["id"] for one in content["runs"]] == [one.id for one in searched]
    assert content["search"]["variable"] == "rate"
    assert content["search"]["slo"] == ["ttft_s.p95 < 0.123457", "success_rate > 0.995"]
    assert content["search"]["edge"] == pytest.approx(9, rel=0.06)
    assert content["search"]["probes"] == [one.id for one in searched]
    assert orjson.loads(Transfer(runs).run_file([one.id for one in reversed(searched)]))["search"] == content["search"]


def test_a_part_of_a_search_and_runs_of_none_tell_no_search(runs, searched):
    runs.add(ended(run("alone", requests=[record(0)])))
    transfer = Transfer(runs)

    assert orjson.loads(transfer.file_of(searched[0].id))["search"] is None
    assert orjson.loads(transfer.file_of("alone"))["search"] is None
    assert orjson.loads(transfer.run_file([one.id for one in searched] + ["alone"]))["search"] is None
    assert orjson.loads(transfer.run_file([]))["search"] is None


def test_what_is_neither_a_run_nor_an_experiment_is_named(transfer):
    with pytest.raises(RunNotFound, match="no experiment gone"):
        transfer.file_of("gone")
