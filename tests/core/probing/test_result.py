"""A probe's result as it is stored and read back."""

import json
from datetime import UTC, datetime

import pytest

from core.probe import Check, CheckName, CheckState, ProbeResult, ProbeState
from core.probing.result import known_server
from core.records import Failure, FailureKind, TokenSource

RESULT = ProbeResult(
    endpoint_name="lab",
    base_url="http://127.0.0.1:8000/v1",
    at=datetime(2026, 11, 29, 12, 0, tzinfo=UTC),
    duration_s=0.5,
    state=ProbeState.BUSY,
    checks=(Check(name=CheckName.MODELS, title="Models listed", state=CheckState.NO, detail="429"),),
    engine="vLLM",
    engine_facts=("a", "b"),
    models=("m",),
    details=(("quantization", "Q4_0"),),
    token_source=TokenSource.USAGE,
    problem=Failure(kind=FailureKind.HTTP_429, message="slow down", status=429, retry_after_s=7.0),
    notes=("n",),
)


def test_what_is_stored_reads_back_the_same():
    stored = json.loads(json.dumps(RESULT.to_dict()))

    assert ProbeResult.from_dict(stored) == RESULT


def test_keys_of_a_later_version_are_left_out():
    assert ProbeResult.from_dict(RESULT.to_dict() | {"brand_new": 1}) == RESULT


@pytest.mark.parametrize(
    "change",
    [
        {"state": "splendid"},
        {"at": "yesterday"},
        {"checks": None},
        {"checks": [{}]},
        {"problem": {"kind": "odd"}},
        {"details": [1]},
    ],
)
def test_anything_else_is_refused_in_one_way(change):
    with pytest.raises(ValueError, match="not a stored probe"):
        ProbeResult.from_dict(RESULT.to_dict() | change)


def test_what_can_be_benchmarked_is_ok():
    from dataclasses import replace

    usable = [state for state in ProbeState if replace(RESULT, state=state).ok]

    assert usable == [ProbeState.READY, ProbeState.BUFFERED, ProbeState.NOT_STREAMED]


def test_a_row_is_found_by_its_name():
    assert RESULT.check(CheckName.MODELS).detail == "429"


PROBED = {
    "engine": "vLLM", "engine_version": "0.32", "model": "a", "max_model_len": 4096,
    "details": [["quantization", "AWQ"], ["engine", "a lie"]],
}  # fmt: skip


def test_a_run_of_the_probed_model_keeps_all_that_the_probe_told():
    assert known_server(PROBED, "a") == {
        "engine": "vLLM", "version": "0.32", "model": "a", "quantization": "AWQ", "context length": 4096,
    }  # fmt: skip


def test_a_run_of_another_model_keeps_the_engine_only():
    assert known_server(PROBED, "b") == {"engine": "vLLM", "version": "0.32"}
