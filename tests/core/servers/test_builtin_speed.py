"""The built-in comparison's claim, from real requests: Q4_0 decodes clearly faster than F16, and a file that only
bears the name Q4_0 does not."""

import shutil

import pytest

from core.fleet.local import run_once
from core.metrics import decode_tps
from core.plan import Load, RunPlan
from core.run import RunState
from core.servers.builtin import demo_workload, variant_configuration, with_address
from core.servers.demo import DemoServers
from core.servers.variants import made_path, note_path, variant_file

MOST_ROUNDS = 10
LOAD = Load(concurrency=1, requests=6, warmup_requests=1)  # short ones: on a busy machine one is soon undisturbed


@pytest.fixture(scope="module")
def swapped_cache(model_cache, tmp_path_factory):
    """A cache folder where F16's file stands under Q4_0's name."""
    real, folder = variant_file("F16", model_cache), tmp_path_factory.mktemp("swapped")
    shutil.copy(real, made_path("Q4_0", folder))
    shutil.copy(note_path(real), note_path(made_path("Q4_0", folder)))
    return folder


def decode_speeds(server, name):
    plan = RunPlan(configuration=variant_configuration(name, 0), workload=demo_workload(16, 16), load=LOAD)
    run = run_once(with_address(plan, server))
    assert run.state is RunState.COMPLETED, run.message
    return [decode_tps(record) for record in run.requests if not record.warmup]


def shown(speeds):
    """Whether the claim is seen; of each server the least disturbed request counts, since nothing makes one faster."""
    best = {label: max(values) for label, values in speeds.items()}
    return best["Q4_0"] > 1.5 * best["F16"] and 0.8 < best["F16 as Q4_0"] / best["F16"] < 1.25


def test_q4_0_is_faster_than_f16_and_no_different_when_it_is_f16(model_cache, swapped_cache):
    """Interleaved, as the comparison is. On a busy machine more rounds are needed until each had a quiet moment."""
    real, swapped = DemoServers(model_cache), DemoServers(swapped_cache)
    try:
        running = {"Q4_0": real.start("Q4_0"), "F16": real.start("F16"), "F16 as Q4_0": swapped.start("Q4_0")}
        speeds: dict[str, list[float]] = {label: [] for label in running}
        for _ in range(MOST_ROUNDS):
            for label, server in running.items():
                speeds[label] += decode_speeds(server, server.name)
            if shown(speeds):
                break
    finally:
        real.stop_all()
        swapped.stop_all()

    assert shown(speeds), speeds
