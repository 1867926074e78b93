"""What a terminal shows: a line that is written over, and a table that says what it doubts."""

import io

from core.command.terminal import Line, printable, table
from core.loadgen.channel import Progress
from core.run import Preflight
from core.summary import summarise
from tests.core.example_runs import failed, run, steady
from tests.core.loadgen.scripted import plan_for


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self):
        return True


def shown(*runs):
    return table([(run, summarise(run.requests)) for run in runs])


def progress(ended: int) -> Progress:
    return Progress(at_s=2.0, sent=ended + 1, ended=ended, in_flight=1, warming_up=False, chunks=123)


def test_a_row_has_the_run_s_numbers_in_milliseconds():
    text = shown(run(steady(120)))

    assert "TTFT p50" in text
    assert "100.0" in text
    assert "10.0" in text


def test_numbers_from_few_requests_stand_in_brackets():
    few, many = shown(run(steady(5))), shown(run(steady(120)))

    assert "(100.0)" in few
    assert "(100.0)" not in many


def test_what_does_not_exist_is_a_dash_and_never_zero():
    row = shown(run([failed(index) for index in range(5)])).splitlines()[2]

    assert row.split().count("–") == 6  # the throughput is a true 0


def test_a_doubt_is_told_once_with_every_run_that_has_it():
    text = shown(run(steady(5), name="one"), run(steady(5), name="two"))

    assert text.count("percentiles stand on 5 requests") == 1
    assert "(Also: two.)" in text


def test_foreign_words_cannot_steer_the_terminal():
    assert "\x1b" not in printable("\x1b[2Jboo\r\n")
    assert "\x1b" not in shown(run(steady(2), message="\x1b]0;x\x07"))


def test_the_line_is_written_over_and_only_on_a_terminal():
    screen, file = Screen(), io.StringIO()
    for out in (screen, file):
        line = Line(plan_for(80, requests=4), out=out)
        line.progress(progress(1))
        line.progress(progress(4))
        line.clear()

    assert screen.getvalue().count("\r") == 3
    assert "4 ended" in screen.getvalue()
    assert file.getvalue() == ""


def test_what_preflight_changed_is_told_everywhere():
    out = io.StringIO()
    Line(plan_for(80), out=out).preflight(Preflight(changes=("drop stream_options",)))

    assert "drop stream_options" in out.getvalue()
