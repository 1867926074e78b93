"""What this machine can measure, as pages show it."""

import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.calibration import Calibration, LevelResult
from pages.parts import calibrating
from tests.jobs import all_ended
from tests.pages.seen import button, metric, words

LEVEL = {
    "model": "gt-ttft50000-itl10000",
    "compared": 100,
    "missing": 0,
    "ttft_error_p50_s": 0.0001,
    "span_p50_s": 1.0,
    "server_late_p99_s": 0.0,
    "loop_lag_p50_s": 0.0001,
    "loop_lag_p99_s": 0.0004,
    "cpu_share": 0.5,
    "priority": "normal",
}
GOOD = LevelResult(
    streams=64,
    offered_tokens_per_s=6000,
    kept_tokens_per_s=5900,
    ttft_error_p99_s=0.0004,
    span_error_p99_s=0.001,
    **LEVEL,
)
BAD = LevelResult(
    streams=128,
    offered_tokens_per_s=12000,
    kept_tokens_per_s=6000,
    ttft_error_p99_s=0.02,
    span_error_p99_s=0.5,
    **LEVEL,
)


def keep(services, *levels):
    found = Calibration(made_at=datetime.now(UTC), levels=levels, environment={"cores": 2})
    services.library.save_calibration(found.to_dict())


@pytest.mark.parametrize("stem", ["overview", "endpoints"])
def test_the_two_numbers_that_matter_come_from_the_best_level(services, put, opened, stem):
    put("r1")
    keep(services, GOOD, BAD)

    page = opened(stem)

    assert metric(page, "Tokens kept").value == "5,900 /s"
    assert metric(page, "TTFT error p99").value == "0.4 ms"
    assert "Calibrated just now" in words(page)


@pytest.mark.parametrize("stem", ["overview", "endpoints"])
def test_a_calibration_of_a_busy_machine_is_not_quoted_as_what_it_can_do(services, put, opened, stem):
    put("r1")
    keep(services, replace(GOOD, others_busy_share=0.62))

    page = opened(stem)

    assert "while other work kept this machine 62 % busy" in words(page).replace("\\", "")
    assert [found.label for found in page.button if "alibrate" in found.label]


def test_a_calibration_of_a_quiet_machine_stands_without_a_doubt(services, put, opened):
    put("r1")
    keep(services, replace(GOOD, others_busy_share=0.05))

    assert "other work" not in words(opened("overview"))


def test_each_number_leads_to_its_definition(services, opened):
    keep(services, GOOD)

    page = opened("endpoints")

    for title in ("Tokens kept", "TTFT error p99", "Decode error p99", "Client lag p99"):
        assert "(/glossary#" in metric(page, title).help


def test_every_level_is_told_with_what_it_missed(services, opened):
    keep(services, GOOD, BAD)

    table = next(found.value for found in opened("endpoints").table if "Streams" in found.value.columns)

    assert list(table["Streams"]) == [64, 128]
    assert "check" in table["Good enough"].iloc[0]
    assert "off by 20.0 ms" in table["Good enough"].iloc[1].replace("\\", "")


def test_a_machine_that_measures_nothing_well_has_no_numbers(services, put, opened):
    put("r1")
    keep(services, BAD)

    page = opened("overview")

    assert metric(page, "Tokens kept").value == "–"


def test_while_it_goes_on_it_says_how_far_it_is_and_cannot_be_started_twice(services, opened):
    reached, go_on = threading.Event(), threading.Event()

    def work(progress):
        progress(0.5, "64 streams")
        reached.set()
        go_on.wait(20)

    services.background.start(calibrating.JOB, work)
    reached.wait(5)
    page = opened("endpoints")

    assert "64 streams" in words(page)
    assert button(page, "Calibrate this machine").disabled
    go_on.set()
    assert all_ended(services.background, 20)


def test_a_calibration_that_could_not_be_made_says_why(services, opened):
    def work(_progress):
        raise calibrating.CalibrationFailed("The simulator did not start.")

    services.background.start(calibrating.JOB, work, expected=(calibrating.CalibrationFailed,))
    assert all_ended(services.background, 20)

    assert "The simulator did not start" in words(opened("endpoints"))
