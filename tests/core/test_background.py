"""Named jobs in threads."""

import threading

import pytest

from core.background import Background, JobState
from tests.jobs import all_ended


def test_a_job_ends_with_its_result():
    background = Background()

    assert background.start("probe", lambda _: 42)
    assert all_ended(background, 5)

    job = background.find("probe")
    assert (job.state, job.result, job.share) == (JobState.DONE, 42, 1.0)


def test_a_job_tells_how_far_it_is_and_a_second_of_its_name_is_not_begun():
    background, reached, go_on = Background(), threading.Event(), threading.Event()

    def work(progress):
        progress(0.4, "half way")
        reached.set()
        go_on.wait(5)

    assert background.start("calibration", work)
    assert reached.wait(5)
    job = background.find("calibration")
    assert (job.running, job.share, job.stage) == (True, 0.4, "half way")
    assert not background.start("calibration", work)
    go_on.set()
    assert all_ended(background, 5)


def test_an_expected_exception_becomes_the_message():
    background = Background()

    def work(_):
        raise LookupError("The model file is missing: run make setup.")

    background.start("demo", work, expected=(LookupError,))
    assert all_ended(background, 5)

    job = background.find("demo")
    assert (job.state, job.message) == (JobState.FAILED, "The model file is missing: run make setup.")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_any_other_exception_ends_the_job_as_failed_and_goes_on_to_the_log(monkeypatch):
    seen, logged = [], threading.Event()

    def log(args):
        seen.append(args.exc_type)
        logged.set()

    monkeypatch.setattr(threading, "excepthook", log)
    background = Background()

    def work(_):
        raise ZeroDivisionError

    background.start("faulty", work)
    assert all_ended(background, 5)

    assert background.find("faulty").state is JobState.FAILED
    assert logged.wait(5)
    assert seen == [ZeroDivisionError]


def test_an_ended_job_may_begin_again():
    background = Background()

    for value in (1, 2):
        assert background.start("probe", lambda _, value=value: value)
        assert all_ended(background, 5)
        assert background.find("probe").result == value
