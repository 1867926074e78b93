"""Calibration with the real load generator against the real simulator. Other work on the machine is allowed for."""

import json
import os
import subprocess
import sys

import pytest

from core import calibration
from core.calibration import LEVELS, Calibration, CalibrationFailed, Level, calibrate, measure
from core.findings import findings
from core.fleet.local import run_once
from core.loadgen.machine_lock import MachineLock
from core.records import RequestRecord
from core.run import ClientHealth, RunState
from core.servers.paced_child import PacedServer

SMALL = Level(streams=4, model="gt-ttft20000-itl5000", requests=12, tokens=40)
MOST_ATTEMPTS = 10


@pytest.fixture(scope="module")
def small():
    told = []
    found = calibrate(levels=[SMALL], progress=lambda share, words: told.append((share, words)))
    return found, told


def test_every_request_is_compared_with_its_truth(small):
    (row,) = small[0].levels

    assert (row.compared, row.missing) == (12, 0)
    assert row.offered_tokens_per_s == pytest.approx(4 * 40 / (0.020 + 39 * 0.005))
    assert 0 < row.kept_tokens_per_s <= row.offered_tokens_per_s * 1.05
    assert row.span_p50_s == pytest.approx(39 * 0.005, rel=0.5)


def test_errors_are_far_below_the_times_themselves(small):
    (row,) = small[0].levels

    assert row.ttft_error_p50_s < 0.020 / 2
    assert row.ttft_error_p50_s <= row.ttft_error_p99_s
    assert row.span_error_p99_s < 39 * 0.005 / 2
    assert row.loop_lag_p99_s is not None
    assert row.server_late_p99_s is not None
    assert row.priority in ("realtime", "raised", "normal")


def test_progress_names_the_level_and_ends_at_one(small):
    told = small[1]

    assert told[0] == (0.0, "4 streams, 744 tokens/s")
    assert told[-1] == (1.0, "Calibrated")


def test_it_survives_being_kept_as_json(small):
    found = small[0]

    assert Calibration.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert found.environment["cores"] >= 1


def test_a_lag_put_in_on_purpose_is_reported_as_what_it_is():
    """Of several attempts the least disturbed one counts: other work can only add to the lag."""
    lags: list[float] = []
    while len(lags) < MOST_ATTEMPTS and min(lags, default=1.0) > 0.006:
        lags.append(calibrate(levels=[SMALL], environ={"PACELINE_TEST_LAG_MS": "5"}).levels[0].loop_lag_p99_s)

    assert 0.004 <= min(lags) <= 0.006, lags


def test_a_run_with_that_lag_is_client_limited_and_one_without_is_not():
    kinds = {}
    with PacedServer() as server:
        for lag_ms in ("5", "0"):
            level = Level(streams=2, model="gt-ttft20000-itl5000", requests=6, tokens=40)
            run = run_once(calibration.plan(server.base_url, level), environ={"PACELINE_TEST_LAG_MS": lag_ms})
            assert run.state is RunState.COMPLETED
            kinds[lag_ms] = {finding.kind for finding in findings(run)}, run.client.loop_lag_p99_s

    assert "client_limited" in kinds["5"][0]
    # Without it the same run is believed, unless the machine itself was that late at this moment.
    assert "client_limited" not in kinds["0"][0] or kinds["0"][1] > 0.001


def test_a_level_that_cannot_be_kept_ends_the_climb():
    """A pace no simulator keeps: fewer tokens come than are offered, and it is the simulator that was late."""
    beyond = Level(streams=8, model="gt-ttft0-itl1", requests=8, tokens=5_000)

    found = calibrate(levels=[beyond, SMALL])

    assert len(found.levels) == 1
    assert found.levels[0].kept_share < 0.9
    assert found.levels[0].server_limited
    assert "the simulator itself was late" in found.verdict or "does not measure exactly" in found.verdict


SECOND = [RequestRecord(request_id="a", index=0, sent_s=1.0, ended_s=3.0)]


@pytest.mark.parametrize(
    ("client", "server_cpu_s", "share"),
    [
        (ClientHealth(machine_busy_share=0.9, cpu_share=0.4), 1.6, 0.6),  # 0.4 and 0.8 of 4 cores are ours
        (ClientHealth(machine_busy_share=0.1, cpu_share=1.0), 1.0, 0.0),
        (ClientHealth(machine_busy_share=None, cpu_share=0.4), 1.0, None),
        (ClientHealth(machine_busy_share=0.9, cpu_share=0.4), None, None),
    ],
)
def test_what_others_took_of_the_machine_is_what_was_not_ours(client, server_cpu_s, share):
    assert calibration.others_busy_share(client, SECOND, server_cpu_s, 4) == pytest.approx(share)
    assert calibration.others_busy_share(client, [], server_cpu_s, 4) is None


def test_other_work_beside_a_calibration_is_told_where_the_system_tells():
    burning = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        (row,) = calibrate(levels=[SMALL]).levels
    finally:
        burning.kill()
        burning.wait()

    if sys.platform == "linux":
        assert row.machine_busy_share >= row.others_busy_share >= 0.3 / os.cpu_count()
    else:
        assert row.others_busy_share is None


def test_a_simulator_that_does_not_start_is_a_sentence(monkeypatch):
    monkeypatch.setattr("core.servers.paced_child.START_S", 0.0)

    with pytest.raises(CalibrationFailed, match=r"^The simulator did not start\. The process said nothing for 0 s\."):
        calibrate(levels=[SMALL])


def test_waiting_for_another_measured_run_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PACELINE_LOCK", str(tmp_path / "lock"))
    told = []
    held = MachineLock()
    assert held.try_acquire()

    def tell(words):
        told.append(words)
        held.release()  # the other run ends

    with PacedServer() as server:
        measure(server, LEVELS[0], tell=tell)

    assert told == ["Waiting for another measured run on this machine to end"]
