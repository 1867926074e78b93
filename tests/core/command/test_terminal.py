"""What a terminal shows: a line that is written over, and a table that says what it doubts."""

import io
from dataclasses import replace

from core.command.terminal import Line, printable, table
from core.course import Done
from core.loadgen.channel import Progress
from core.plan import Experiment
from core.records import FailureKind
from core.run import Preflight, RunState
from core.summary import summarise
from tests.core.example_runs import answered, failed, run, steady
from tests.core.loadgen.scripted import plan_for


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self):
        return True


def shown(*runs):
    return table([(run, summarise(run.requests)) for run in runs])


def line_for(*plans, ended=0, **rest) -> Line:
    experiment = Experiment(id="e", name="e", plans=plans)
    done = [Done(run=run(of=plan), summary=summarise([])) for plan in plans[:ended]]
    return Line(experiment, done, plans[ended], **rest)


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


def test_a_median_of_one_request_stands_in_brackets_like_its_percentiles():
    one, enough = (shown(run(steady(count))).splitlines()[2].split() for count in (1, 5))

    assert [cell for cell in one if cell[0].isdigit() and "." in cell] == [one[-1]]  # the throughput is no percentile
    assert enough[-5:-1] == ["(100.0)", "10.0", "190.0", "100.0"]


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
        line = line_for(plan_for(80, requests=4), out=out)
        line.progress(progress(1))
        line.progress(progress(4))
        line.clear()

    assert screen.getvalue().count("\r") == 3
    assert "4 ended" in screen.getvalue()
    assert file.getvalue() == ""


def test_the_line_names_the_configuration_which_run_it_is_and_the_time_left():
    screen, plans = Screen(), [plan_for(80, requests=4, concurrency=2), plan_for(80, requests=8, concurrency=2)]
    clock = iter([100.0, 103.0])
    line = line_for(*plans, out=screen, now_s=lambda: next(clock))
    line.started("normal")  # 3 s went by
    line.progress(progress(2))

    # Half of the first run took 2 s, the second is twice as long: 2 + 3 + 8.
    assert "run 1 of 2: c at 2 in flight  ████░░░░  13 s left  2 ended" in screen.getvalue()


def test_a_single_run_is_not_numbered():
    screen = Screen()
    line_for(plan_for(80), out=screen).stage("warming up")

    assert screen.getvalue().endswith("c at 1 in flight  warming up")


def test_requests_under_way_count_by_their_chunks():
    screen = Screen()
    line = line_for(plan_for(80, requests=4), out=screen)
    line.record(answered(0, gaps=(0.01,) * 99))
    line.progress(Progress(at_s=3.0, sent=2, ended=1, in_flight=1, warming_up=False, chunks=200))

    assert "████░░░░  3 s left  1 ended  200 chunks" in screen.getvalue()


def test_what_the_user_cancelled_is_no_failure_on_the_line():
    screen = Screen()
    line = line_for(plan_for(80, requests=4), out=screen)
    line.record(failed(0, kind=FailureKind.CANCELLED))
    line.record(failed(1))
    line.progress(progress(2))

    assert "1 failed" in screen.getvalue()


def test_a_narrow_terminal_gets_whole_parts_only(monkeypatch):
    monkeypatch.setattr("core.command.terminal.WIDEST", 50)
    screen = Screen()
    line_for(plan_for(80, requests=4), out=screen).progress(progress(2))
    (shown,) = screen.getvalue().split("\x1b[K")[1:]

    assert len(shown) < 50
    assert shown.endswith("2 ended")


def test_a_sentence_that_stays_does_not_run_into_the_line():
    screen = Screen()
    line = line_for(plan_for(80), out=screen)
    line.stage("Starting Q4_0")
    line.waiting()

    assert "\r\x1b[KWaiting for another measured run" in screen.getvalue()


def test_what_preflight_changed_is_told_everywhere():
    out = io.StringIO()
    line_for(plan_for(80), out=out).preflight(Preflight(changes=("drop stream_options",)))

    assert "drop stream_options" in out.getvalue()


def test_a_run_that_never_began_is_one_sentence_and_no_table():
    text = shown(run([], state=RunState.FAILED, message="Nothing answers at 127.0.0.1:9: Connection refused."))

    assert text.count("Connection refused") == 1
    assert text.count("\n") == 0


def test_two_runs_that_failed_for_different_reasons_tell_both():
    text = shown(
        run([], name="one", state=RunState.FAILED, message="It refused."),
        run([], name="two", state=RunState.FAILED, message="It was not there."),
    )

    assert "one: The run failed. It refused." in text
    assert "two: The run failed. It was not there." in text


def test_brackets_are_explained_only_where_a_number_stands_in_them():
    plan = plan_for(80)
    named = replace(plan, configuration=replace(plan.configuration, label="m (2)"))

    assert "in brackets" in shown(run(steady(5)))
    assert "in brackets" not in shown(run(steady(120), of=named))


def test_a_doubt_of_several_runs_is_told_of_the_gravest_and_the_others_are_named():
    told = shown(*(replace(run(steady(count)), name=f"of {count}") for count in (60, 7, 30)))

    assert "* of 7: The percentiles stand on 7 requests." in told
    assert "(Also: of 60, of 30.)" in told


def test_speeds_computed_from_counts_that_cannot_be_stand_in_brackets():
    lying = shown(run(steady(120, tokens=999_999_999, asked=64)))
    row = next(line for line in lying.splitlines() if line.startswith("Q4_0"))

    assert row.split()[-2].startswith("(")
    assert row.split()[-1].startswith("(")
    assert "counts that cannot be, such as 999,999,999 tokens in 10 chunks" in lying
    assert "(" not in next(line for line in shown(run(steady(120))).splitlines() if line.startswith("Q4_0"))
